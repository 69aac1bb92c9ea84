//! What is known about a file in a listing.

use std::time::SystemTime;

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// The requested directory, a slash, and the entry below it; no slash at the end.
    pub path: String,
    /// A directory, or a symbolic link to one.
    pub is_dir: bool,
    /// The entry itself is a symbolic link. `is_dir`, `size` and `modified_at` then describe what it points to,
    /// and the link where that does not exist.
    pub is_symlink: bool,
    /// Bytes.
    pub size: u64,
    /// Time of the last change of content, in whole seconds.
    pub modified_at: Option<SystemTime>,
}
