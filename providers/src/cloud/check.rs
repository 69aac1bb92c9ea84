//! What is known of a request before anything is sent.

pub(crate) use crate::execute::check as check_command;

use std::time::Duration;

use super::bounded;
use crate::{ExecuteRequest, FileError};

/// The time that a command may take, if it is limited.
pub(crate) fn time_limit(request: &ExecuteRequest) -> Option<Duration> {
    request.timeout.filter(|timeout| !timeout.is_zero()).map(bounded)
}

/// What no sandbox accepts as the path of a file.
pub(crate) fn check_path(path: &str) -> Result<(), FileError> {
    if path.starts_with('/') && !path.contains('\0') { Ok(()) } else { Err(FileError::InvalidPath) }
}
