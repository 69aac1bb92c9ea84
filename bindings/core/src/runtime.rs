//! The one asynchronous runtime of the process.

use crate::PerProcess;
use parking_lot::RwLock;
use std::io;
use tokio::runtime::{Builder, Handle, Runtime};

/// Of the runtime that is in use, whoever keeps it.
static HANDLE: PerProcess<RwLock<Option<Handle>>> = PerProcess::new();

/// The runtime, started at first use and never stopped. A forked child starts its own.
///
/// # Errors
/// The host's, if it gives no threads.
pub fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: PerProcess<Runtime> = PerProcess::new();
    // Of two that were made at once one is dropped, unused.
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = RUNTIME.get_or_try_init(build_runtime)?;
    adopt(runtime.handle().clone());
    Ok(runtime)
}

/// A runtime as sandboxes need it, for those who keep one themselves.
///
/// # Errors
/// The host's, if it gives no threads.
pub fn lasting_runtime() -> io::Result<Runtime> {
    let made = build_runtime()?;
    adopt(made.handle().clone());
    Ok(made)
}

/// Uses this runtime from now on: whoever keeps it has stopped the one before.
pub fn adopt(handle: Handle) {
    *HANDLE.get_or_init(RwLock::default).write() = Some(handle);
}

/// The runtime that is in use, if there is one.
pub(crate) fn in_use() -> Option<Handle> {
    HANDLE.get()?.read().clone()
}

/// Lets work go on for which nobody waits, unless there is no runtime.
pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) {
    if let Some(handle) = in_use() {
        handle.spawn(work);
    }
}

/// At least two workers: a guest that spins must not stop what watches its deadline.
fn build_runtime() -> io::Result<Runtime> {
    let workers = std::thread::available_parallelism().map_or(2, |cpus| cpus.get().max(2));
    Builder::new_multi_thread().worker_threads(workers).thread_name("sandshell").enable_all().build()
}
