//! A short-lived cache of who may search a directory.
//!
//! The kernel refuses the superuser nothing, so for that user the mode bits of a directory are checked here for each
//! name in it. Without a cache that is a system call for each file of a tree; with it, one for each directory and tick
//! of the clock (some milliseconds). Changes through any [`HostDir`](super::HostDir) of this program invalidate the
//! cache at once; changes by other programs take effect by the next tick.

use super::super::{OTHERS, OWN};
use crate::Metadata;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cached mode and owners of one directory, with the moment of the check. Zero: nothing is cached.
#[derive(Default)]
pub(super) struct PermissionCache(AtomicU64);

/// Counts changes of search permissions, in all directories of the host.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Bits of an entry below the moment: a valid bit, whether user and group are the sandbox's own, and twelve bits of the
/// mode.
const BITS: u32 = 15;

/// A number that grows with each tick of the clock and each change through this program, and is constant otherwise.
///
/// Read it before checking the directory, so that a change in between makes the entry stale.
pub(super) fn moment() -> u64 {
    // Both only grow, so the sum is constant only while both are.
    tick().wrapping_add(changes()) << BITS
}

/// Milliseconds of a clock that advances in ticks.
pub(super) fn tick() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::MonotonicCoarse);
    u64::try_from(now.tv_sec).unwrap_or_default() * 1000
        + u64::try_from(now.tv_nsec).unwrap_or_default() / 1_000_000
}

/// How often [`changed`] was called.
pub(super) fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// Call this after changing who may search a directory.
pub(super) fn changed() {
    CHANGES.fetch_add(1, Ordering::Release);
}

impl PermissionCache {
    /// Mode, user and group, if the entry is from `moment`.
    pub(super) fn get(&self, moment: u64) -> Option<(u32, u32, u32)> {
        let entry = self.0.load(Ordering::Acquire);
        let own = |bit: u32| if entry >> bit & 1 == 1 { OWN } else { OTHERS };
        let known = entry >> BITS == moment >> BITS && entry & 1 == 1;
        known.then(|| ((entry >> 3) as u32 & 0o7777, own(1), own(2)))
    }

    /// Caches attributes that were read after `moment`.
    pub(super) fn set(&self, moment: u64, metadata: &Metadata) {
        let own = |id: u32| u64::from(id == OWN);
        let bits =
            1 | own(metadata.uid) << 1 | own(metadata.gid) << 2 | u64::from(metadata.mode & 0o7777) << 3;
        self.0.store(moment | bits, Ordering::Release);
    }

    pub(super) fn forget(&self) {
        self.0.store(0, Ordering::Release);
    }
}
