//! Compilations in progress: a second request for the same code waits for the first.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use sandshell_codegen::Metering;
use tokio::sync::Notify;

use super::failure::{Failure, Result};
use crate::error::Errno;
use crate::program::Program;

/// Identifies what is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) metering: Metering,
    pub(super) hash: [u8; 32],
}

#[derive(Default)]
pub(super) struct Compilations(Mutex<HashMap<Key, Arc<Compilation>>>);

/// One compilation.
#[derive(Default)]
pub(super) struct Compilation {
    result: Mutex<Option<Result<Program>>>,
    done: Condvar,
    notify: Notify,
}

/// Whether the caller compiles or waits.
pub(super) enum Role {
    Leader(Leader),
    Follower(Arc<Compilation>),
}

/// Held by the caller that compiles. If it is dropped without a result, as after a panic, the compilation has failed.
pub(super) struct Leader {
    compilations: Arc<Compilations>,
    key: Key,
    compilation: Arc<Compilation>,
}

impl Compilations {
    pub(super) fn join(self: &Arc<Self>, key: Key) -> Role {
        let mut compilations = self.0.lock();
        if let Some(compilation) = compilations.get(&key) {
            return Role::Follower(compilation.clone());
        }
        let compilation = Arc::<Compilation>::default();
        compilations.insert(key, compilation.clone());
        Role::Leader(Leader { compilations: self.clone(), key, compilation })
    }
}

impl Leader {
    pub(super) fn compilation(&self) -> Arc<Compilation> {
        self.compilation.clone()
    }

    pub(super) fn finish(self, result: Result<Program>) -> Result<Program> {
        *self.compilation.result.lock() = Some(result.clone());
        result
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.compilations.0.lock().remove(&self.key);
        self.compilation.result.lock().get_or_insert(Err(Failure::Errno(Errno::NOEXEC)));
        self.compilation.done.notify_all();
        self.compilation.notify.notify_waiters();
    }
}

impl Compilation {
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
    pub(super) async fn wait_async(&self) -> Result<Program> {
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
