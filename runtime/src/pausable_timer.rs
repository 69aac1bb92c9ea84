//! A timer that can be paused. A command's time limit is paused while a pack is compiled: the pack was added by the
//! user, and no guest can prolong its compilation.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Counts the time of one command, except while it is paused.
#[derive(Default)]
pub(crate) struct PausableTimer {
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Default)]
struct State {
    /// Pauses that have not ended.
    waiting: u32,
    since: Option<Instant>,
    /// Total time of the pauses that have ended.
    total: Duration,
}

/// Pauses the timer while it lives.
pub(crate) struct Pause(Arc<PausableTimer>);

impl PausableTimer {
    pub(crate) fn pause(self: &Arc<Self>) -> Pause {
        let mut state = self.state.lock();
        state.waiting += 1;
        state.since.get_or_insert_with(Instant::now);
        drop(state);
        Pause(self.clone())
    }

    /// Sleeps until `time` has passed, not counting pauses.
    pub(crate) async fn sleep(&self, time: Duration) {
        let started = Instant::now();
        loop {
            let mut ended = pin!(self.ended.notified());
            ended.as_mut().enable();
            let (waiting, total) = {
                let state = self.state.lock();
                (state.waiting > 0, state.total)
            };
            if waiting {
                ended.await;
                continue;
            }
            match time.saturating_add(total).checked_sub(started.elapsed()) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.waiting -= 1;
        if state.waiting == 0 {
            if let Some(since) = state.since.take() {
                state.total += since.elapsed();
            }
            drop(state);
            self.0.ended.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn paused_time_is_not_counted() {
        let timer = Arc::<PausableTimer>::default();
        let sleeping = {
            let timer = timer.clone();
            tokio::spawn(async move { timer.sleep(Duration::from_millis(60)).await })
        };
        let (first, second) = (timer.pause(), timer.pause());
        tokio::time::sleep(Duration::from_millis(150)).await;
        drop(first);
        assert!(!sleeping.is_finished());
        drop(second);
        sleeping.await.unwrap();
    }
}
