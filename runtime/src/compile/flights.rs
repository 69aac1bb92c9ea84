//! Compilations in progress: a second request for the same code waits for the first.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use sandshell_codegen::Metering;
use tokio::sync::Notify;

use super::{Failure, Result};
use crate::error::Errno;
use crate::program::Program;

/// Identifies what is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) metering: Metering,
    pub(super) hash: [u8; 32],
}

#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<Key, Arc<Flight>>>);

/// One compilation.
#[derive(Default)]
pub(super) struct Flight {
    result: Mutex<Option<Result<Program>>>,
    done: Condvar,
    notify: Notify,
}

/// Whether the caller compiles or waits.
pub(super) enum Role {
    Leader(Leader),
    Follower(Arc<Flight>),
}

/// Held by the caller that compiles. If it is dropped without a result, as after a panic, the compilation has failed.
pub(super) struct Leader {
    flights: Arc<Flights>,
    key: Key,
    flight: Arc<Flight>,
}

impl Flights {
    pub(super) fn join(self: &Arc<Self>, key: Key) -> Role {
        let mut flights = self.0.lock();
        if let Some(flight) = flights.get(&key) {
            return Role::Follower(flight.clone());
        }
        let flight = Arc::<Flight>::default();
        flights.insert(key, flight.clone());
        Role::Leader(Leader { flights: self.clone(), key, flight })
    }
}

impl Leader {
    pub(super) fn flight(&self) -> Arc<Flight> {
        self.flight.clone()
    }

    pub(super) fn finish(self, result: Result<Program>) -> Result<Program> {
        *self.flight.result.lock() = Some(result.clone());
        result
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.flights.0.lock().remove(&self.key);
        self.flight.result.lock().get_or_insert(Err(Failure::Errno(Errno::NOEXEC)));
        self.flight.done.notify_all();
        self.flight.notify.notify_waiters();
    }
}

impl Flight {
    /// Blocks this thread until there is a result.
    pub(super) fn wait(&self) -> Result<Program> {
        let mut result = self.result.lock();
        loop {
            match &*result {
                Some(result) => return result.clone(),
                None => self.done.wait(&mut result),
            }
        }
    }

    /// Waits for the result.
    pub(super) async fn waited(&self) -> Result<Program> {
        loop {
            let mut notified = pin!(self.notify.notified());
            notified.as_mut().enable();
            if let Some(result) = &*self.result.lock() {
                return result.clone();
            }
            notified.await;
        }
    }
}
