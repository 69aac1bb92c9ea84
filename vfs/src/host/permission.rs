//! What is remembered for a moment of who may search a directory.
//!
//! The superuser's kernel refuses nothing, so that the bits of a directory are looked at here for each name below it:
//! a system call more for each file of a tree. Remembered, it is one for each directory and tick of the clock (some
//! milliseconds). Changes made through any [`HostDir`](super::HostDir) of this program end the moment at once; those of
//! other programs of the host are seen by the next tick.

use super::node::{OTHERS, OWN};
use crate::Metadata;
use std::sync::atomic::{AtomicU64, Ordering};

/// Mode and owners of one directory, and the moment they are of. Zero is nothing known.
#[derive(Default)]
pub(super) struct Permission(AtomicU64);

/// Changes of who may search a directory so far, in all directories of the host.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Bits of a remembered entry below the moment: a mark, whether user and group are the sandbox's own, twelve of mode.
const BITS: u32 = 15;

/// A number that grows with each tick of the clock and each change made here, and is otherwise the same.
///
/// Ask before looking at the directory: what a change meanwhile makes old is then not believed.
pub(super) fn moment() -> u64 {
    // Both only grow, so that the sum stays only while both stay.
    tick().wrapping_add(changes()) << BITS
}

/// Milliseconds by a clock that goes on in ticks.
pub(super) fn tick() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::MonotonicCoarse);
    u64::try_from(now.tv_sec).unwrap_or_default() * 1000
        + u64::try_from(now.tv_nsec).unwrap_or_default() / 1_000_000
}

/// How often [`changed`] was called.
pub(super) fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// Call after changing who may search a directory.
pub(super) fn changed() {
    CHANGES.fetch_add(1, Ordering::Release);
}

impl Permission {
    /// Mode, user and group as of `moment`, if they were looked at then.
    pub(super) fn get(&self, moment: u64) -> Option<(u32, u32, u32)> {
        let entry = self.0.load(Ordering::Acquire);
        let own = |bit: u32| if entry >> bit & 1 == 1 { OWN } else { OTHERS };
        let known = entry >> BITS == moment >> BITS && entry & 1 == 1;
        known.then(|| ((entry >> 3) as u32 & 0o7777, own(1), own(2)))
    }

    /// Remembers what was looked at after `moment`.
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
