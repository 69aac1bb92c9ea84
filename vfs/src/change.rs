//! What differs between two trees of files.

use crate::FileKind;

/// How a path differs from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It did not exist.
    Added,
    /// Its contents, link target or mode bits differ.
    Changed,
    /// It was removed.
    Removed,
}

/// One path that differs from before. A file that became another kind is `Removed` and `Added`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path from the overlay's root, without a leading slash.
    pub path: Vec<u8>,
    /// What happened.
    pub change: ChangeKind,
    /// The kind of file; for a removed file, its former kind.
    pub kind: FileKind,
    /// The permission bits; for a removed file, its former ones.
    pub mode: u32,
    /// For a changed file: the former permission bits.
    pub old_mode: Option<u32>,
    /// The size in bytes; for a removed file, its former size.
    pub size: u64,
}

impl Change {
    /// Whether set-user-ID or set-group-ID bits were added, which applying leaves out.
    pub fn gives_privileges(&self) -> bool {
        let given = self.mode & !self.old_mode.unwrap_or(0) & 0o6000;
        self.change != ChangeKind::Removed && self.kind != FileKind::Symlink && given != 0
    }
}
