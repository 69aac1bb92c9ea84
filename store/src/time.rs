//! Times as they are stored: milliseconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) fn now() -> i64 {
    time(SystemTime::now())
}

/// A time as a number. Times before 1970 count as that.
pub(crate) fn time(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn system(time: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(time).unwrap_or_default());
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}
