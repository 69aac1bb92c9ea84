//! Times in answers.

use std::time::{Duration, SystemTime};

/// Formats a time as `2026-11-20T17:41:52.500Z`.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (days, in_day) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (in_day / 3600, in_day / 60 % 60, in_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// The time this long after 1970; 1970 if it cannot be represented.
pub(crate) fn since_1970(time: Duration) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(time).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Since 1970.
pub(crate) fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Since 1970.
pub(crate) fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The time this many seconds from now, at most a hundred years.
pub(crate) fn after(seconds: u64) -> SystemTime {
    SystemTime::now() + Duration::from_secs(seconds.min(100 * 366 * 86_400))
}

/// The Gregorian date this many days after 1970-01-01. The calculation treats March as the first month.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, in_era) = (days / 146_097, days % 146_097);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times() {
        let text = |milliseconds| rfc3339(SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds));
        assert_eq!(text(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(1_795_196_512_500), "2026-11-20T17:41:52.500Z");
        assert_eq!(text(1_709_164_800_000), "2024-02-29T00:00:00.000Z");
    }
}
