//! `sandshell._native`: the native part of the Python package. It only translates values; names and defaults are in
//! the Python part.

#![allow(clippy::too_many_arguments, reason = "Python's arguments are Rust's")]

mod answers;
mod bridge;
mod errors;
mod files;
mod interpreter;
mod provider;
mod sandbox;
mod text;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::answers::{
        DownloadResult, EditOutcome, ExecuteResult, FileInfo, GlobResult, GrepMatch, GrepResult, ReadResult,
        UploadResult,
    };
    #[pymodule_export]
    use super::errors::{FileOperationError, SandboxError};
    #[pymodule_export]
    use super::provider::{NativeProvider, ProviderInfo, SandboxInfo};
    #[pymodule_export]
    use super::sandbox::{NativeSandbox, NativeSnapshot};
    #[pymodule_export]
    use super::text::escaped;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::interpreter::watch(module)
    }
}
