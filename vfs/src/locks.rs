//! Locks of files that programs of the host see.

use crate::Result;
use std::ops::Range;

/// Locks on a file of the host, on an open file of their own: programs of the host and other sandboxes see them, as
/// [`File::host_locks`](crate::File::host_locks) says. All of them go when this is dropped.
///
/// Nothing here waits: what others have is `EAGAIN`. Where the host's filesystem has no locks, all is granted.
pub trait HostLocks: Send + Sync {
    /// Locks bytes, in place of what is locked there; an end of `u64::MAX` is none. On an error what was locked stays.
    fn lock(&self, bytes: Range<u64>, exclusive: bool) -> Result<()>;

    /// Unlocks bytes.
    fn unlock(&self, bytes: Range<u64>) -> Result<()>;

    /// A lock of others that excludes such a one.
    fn conflict(&self, bytes: Range<u64>, exclusive: bool) -> Result<Option<HostLock>>;

    /// Locks the file as `flock(2)` does. If it was locked in the other way, that may be lost on an error.
    fn lock_whole(&self, exclusive: bool) -> Result<()>;

    /// Takes back what [`lock_whole`](Self::lock_whole) has locked.
    fn unlock_whole(&self) -> Result<()>;
}

/// A lock of another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLock {
    /// The bytes; an end of `u64::MAX` is none.
    pub bytes: Range<u64>,
    /// Whether it lets no other lock be there.
    pub exclusive: bool,
}
