//! The options for copying and moving files.

use crate::base::backup::Backup;

/// When symbolic links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    Never,
    CommandLine,
    Always,
}

/// What to do with existing files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Existing {
    /// Ask only in the cases in which `mv` does so by default.
    Default,
    Overwrite,
    Ask,
    Skip,
}

/// How files are copied.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) name: &'static str,
    pub(super) recursive: bool,
    pub(super) follow: Follow,
    pub(super) existing: Existing,
    /// Remove files that cannot be opened for writing.
    pub(super) force: bool,
    pub(super) update: bool,
    pub(super) remove_destination: bool,
    /// `remove_destination` is only set because a link must replace the file. If the target is another link to the
    /// source, it is kept.
    pub(super) implied_removal: bool,
    pub(super) hard_link: bool,
    pub(super) symbolic_link: bool,
    pub(super) attributes_only: bool,
    /// Copy the contents of FIFOs instead of making FIFOs.
    pub(super) copy_contents: bool,
    pub(super) one_file_system: bool,
    pub(super) preserve_mode: bool,
    pub(super) preserve_owner: bool,
    pub(super) preserve_times: bool,
    pub(super) preserve_links: bool,
    /// `--no-preserve=mode`: new files get the default mode.
    pub(super) default_mode: bool,
    /// Turn blocks of zeros into holes.
    pub(super) make_holes: bool,
    pub(super) verbose: bool,
    pub(super) moving: bool,
    pub(super) reflink_only: bool,
    pub(super) backup: Backup,
    pub(super) suffix: Vec<u8>,
}

impl Options {
    /// The defaults: a plain copy.
    pub(super) fn plain(name: &'static str) -> Self {
        Self {
            name,
            recursive: false,
            follow: Follow::Always,
            existing: Existing::Default,
            force: false,
            update: false,
            remove_destination: false,
            implied_removal: false,
            hard_link: false,
            symbolic_link: false,
            attributes_only: false,
            copy_contents: true,
            one_file_system: false,
            preserve_mode: false,
            preserve_owner: false,
            preserve_times: false,
            preserve_links: false,
            default_mode: false,
            make_holes: false,
            verbose: false,
            moving: false,
            reflink_only: false,
            backup: Backup::Off,
            suffix: b"~".to_vec(),
        }
    }

    /// Preserve all attributes that can be preserved.
    pub(super) fn preserve_all(&mut self) {
        self.preserve_mode = true;
        self.preserve_owner = true;
        self.preserve_times = true;
        self.preserve_links = true;
    }
}
