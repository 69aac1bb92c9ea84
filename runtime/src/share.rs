//! The slots of an engine's pool, and each sandbox's share of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::limits::Limit;

/// Tables in one slot; a component with more tables takes several slots.
pub(crate) const TABLES_PER_SLOT: u32 = 8;

/// The slots of an engine's pool. Each has a linear memory, a stack and tables.
pub(crate) struct SlotPool {
    free: AtomicU32,
    slots: u32,
    sandboxes: AtomicU32,
}

/// How many slots are reserved for each of the other sandboxes: enough for a command with a pipeline.
const RESERVED_PER_SANDBOX: u32 = 8;

/// One sandbox's share of the slots.
pub(crate) struct Share {
    pool: Arc<SlotPool>,
    taken: AtomicU32,
}

/// Slots that are taken until this is dropped.
pub(crate) struct Slots {
    share: Arc<Share>,
    slots: u32,
}

impl SlotPool {
    pub(crate) fn new(slots: u32) -> Arc<SlotPool> {
        Arc::new(SlotPool { free: AtomicU32::new(slots), slots, sandboxes: AtomicU32::new(0) })
    }

    /// A share for a new sandbox.
    pub(crate) fn share(self: &Arc<Self>) -> Arc<Share> {
        self.sandboxes.fetch_add(1, Ordering::Relaxed);
        Arc::new(Share { pool: self.clone(), taken: AtomicU32::new(0) })
    }
}

impl Share {
    /// Takes slots. A sandbox that has at most [`RESERVED_PER_SANDBOX`] is refused only if none are free. One that has
    /// more must leave [`RESERVED_PER_SANDBOX`] for each other sandbox, up to a quarter of all slots.
    pub(crate) fn take(self: &Arc<Self>, slots: u32) -> Result<Slots, Limit> {
        let pool = &self.pool;
        let own = self.taken.fetch_add(slots, Ordering::Relaxed) + slots;
        let others = pool.sandboxes.load(Ordering::Relaxed).saturating_sub(1);
        // At least one other is assumed, because a sandbox may exist that has not started anything yet.
        let reserved = if own <= RESERVED_PER_SANDBOX {
            0
        } else {
            others.max(1).saturating_mul(RESERVED_PER_SANDBOX).min(pool.slots / 4)
        };
        let taken = pool.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
            free.checked_sub(slots).filter(|left| *left >= reserved)
        });
        match taken {
            Ok(_) => Ok(Slots { share: self.clone(), slots }),
            Err(_) => {
                self.taken.fetch_sub(slots, Ordering::Relaxed);
                Err(Limit::AllProcesses(pool.slots))
            }
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        self.share.taken.fetch_sub(self.slots, Ordering::Relaxed);
        self.share.pool.free.fetch_add(self.slots, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.sandboxes.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{RESERVED_PER_SANDBOX, SlotPool};

    #[test]
    fn a_greedy_sandbox_leaves_room_for_others() {
        let pool = SlotPool::new(64);
        let greedy = pool.share();
        let alone: Vec<_> = std::iter::from_fn(|| greedy.take(1).ok()).collect();
        assert_eq!(alone.len(), 64 - RESERVED_PER_SANDBOX as usize);
        let modest = pool.share();
        let reserved: Vec<_> = std::iter::from_fn(|| modest.take(1).ok()).collect();
        assert_eq!(reserved.len(), RESERVED_PER_SANDBOX as usize);
        drop((alone, reserved));
        assert!(greedy.take(60).is_err(), "slots count, not processes");
        assert!(greedy.take(56).is_ok());
        let crowd: Vec<_> = (0..100).map(|_| pool.share()).collect();
        let taken: Vec<_> = std::iter::from_fn(|| greedy.take(1).ok()).collect();
        assert_eq!(taken.len(), 48, "never more than a quarter is reserved");
        drop(crowd);
    }
}
