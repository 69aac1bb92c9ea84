//! Errors. The first line of the message is the error's name, which JavaScript reads.

use napi::{Error, Status};
use sandshell_bindings::sandshell::{Error as LibraryError, FileOperationError};
use sandshell_bindings::{failure_name, kind_name};

pub(crate) fn to_js(error: LibraryError) -> Error {
    named(kind_name(error.kind()), &error)
}

pub(crate) fn file_to_js(error: FileOperationError) -> Error {
    match error {
        FileOperationError::Sandbox(error) => to_js(error),
        error => named(&format!("file:{}", error.reason().map_or("other", failure_name)), &error),
    }
}

fn named(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Status::GenericFailure, format!("{name}\n{error}"))
}
