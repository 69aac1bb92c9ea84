//! The two ways in which Python waits: blocking and with awaitables.

use crate::bridge;
use crate::errors::to_py;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use sandshell_bindings::{generation, runtime};
use std::pin::pin;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often a blocking call checks for signals such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(50);

/// Blocks this thread, without the interpreter's lock. If a signal handler raises an exception, the work is
/// dropped.
pub(crate) fn block<T: Send>(py: Python<'_>, work: impl Future<Output = PyResult<T>> + Send) -> PyResult<T> {
    let runtime = running()?;
    let here = generation();
    py.detach(|| {
        runtime.block_on(async {
            let mut work = pin!(work);
            loop {
                tokio::select! {
                    biased;
                    done = &mut work => return done,
                    () = tokio::time::sleep(SIGNALS) => Python::attach(|py| py.check_signals())?,
                }
                // A signal handler has forked, and this is the child; the work goes on in the parent.
                if generation() != here {
                    return Err(PyRuntimeError::new_err(
                        "this process was forked from one that waits for the answer",
                    ));
                }
            }
        })
    })
}

/// An awaitable of the running event loop. Cancelling it drops the work, which stops a command.
pub(crate) fn awaitable<'py, T>(
    py: Python<'py>,
    work: impl Future<Output = PyResult<T>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>>
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    bridge::future(py, running()?, work)
}

/// An awaitable for synchronous work that may take long. The work runs to its end on a thread of its own.
pub(crate) fn aside<'py, T>(
    py: Python<'py>,
    work: impl FnOnce() -> sandshell_bindings::sandshell::Result<T> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>>
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    let runtime = running()?;
    awaitable(py, async move {
        let done = runtime.spawn_blocking(work).await;
        done.map_err(|error| PyOSError::new_err(error.to_string()))?.map_err(to_py)
    })
}

fn running() -> PyResult<&'static Runtime> {
    runtime().map_err(|error| PyOSError::new_err(error.to_string()))
}

/// Runs synchronous work that may take long, without the interpreter's lock.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> sandshell_bindings::sandshell::Result<T> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(to_py)
}
