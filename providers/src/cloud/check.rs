//! Checks of a request before anything is sent.

pub(crate) use crate::execute::check as check_command;

use std::time::Duration;

use super::bounded;
use crate::{ExecuteRequest, FileError};

/// The time limit of a command, if it has one.
pub(crate) fn time_limit(request: &ExecuteRequest) -> Option<Duration> {
    request.timeout.filter(|timeout| !timeout.is_zero()).map(bounded)
}

/// Refuses file paths that no sandbox accepts.
pub(crate) fn check_path(path: &str) -> Result<(), FileError> {
    if path.starts_with('/') && !path.contains('\0') { Ok(()) } else { Err(FileError::InvalidPath) }
}
