//! The two ways in which Python waits.

use crate::bridge;
use crate::errors::to_py;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use sandshell_bindings::{generation, runtime};
use std::pin::pin;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long a signal such as Ctrl-C may wait for a call that blocks.
const SIGNALS: Duration = Duration::from_millis(50);

/// Waits here, without the interpreter's lock. A signal handler that raises ends the work.
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
                // A handler has forked, and this is the child: what is waited for goes on in the parent.
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

/// An awaitable of what does not wait for anything but may take long: it runs on a thread of its own, to its end.
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

/// Runs what does not wait for anything but may take long.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> sandshell_bindings::sandshell::Result<T> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(to_py)
}
