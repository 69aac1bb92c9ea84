//! The slots of an engine's pool, and each sandbox's share of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::limits::Limit;

/// The slots of an engine's pool. Each has a linear memory, a stack and tables.
pub(crate) struct Room {
    free: AtomicU32,
    places: u32,
    sandboxes: AtomicU32,
}

/// How many slots are reserved for each of the other sandboxes: enough for a command with a pipeline.
const KEPT: u32 = 8;

/// One sandbox's share of the slots.
pub(crate) struct Share {
    room: Arc<Room>,
    taken: AtomicU32,
}

/// Slots that are taken until this is dropped.
pub(crate) struct Slot {
    share: Arc<Share>,
    places: u32,
}

impl Room {
    pub(crate) fn new(places: u32) -> Arc<Room> {
        Arc::new(Room { free: AtomicU32::new(places), places, sandboxes: AtomicU32::new(0) })
    }

    /// A share for a new sandbox.
    pub(crate) fn share(self: &Arc<Self>) -> Arc<Share> {
        self.sandboxes.fetch_add(1, Ordering::Relaxed);
        Arc::new(Share { room: self.clone(), taken: AtomicU32::new(0) })
    }
}

impl Share {
    /// Takes slots. A sandbox that has at most [`KEPT`] is refused only if none are free. One that has more must leave
    /// [`KEPT`] for each other sandbox, up to a quarter of all slots.
    pub(crate) fn take(self: &Arc<Self>, places: u32) -> Result<Slot, Limit> {
        let room = &self.room;
        let own = self.taken.fetch_add(places, Ordering::Relaxed) + places;
        let others = room.sandboxes.load(Ordering::Relaxed).saturating_sub(1);
        // At least one other is assumed, because a sandbox may exist that has not started anything yet.
        let kept = if own <= KEPT { 0 } else { others.max(1).saturating_mul(KEPT).min(room.places / 4) };
        let taken = room.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
            free.checked_sub(places).filter(|left| *left >= kept)
        });
        match taken {
            Ok(_) => Ok(Slot { share: self.clone(), places }),
            Err(_) => {
                self.taken.fetch_sub(places, Ordering::Relaxed);
                Err(Limit::AllProcesses(room.places))
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.share.taken.fetch_sub(self.places, Ordering::Relaxed);
        self.share.room.free.fetch_add(self.places, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.sandboxes.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Room};

    #[test]
    fn a_greedy_sandbox_leaves_room_for_others() {
        let room = Room::new(64);
        let greedy = room.share();
        let alone: Vec<_> = std::iter::from_fn(|| greedy.take(1).ok()).collect();
        assert_eq!(alone.len(), 64 - KEPT as usize);
        let modest = room.share();
        let kept: Vec<_> = std::iter::from_fn(|| modest.take(1).ok()).collect();
        assert_eq!(kept.len(), KEPT as usize);
        drop((alone, kept));
        assert!(greedy.take(60).is_err(), "places count, not processes");
        assert!(greedy.take(56).is_ok());
        let crowd: Vec<_> = (0..100).map(|_| room.share()).collect();
        let taken: Vec<_> = std::iter::from_fn(|| greedy.take(1).ok()).collect();
        assert_eq!(taken.len(), 48, "never more than a quarter is kept");
        drop(crowd);
    }
}
