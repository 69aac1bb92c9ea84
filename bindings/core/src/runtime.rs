//! The one asynchronous runtime of the process.

use std::io;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

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
    Ok(RUNTIME.get_or_init(|| made))
}

/// A runtime as sandboxes need it, for those who keep it themselves.
///
/// At least two workers: a guest that spins must not stop what watches its deadline.
///
/// # Errors
/// The host's, if it gives no threads.
pub fn build_runtime() -> io::Result<Runtime> {
    let workers = std::thread::available_parallelism().map_or(2, |cpus| cpus.get().max(2));
    Builder::new_multi_thread().worker_threads(workers).thread_name("sandshell").enable_all().build()
}
