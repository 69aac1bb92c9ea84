//! What `tree` knows of each file.

use sandshell_sys::Stat;

/// The note of a directory that cannot be read.
pub(crate) const OPEN_ERROR: &str = "error opening dir";

/// A directory entry, and the entries below it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    /// The path, beginning with the directory as given on the command line.
    pub(crate) path: Vec<u8>,
    /// The result of `lstat`, or for a root of `stat`; `None` if it failed.
    pub(crate) stat: Option<Stat>,
    /// The target of a symbolic link.
    pub(crate) target: Option<Vec<u8>>,
    pub(crate) target_stat: Option<Stat>,
    pub(crate) entries: Vec<Entry>,
    /// A message that is shown instead of the entries.
    pub(crate) note: Option<String>,
}

impl Entry {
    /// Whether it is a directory or a link to one.
    pub(crate) fn is_dir(&self) -> bool {
        self.stat.is_some_and(|s| s.is_dir()) || self.target_stat.is_some_and(|s| s.is_dir())
    }

    pub(crate) fn is_link(&self) -> bool {
        self.target.is_some()
    }
}
