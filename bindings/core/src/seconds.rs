//! Durations, which both languages write as numbers.

use sandshell::{Error, Result};
use std::time::Duration;

/// A timeout in seconds; zero means none.
///
/// # Errors
/// `InvalidRequest` for a negative number and what is none.
pub fn duration(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| Error::invalid_request(format!("the timeout {seconds} is not a number of seconds")))
}
