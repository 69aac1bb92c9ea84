//! The instructions that a process has executed, in metered code.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts a process's instructions.
#[derive(Default)]
pub(crate) struct Meter {
    /// Instructions that are settled.
    settled: AtomicU64,
    /// Instructions of programs that the process executed before the current one.
    before: AtomicU64,
    /// Full intervals of the current program.
    intervals: AtomicU64,
}

impl Meter {
    /// Instructions that are settled.
    pub(crate) fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }

    /// Starts counting for another program.
    pub(crate) fn begin(&self) {
        self.before.store(self.settled(), Ordering::Relaxed);
        self.intervals.store(0, Ordering::Relaxed);
    }

    /// As [`settle`](Self::settle), after another full interval of `length` instructions.
    pub(crate) fn settle_interval(&self, length: u64) -> u64 {
        let intervals = self.intervals.fetch_add(1, Ordering::Relaxed) + 1;
        self.settle(intervals.saturating_mul(length))
    }

    /// Records that the current program has executed `used` instructions in total, and returns how many of them are
    /// new.
    pub(crate) fn settle(&self, used: u64) -> u64 {
        let total = self.before.load(Ordering::Relaxed).saturating_add(used);
        let settled = self.settled.fetch_max(total, Ordering::Relaxed);
        total.saturating_sub(settled)
    }
}
