//! Awaitables of a Python event loop for work on the runtime's threads.
//!
//! The crate `pyo3-async-runtimes` does this too, but it also delivers results while the interpreter ends, which
//! crashes the process.

use crate::interpreter;
use futures_util::FutureExt;
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use std::panic::AssertUnwindSafe;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A future of the running event loop. Cancelling it drops the work. A panic in the work becomes its exception.
pub(crate) fn future<'py, T>(
    py: Python<'py>,
    runtime: &'static Runtime,
    work: impl Future<Output = PyResult<T>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>>
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    let event_loop = py.import(intern!(py, "asyncio"))?.call_method0(intern!(py, "get_running_loop"))?;
    let future = event_loop.call_method0(intern!(py, "create_future"))?;
    let (done, is_done) = oneshot::channel();
    future.call_method1(intern!(py, "add_done_callback"), (Done(Some(done)),))?;
    let (event_loop, waiting) = (event_loop.unbind(), future.clone().unbind());
    runtime.spawn(async move {
        let result = tokio::select! {
            biased;
            _ = is_done => return,
            result = AssertUnwindSafe(work).catch_unwind() => result,
        };
        let result = result.unwrap_or_else(|_| Err(PanicException::new_err("the native part panicked")));
        // Waiting for the interpreter's lock must not block the runtime's other work.
        runtime.spawn_blocking(move || {
            interpreter::attach(|py| {
                let result = result.and_then(|value| value.into_py_any(py));
                let settle = Settle { waiting, result: Some(result) };
                // This fails if the loop is closed; then nobody waits.
                drop(event_loop.call_method1(py, intern!(py, "call_soon_threadsafe"), (settle,)));
                drop(event_loop);
            })
        });
    });
    Ok(future)
}

/// The callback of a future that is done or cancelled.
#[pyclass]
struct Done(Option<oneshot::Sender<()>>);

#[pymethods]
impl Done {
    fn __call__(&mut self, _future: &Bound<'_, PyAny>) {
        if let Some(done) = self.0.take() {
            // This fails if the work has already ended.
            let _ = done.send(());
        }
    }
}

/// The callback, on the loop's own thread, that sets a future's result.
#[pyclass]
struct Settle {
    waiting: Py<PyAny>,
    result: Option<PyResult<Py<PyAny>>>,
}

#[pymethods]
impl Settle {
    fn __call__(&mut self, py: Python<'_>) -> PyResult<()> {
        let future = self.waiting.bind(py);
        if future.call_method0(intern!(py, "done"))?.is_truthy()? {
            return Ok(());
        }
        match self.result.take() {
            Some(Ok(value)) => future.call_method1(intern!(py, "set_result"), (value,))?,
            Some(Err(error)) => future.call_method1(intern!(py, "set_exception"), (error,))?,
            None => return Ok(()),
        };
        Ok(())
    }
}
