//! Sandboxes that are kept on disk are this process's until the last handle on them is closed.

use crate::PerProcess;
use crate::runtime::spawn;
use parking_lot::Mutex;
use sandshell::{LocalProvider, LocalSandbox, Result, Sandbox};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// What all handles on such a sandbox share.
#[derive(Debug)]
struct Shared {
    provider: LocalProvider,
    sandbox: Arc<LocalSandbox>,
    /// How many of the handles are not closed.
    open: AtomicUsize,
}

/// By the address of their sandbox: while one is there, nothing else has that address.
static SHARED: PerProcess<Mutex<HashMap<usize, Weak<Shared>>>> = PerProcess::new();

/// A handle's part.
#[derive(Debug)]
pub(crate) struct Lease {
    shared: Arc<Shared>,
    closed: AtomicBool,
}

impl Lease {
    /// The lease of a handle on this sandbox; `None` if it is only in memory.
    pub(crate) fn of(provider: &LocalProvider, sandbox: &Arc<LocalSandbox>) -> Option<Self> {
        if !sandbox.is_kept() {
            return None;
        }
        let mut all = SHARED.get_or_init(Mutex::default).lock();
        all.retain(|_, shared| shared.strong_count() > 0);
        let known = all.entry(Arc::as_ptr(sandbox).addr()).or_default();
        let shared = known.upgrade().unwrap_or_else(|| {
            let (provider, sandbox) = (provider.clone(), sandbox.clone());
            let shared = Arc::new(Shared { provider, sandbox, open: AtomicUsize::new(0) });
            *known = Arc::downgrade(&shared);
            shared
        });
        shared.open.fetch_add(1, Ordering::AcqRel);
        Some(Self { shared, closed: AtomicBool::new(false) })
    }

    /// Closes the handle, which may have been used again after it was closed. Other processes can use the sandbox when
    /// all are closed.
    pub(crate) async fn close(&self) -> Result<()> {
        if self.is_last() { self.shared.provider.release(self.shared.sandbox.id()).await } else { Ok(()) }
    }

    fn is_last(&self) -> bool {
        if !self.closed.swap(true, Ordering::AcqRel) {
            self.shared.open.fetch_sub(1, Ordering::AcqRel);
        }
        self.shared.open.load(Ordering::Acquire) == 0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.is_last() {
            let shared = self.shared.clone();
            // What could not be stored is tried again by the next call; who needs the error uses `close`.
            spawn(async move { drop(shared.provider.release(shared.sandbox.id()).await) });
        }
    }
}
