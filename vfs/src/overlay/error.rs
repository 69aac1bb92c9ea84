//! Errors of listing, showing and applying an overlay's changes.

use crate::{Errno, quoted};
use std::fmt;

/// The most bytes of all paths together: a sandbox can create many files with long paths at little cost.
pub(super) const MAX_NAMES: usize = 256 << 20;

/// Why [`Overlay::diff`](super::Overlay::diff) or [`Overlay::patch`](super::Overlay::patch) failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A path is longer than any operation accepts, because directories are nested too deeply.
    #[error("{}… is nested too deeply: its path is longer than {} bytes", quoted(path), crate::MAX_PATH)]
    TooDeep {
        /// The beginning of the path from the root.
        path: Vec<u8>,
    },
    /// The paths of all changes together have more than 256 MiB.
    #[error("the paths of what was changed take more than {} MiB", MAX_NAMES >> 20)]
    TooMany,
    /// A file could not be read.
    #[error("{}: {errno}", quoted(path))]
    Failed {
        /// The path from the root.
        path: Vec<u8>,
        /// The error.
        #[source]
        errno: Errno,
    },
}

/// Why a change cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConflictReason {
    /// A path that the overlay added exists in the target now.
    Exists,
    /// The path no longer exists in the target.
    Missing,
    /// Its kind, size, mode or modification time is not what it was when the overlay first changed it.
    Modified,
    /// It is a FIFO or device, which cannot be created.
    Unsupported,
    /// It belongs to the journals' directory, or contains it.
    Protected,
}

/// A path whose change cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path from the root.
    pub path: Vec<u8>,
    /// Why.
    pub reason: ConflictReason,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            ConflictReason::Exists => "exists now",
            ConflictReason::Missing => "is missing now",
            ConflictReason::Modified => "was modified meanwhile",
            ConflictReason::Unsupported => "is a kind of file that cannot be made",
            ConflictReason::Protected => "belongs to sandshell itself",
        };
        write!(f, "{} {reason}", quoted(&self.path))
    }
}
