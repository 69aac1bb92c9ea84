//! Durations, which are numbers of seconds in the bindings.

use sandshell::{Error, Result};
use std::time::Duration;

/// Converts a timeout in seconds; zero means no limit.
///
/// # Errors
/// `InvalidRequest` for a negative number or NaN.
pub fn duration(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| Error::invalid_request(format!("the timeout {seconds} is not a number of seconds")))
}
