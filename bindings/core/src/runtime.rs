//! The asynchronous runtime of the process.

use crate::PerProcess;
use parking_lot::RwLock;
use std::io;
use tokio::runtime::{Builder, Handle, Runtime};

/// A handle on the runtime in use, which may have another owner.
static HANDLE: PerProcess<RwLock<Option<Handle>>> = PerProcess::new();

/// The runtime, started at first use and never stopped. A forked child starts its own.
///
/// # Errors
/// The host's errors if it cannot create threads.
pub fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: PerProcess<Runtime> = PerProcess::new();
    // If two threads create one at the same time, one of the two is dropped unused.
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = RUNTIME.get_or_try_init(build_runtime)?;
    adopt(runtime.handle().clone());
    Ok(runtime)
}

/// A runtime with the settings that sandboxes need, for callers that own their runtime.
///
/// # Errors
/// The host's errors if it cannot create threads.
pub fn lasting_runtime() -> io::Result<Runtime> {
    let made = build_runtime()?;
    adopt(made.handle().clone());
    Ok(made)
}

/// Uses this runtime from now on. Its owner has stopped the previous one.
pub fn adopt(handle: Handle) {
    *HANDLE.get_or_init(RwLock::default).write() = Some(handle);
}

/// The runtime that is in use, if there is one.
pub(crate) fn in_use() -> Option<Handle> {
    HANDLE.get()?.read().clone()
}

/// Runs work in the background, if there is a runtime.
pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) {
    if let Some(handle) = in_use() {
        handle.spawn(work);
    }
}

/// Has at least two worker threads, so that a guest in an endless loop cannot block the task that watches its
/// deadline.
fn build_runtime() -> io::Result<Runtime> {
    let workers = std::thread::available_parallelism().map_or(2, |cpus| cpus.get().max(2));
    Builder::new_multi_thread().worker_threads(workers).thread_name("sandshell").enable_all().build()
}
