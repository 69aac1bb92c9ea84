//! Errors as exceptions.

use crate::interpreter::attach;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use sandshell_bindings::sandshell::{Error, ErrorKind, FileOperationError as Failed};
use sandshell_bindings::{failure_name, kind_name};

create_exception!(sandshell, SandboxError, PyException, "A call could not be carried out; `kind` says why.");
create_exception!(
    sandshell,
    FileOperationError,
    SandboxError,
    "A file operation is not possible; `reason` says why, in one word."
);

/// An error of the library: `ValueError` for a wrong argument, otherwise `SandboxError`.
pub(crate) fn to_py(error: Error) -> PyErr {
    if error.kind() == ErrorKind::InvalidRequest {
        return PyValueError::new_err(error.to_string());
    }
    with(SandboxError::new_err(error.to_string()), "kind", kind_name(error.kind()))
}

/// A failed file operation.
pub(crate) fn file_to_py(error: Failed) -> PyErr {
    match error {
        Failed::Sandbox(error) => to_py(error),
        error => {
            let reason = error.reason().map_or("other", failure_name);
            let error = with(FileOperationError::new_err(error.to_string()), "reason", reason);
            with(error, "kind", "file_operation")
        }
    }
}

fn with(error: PyErr, name: &str, value: &str) -> PyErr {
    let set = attach(|py| error.value(py).setattr(name, value));
    // If the interpreter is ending, nobody reads the attribute.
    set.and_then(Result::err).unwrap_or(error)
}
