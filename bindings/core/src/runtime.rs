//! The one asynchronous runtime of the process.

use std::io;
use std::sync::OnceLock;
use tokio::runtime::{Builder, EnterGuard, Handle, Runtime};

/// Of the runtime that was made first, whoever keeps it.
static HANDLE: OnceLock<Handle> = OnceLock::new();

/// The runtime, started at first use and never stopped.
///
/// # Errors
/// The host's, if it gives no threads.
pub fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let made = build_runtime()?;
    // Of two that were made at once one is dropped, unused.
    let runtime = RUNTIME.get_or_init(|| made);
    HANDLE.get_or_init(|| runtime.handle().clone());
    Ok(runtime)
}

/// A runtime as sandboxes need it, for those who keep it until the process ends: nothing makes another one then.
///
/// # Errors
/// The host's, if it gives no threads.
pub fn lasting_runtime() -> io::Result<Runtime> {
    let made = build_runtime()?;
    HANDLE.get_or_init(|| made.handle().clone());
    Ok(made)
}

/// Lets this thread begin what the runtime goes on with, if there is one.
pub(crate) fn entered() -> Option<EnterGuard<'static>> {
    HANDLE.get().map(Handle::enter)
}

/// Lets work go on for which nobody waits, unless there is no runtime.
pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) {
    if let Some(handle) = HANDLE.get() {
        handle.spawn(work);
    }
}

/// At least two workers: a guest that spins must not stop what watches its deadline.
fn build_runtime() -> io::Result<Runtime> {
    let workers = std::thread::available_parallelism().map_or(2, |cpus| cpus.get().max(2));
    Builder::new_multi_thread().worker_threads(workers).thread_name("sandshell").enable_all().build()
}
