//! Requests that are refused before anything is sent.

pub(crate) use crate::execute::check as check_command;

use crate::FileError;

/// What no sandbox accepts as the path of a file.
pub(crate) fn check_path(path: &str) -> Result<(), FileError> {
    if path.starts_with('/') && !path.contains('\0') { Ok(()) } else { Err(FileError::InvalidPath) }
}
