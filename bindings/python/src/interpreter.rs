//! The interpreter, as threads that are not Python's reach it: not while it ends.

use parking_lot::RwLock;
use pyo3::prelude::*;
use sandshell_bindings::PerProcess;
use std::time::Duration;

/// Whether the interpreter is about to end. Held for reading by who uses it, so that its end waits for them. A forked child
/// waits for none of its parent's.
static ENDING: PerProcess<RwLock<bool>> = PerProcess::new();

/// Runs `work` with the interpreter. `None` when the interpreter ends: to wait for its lock then would end this thread,
/// and with it the process.
pub(crate) fn attach<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    // Whoever has the interpreter's lock must not wait for the end, which waits for others that want that lock.
    let ending = ENDING.get_or_init(RwLock::default).read_recursive();
    (!*ending).then(|| Python::attach(work))
}

/// Has Python tell when it ends, before it takes itself down.
pub(crate) fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end, module)?,))?;
    Ok(())
}

/// How long the interpreter's end waits for those who use it.
const PATIENCE: Duration = Duration::from_secs(5);

#[pyfunction]
fn end(py: Python<'_>) {
    py.detach(|| {
        if let Some(mut ending) = ENDING.get_or_init(RwLock::default).try_write_for(PATIENCE) {
            *ending = true;
        }
    });
}
