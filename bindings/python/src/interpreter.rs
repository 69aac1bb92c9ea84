//! Access to the interpreter for threads that Python did not create. It is denied while the interpreter ends.

use parking_lot::RwLock;
use pyo3::prelude::*;
use sandshell_bindings::PerProcess;
use std::time::Duration;

/// Whether the interpreter is about to end. Threads hold the lock for reading while they use the interpreter, so
/// that its end waits for them. A forked child does not wait for threads of its parent.
static ENDING: PerProcess<RwLock<bool>> = PerProcess::new();

/// Runs `work` with the interpreter. Returns `None` if the interpreter is ending: waiting for its lock would then
/// end this thread and with it the process.
pub(crate) fn attach<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    // A thread with the interpreter's lock must not wait here: the ending thread waits for others that need that
    // lock.
    let ending = ENDING.get_or_init(RwLock::default).read_recursive();
    (!*ending).then(|| Python::attach(work))
}

/// Registers a function that Python calls at its end, before it shuts down.
pub(crate) fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end, module)?,))?;
    Ok(())
}

/// How long the interpreter's end waits for threads that use it.
const PATIENCE: Duration = Duration::from_secs(5);

#[pyfunction]
fn end(py: Python<'_>) {
    py.detach(|| {
        if let Some(mut ending) = ENDING.get_or_init(RwLock::default).try_write_for(PATIENCE) {
            *ending = true;
        }
    });
}
