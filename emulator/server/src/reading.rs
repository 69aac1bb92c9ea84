//! Whether clients read the answers that they asked for.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::body::SLOWEST;

tokio::task_local! {
    /// Of the answer that this task sends.
    static READING: Arc<Reading>;
}

/// How a client reads the answers of a connection that are sent one after the other.
#[derive(Debug)]
pub(super) struct Reading {
    longest: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Since when the client has to read something before more can be sent.
    since: Option<Instant>,
    /// For how long it is waited for.
    left: Duration,
}

/// Runs what sends one answer of many at the same time, until its client has not read it for too long. Dropping it ends
/// that answer alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attended(pub(super) Duration);

impl<F> hyper::rt::Executor<F> for Attended
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, sending: F) {
        let reading = Reading::new(self.0);
        let attended = reading.clone();
        tokio::spawn(READING.scope(reading, async move {
            tokio::select! {
                _ = sending => {}
                () = attended.timed_out() => {}
            }
        }));
    }
}

impl Reading {
    pub(super) fn new(longest: Duration) -> Arc<Self> {
        let state = Mutex::new(State { since: None, left: longest });
        Arc::new(Self { longest, state })
    }

    /// That of the task which sends one answer; `otherwise` if it sends all of a connection.
    pub(super) fn here(otherwise: &Arc<Self>) -> Arc<Self> {
        READING.try_with(Arc::clone).unwrap_or_else(|_| otherwise.clone())
    }

    /// An answer begins: the client has to read.
    pub(super) fn begins(&self) {
        let mut state = self.lock();
        (state.since, state.left) = (Some(Instant::now()), self.longest);
    }

    /// The client has read what it was sent before: `bytes` of an answer that lies ready as a whole, which have to be
    /// some in each second, or anything of one that comes bit by bit.
    pub(super) fn goes_on(&self, bytes: Option<usize>) {
        let mut state = self.lock();
        let Some(since) = state.since.take() else { return };
        state.left = match bytes {
            None => self.longest,
            Some(bytes) => {
                let gained = Duration::from_secs(1) * u32::try_from(bytes).unwrap_or(u32::MAX) / SLOWEST;
                self.longest.min(state.left.saturating_sub(since.elapsed()) + gained)
            }
        };
    }

    /// Something is sent that the client has to read.
    pub(super) fn waits(&self) {
        self.lock().since = Some(Instant::now());
    }

    /// Nothing is sent.
    pub(super) fn ends(&self) {
        self.lock().since = None;
    }

    /// Ends when it was waited for the client for too long.
    pub(super) async fn timed_out(&self) {
        loop {
            let left = {
                let state = self.lock();
                state.since.map(|since| state.left.saturating_sub(since.elapsed()))
            };
            let look = self.longest / 8;
            match left {
                Some(Duration::ZERO) => return,
                // It may be less when it is looked at again, after a pause in which there was nothing to read.
                left => sleep(left.unwrap_or(look).min(look).max(Duration::from_millis(1))).await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
