//! Limits how many commands of one sandbox run at the same time.
//!
//! Each command needs several processes, and a sandbox has a limit of processes. With hundreds of commands at once
//! the sandbox would be full: some would fail to start, others in the middle of a pipeline. So only one command for
//! each eight processes of the limit runs at a time, and the others wait in order of arrival.
//!
//! A running command may depend on one that still waits, for example for the other end of a FIFO. So the first
//! command in the queue waits for a second, and then starts anyway if the running commands use at most half of the
//! processes. In this way, commands that depend on each other all start, one second apart, as long as there is room
//! for them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

/// How many processes of the limit each running command is counted with.
const PROCESSES_EACH: u32 = 8;
/// How long the first in the queue waits for a place before it may start in addition to the others.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a full sandbox is checked for room.
const PAUSE: Duration = Duration::from_millis(10);

pub(super) struct Queue {
    limit: u32,
    size: usize,
    patience: Duration,
    places: Arc<Semaphore>,
    /// Held by the first in the queue. This mutex is fair, so the others wait in order of arrival.
    first: Mutex<()>,
}

/// A command's turn. It ends on drop.
pub(super) struct Turn {
    _place: Option<OwnedSemaphorePermit>,
}

impl Queue {
    pub(super) fn new(processes: u32) -> Self {
        Self::with(processes, PATIENCE)
    }

    fn with(processes: u32, patience: Duration) -> Self {
        let size = (processes / PROCESSES_EACH).max(1) as usize;
        let places = Arc::new(Semaphore::new(size));
        Self { limit: processes, size, patience, places, first: Mutex::default() }
    }

    /// How many commands may run at a time.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns a turn without waiting, if there is room and nobody waits.
    pub(super) fn at_once(&self, processes: usize) -> Option<Turn> {
        let _first = self.first.try_lock().ok()?;
        if processes >= self.limit as usize && !self.is_idle() {
            return None;
        }
        let place = self.places.clone().try_acquire_owned().ok()?;
        Some(Turn { _place: Some(place) })
    }

    /// Waits for a turn. `processes` returns how many processes there are.
    pub(super) async fn turn(&self, processes: impl Fn() -> usize) -> Turn {
        let limit = self.limit as usize;
        let _first = self.first.lock().await;
        let turn = loop {
            match timeout(self.patience, self.places.clone().acquire_owned()).await {
                Ok(place) => break Turn { _place: place.ok() },
                Err(_) if processes() < limit / 2 => break Turn { _place: None },
                Err(_) => {}
            }
        };
        // A place is free, but processes fill the sandbox. If no command is running, these are background processes
        // that will not end soon; then starting the command reports the error.
        while processes() >= limit && self.places.available_permits() + 1 < self.size {
            sleep(PAUSE).await;
        }
        turn
    }

    fn is_idle(&self) -> bool {
        self.places.available_permits() == self.size
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn turns_are_taken_in_order() {
        let queue = Arc::new(Queue::with(16, SHORT));
        let (one, two) = (queue.at_once(0).expect("free"), queue.at_once(0).expect("free"));
        assert!(queue.at_once(0).is_none());
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = (0..3)
            .map(|number| {
                let (queue, order) = (queue.clone(), order.clone());
                tokio::spawn(async move {
                    let turn = queue.turn(|| 9).await;
                    order.lock().await.push(number);
                    drop(turn);
                })
            })
            .collect();
        // They must be in the queue before new ones come.
        sleep(SHORT * 10).await;
        assert!(order.lock().await.is_empty());
        drop(one);
        for task in waiting {
            task.await.expect("its turn");
        }
        assert_eq!(*order.lock().await, [0, 1, 2]);
        drop(two);
        assert!(queue.is_idle() && queue.at_once(0).is_some());
    }

    #[tokio::test]
    async fn who_waits_for_others_in_the_queue_meets_them_if_there_is_room() {
        let queue = Queue::with(16, SHORT);
        let _held = (queue.at_once(0), queue.at_once(0));
        let _beside = (queue.turn(|| 2).await, queue.turn(|| 3).await);
        assert!(timeout(SHORT * 10, queue.turn(|| 8)).await.is_err());
    }

    #[tokio::test]
    async fn a_full_sandbox_is_waited_for_unless_nothing_runs_in_it() {
        let queue = Queue::with(16, SHORT);
        // The sandbox is filled with background processes, so the turn comes at once and starting the command
        // fails.
        drop(queue.turn(|| 16).await);
        drop(queue.at_once(16).expect("an error to come"));
        let _running = queue.at_once(0);
        assert!(queue.at_once(16).is_none());
        let left = AtomicUsize::new(20);
        drop(queue.turn(|| left.fetch_sub(1, Ordering::Relaxed)).await);
        assert_eq!(left.load(Ordering::Relaxed), 14);
    }

    #[test]
    fn there_is_always_a_turn() {
        assert_eq!([0, 1, 8, 20, 256].map(|processes| Queue::new(processes).size()), [1, 1, 1, 2, 32]);
    }
}
