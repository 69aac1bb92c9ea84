//! Requests that are refused before anything is sent.

use crate::{Error, ExecuteRequest, FileError, Result};

/// What no sandbox accepts in a command.
pub(crate) fn check_command(request: &ExecuteRequest) -> Result<()> {
    if request.command.contains('\0') {
        return Err(Error::invalid_request("a command cannot contain NUL"));
    }
    if let Some(cwd) = request.cwd.as_ref().filter(|cwd| !cwd.starts_with('/') || cwd.contains('\0')) {
        return Err(Error::invalid_request(format!("the working directory {cwd:?} is not an absolute path")));
    }
    for (name, value) in &request.env {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(Error::invalid_request(format!("{name:?} cannot be a variable with this value")));
        }
    }
    Ok(())
}

/// What no sandbox accepts as the path of a file.
pub(crate) fn check_path(path: &str) -> Result<(), FileError> {
    if path.starts_with('/') && !path.contains('\0') { Ok(()) } else { Err(FileError::InvalidPath) }
}
