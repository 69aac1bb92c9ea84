//! The cache's directory, which only this user can enter.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "portable.rs")]
mod system;

pub(super) use system::{Directory, read_exact_at};

/// Prefix of the names of files that are being written.
pub(super) const UNFINISHED: &str = ".new-";

/// A file in the directory.
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) size: u64,
    /// Seconds and nanoseconds since 1970.
    pub(super) modified: (i64, i64),
}
