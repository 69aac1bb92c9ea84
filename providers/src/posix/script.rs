//! Runs the scripts that file operations are made of.

use crate::{Error, ErrorKind, ExecuteRequest, Result, Sandbox};

/// The most output of a listing, in bytes. Longer output is an error, rather than a listing that is cut.
const MAX_LISTING_BYTES: u64 = 256 * 1024 * 1024;

/// Runs a script of this module. Its output is parsed, so output that was cut is an error.
pub(super) async fn run<S: Sandbox + ?Sized>(sandbox: &S, script: String) -> Result<String> {
    let mut request = ExecuteRequest::new(format!("LC_ALL=C; export LC_ALL\n{script}"));
    if sandbox.capabilities().max_output {
        request = request.max_output(MAX_LISTING_BYTES);
    }
    let response = sandbox.execute(request).await?;
    if response.truncated {
        return Err(Error::new(
            ErrorKind::QuotaExceeded,
            "the listing is longer than the sandbox's output limit",
        ));
    }
    if response.timed_out {
        return Err(Error::new(
            ErrorKind::DeadlineExceeded,
            "the command's time limit ended a file operation",
        ));
    }
    Ok(String::from_utf8_lossy(&response.output).into_owned())
}

/// The error for an answer that no sandbox gives.
pub(super) fn unexpected(what: &str) -> Error {
    Error::new(ErrorKind::Unexpected, format!("the sandbox gave {what}"))
}
