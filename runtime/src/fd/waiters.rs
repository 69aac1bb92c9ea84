//! Tasks that wait for an object to change.

use std::task::Waker;

use crate::handoff;

/// Those who wait. A task that asks again waits once, so that a program that polls without end costs nothing.
#[derive(Default)]
pub(super) struct Waiters(Vec<Waker>);

impl Waiters {
    pub(super) fn add(&mut self, waker: &Waker) {
        if !self.0.iter().any(|known| known.will_wake(waker)) {
            self.0.push(waker.clone());
        }
    }

    /// Wakes all. What is woken is also offered to other threads (`handoff.rs`).
    pub(super) fn wake_all(&mut self) {
        if !self.0.is_empty() {
            handoff::woke();
        }
        for waker in self.0.drain(..) {
            waker.wake();
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}
