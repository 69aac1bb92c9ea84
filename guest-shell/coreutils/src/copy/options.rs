//! How files are copied or moved.

use crate::base::backup::Backup;

/// When links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    Never,
    CommandLine,
    Always,
}

/// What to do about files that are there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Existing {
    /// Ask only where `mv` does by itself.
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
    /// Remove what cannot be opened for writing.
    pub(super) force: bool,
    pub(super) update: bool,
    pub(super) remove_destination: bool,
    /// It is removed only because a link has to take its place: another name of the source stays.
    pub(super) implied_removal: bool,
    pub(super) hard_link: bool,
    pub(super) symbolic_link: bool,
    pub(super) attributes_only: bool,
    /// The contents of FIFOs are copied, not FIFOs made.
    pub(super) copy_contents: bool,
    pub(super) one_file_system: bool,
    pub(super) preserve_mode: bool,
    pub(super) preserve_owner: bool,
    pub(super) preserve_times: bool,
    pub(super) preserve_links: bool,
    /// `--no-preserve=mode`: new files get default modes.
    pub(super) default_mode: bool,
    /// Blocks of zeros become holes.
    pub(super) make_holes: bool,
    pub(super) verbose: bool,
    pub(super) moving: bool,
    pub(super) reflink_only: bool,
    pub(super) backup: Backup,
    pub(super) suffix: Vec<u8>,
}

impl Options {
    /// Nothing but the copy itself.
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

    /// Keep everything that can be kept.
    pub(super) fn preserve_all(&mut self) {
        self.preserve_mode = true;
        self.preserve_owner = true;
        self.preserve_times = true;
        self.preserve_links = true;
    }
}
