//! The instructions that a process has executed, where code is compiled to be metered.

use std::sync::atomic::{AtomicU64, Ordering};

/// A process's instructions.
#[derive(Default)]
pub(crate) struct Meter {
    /// All that are settled.
    settled: AtomicU64,
    /// Those of the programs before the one that it executes.
    before: AtomicU64,
    /// Full intervals of the program that it executes.
    intervals: AtomicU64,
}

impl Meter {
    /// Instructions that are settled.
    pub(crate) fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }

    /// Another program begins.
    pub(crate) fn begin(&self) {
        self.before.store(self.settled(), Ordering::Relaxed);
        self.intervals.store(0, Ordering::Relaxed);
    }

    /// Another interval of `length` instructions is over: settles as [`settle`](Self::settle) does.
    pub(crate) fn settle_interval(&self, length: u64) -> u64 {
        let intervals = self.intervals.fetch_add(1, Ordering::Relaxed) + 1;
        self.settle(intervals.saturating_mul(length))
    }

    /// Settles that the program has executed `used` instructions, and returns those that were not settled before.
    pub(crate) fn settle(&self, used: u64) -> u64 {
        let total = self.before.load(Ordering::Relaxed).saturating_add(used);
        let settled = self.settled.fetch_max(total, Ordering::Relaxed);
        total.saturating_sub(settled)
    }
}
