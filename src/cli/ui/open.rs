//! Which sandboxes are open, and since when nobody has used them.

use sandshell::LocalSandbox;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Used = (Arc<LocalSandbox>, Instant);

#[derive(Default)]
pub(super) struct Open(Mutex<HashMap<String, Used>>);

impl Open {
    pub(super) fn get(&self, id: &str) -> Option<Arc<LocalSandbox>> {
        self.all().get(id).map(|(sandbox, _)| sandbox.clone())
    }

    pub(super) fn used(&self, id: &str, sandbox: &Arc<LocalSandbox>) {
        self.all().insert(id.to_owned(), (sandbox.clone(), Instant::now()));
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<LocalSandbox>> {
        self.all().remove(id).map(|(sandbox, _)| sandbox)
    }

    /// Those that nobody has used for so long.
    pub(super) fn idle(&self, time: Duration) -> Vec<String> {
        let all = self.all();
        all.iter().filter(|(_, (_, used))| used.elapsed() >= time).map(|(id, _)| id.clone()).collect()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Used>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
