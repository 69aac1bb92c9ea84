//! Times of files.

use std::time::{Duration, SystemTime};

/// The time this many seconds after the start of 1970, or before it if negative.
pub fn whole_seconds(seconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}
