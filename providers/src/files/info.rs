//! Entries of listings.

use std::time::SystemTime;

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// The requested directory, a slash, and the entry's path below it; without a slash at the end.
    pub path: String,
    /// It is a directory, or a symbolic link to one.
    pub is_dir: bool,
    /// The entry itself is a symbolic link. `is_dir`, `size` and `modified_at` then describe the link's target, or
    /// the link if the target does not exist.
    pub is_symlink: bool,
    /// The size in bytes.
    pub size: u64,
    /// Time of the last change of content, in whole seconds.
    pub modified_at: Option<SystemTime>,
}
