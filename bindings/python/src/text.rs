//! Conversion of Python's text and bytes.
//!
//! In Python, a name that is not UTF-8 is a `str` with surrogates (`os.fsdecode`). In the library, it has
//! private-use characters instead ([`names`]).

use bytes::Bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use sandshell_bindings::sandshell::names;

/// A `str`, in both directions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(pub(crate) String);

/// A `str` that is not a name, so it must be valid UTF-8.
pub(crate) struct Plain(pub(crate) String);

/// The content of a file or of standard input.
pub(crate) struct Content(pub(crate) Bytes);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(text) = value.cast::<PyString>() else { return Err(wrong("str", &value)) };
        match text.to_cow() {
            Ok(text) if !names::is_escaped(&text) => Ok(Self(text.into_owned())),
            Ok(text) => Ok(Self(names::text(text.as_bytes()).into_owned())),
            Err(_) => {
                let bytes = text.call_method1(intern!(text.py(), "encode"), ("utf-8", "surrogateescape"));
                let bytes = bytes
                    .map_err(|_| PyValueError::new_err("text with a surrogate that stands for no byte"))?;
                Ok(Self(names::text(bytes.cast::<PyBytes>()?.as_bytes()).into_owned()))
            }
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Plain {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(text) = value.cast::<PyString>() else { return Err(wrong("str", &value)) };
        let text =
            text.to_cow().map_err(|_| PyValueError::new_err("text with a surrogate is no text of a file"))?;
        Ok(Self(text.into_owned()))
    }
}

impl<'py> IntoPyObject<'py> for &Text {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        if !names::is_escaped(&self.0) {
            return Ok(PyString::new(py, &self.0).into_any());
        }
        let bytes = PyBytes::new(py, &names::bytes(&self.0));
        bytes.call_method1(intern!(py, "decode"), ("utf-8", "surrogateescape"))
    }
}

impl<'py> IntoPyObject<'py> for Text {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        (&self).into_pyobject(py)
    }
}

impl<'py> FromPyObject<'_, 'py> for Content {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let bytes = value.extract::<PyBackedBytes>().map_err(|_| wrong("str or bytes", &value))?;
        Ok(Self(Bytes::copy_from_slice(&bytes)))
    }
}

/// Converts a text to the encoding of the native part's options.
#[pyfunction]
pub(crate) fn escaped(text: Text) -> String {
    text.0
}

fn wrong(expected: &str, found: &Borrowed<'_, '_, PyAny>) -> PyErr {
    let found = found.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected {expected}, not {found}"))
}
