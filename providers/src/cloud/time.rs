//! Times from services and callers.

use std::time::{Duration, SystemTime};

/// A hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

/// Limits a duration from any source so that it can be added to the current time.
pub(crate) fn bounded(time: Duration) -> Duration {
    time.min(LONGEST)
}

/// Parses a time in the format of RFC 3339: `2026-11-20T17:41:52.5Z`, or with an offset.
pub(crate) fn parse_time(text: &str) -> Option<SystemTime> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, "Z"),
    };
    let mut clock = time.splitn(3, ':');
    let (hour, minute) = (clock.next()?.parse::<i64>().ok()?, clock.next()?.parse::<i64>().ok()?);
    let second = clock.next()?.parse::<f64>().ok()?;
    let fine = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fine || !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0.0..61.0).contains(&second) {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 - seconds_east(offset)?;
    let whole = u64::try_from(seconds).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(whole) + Duration::from_secs_f64(second))
}

/// `Z` or `+02:00`.
fn seconds_east(offset: &str) -> Option<i64> {
    let sign = match offset.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return Some(0),
    };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let (hours, minutes) = (hours.parse::<u8>().ok()?, minutes.parse::<u8>().ok()?);
    Some(sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// Days since 1970-01-01 in the Gregorian calendar. The calculation treats March as the first month.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<f64> {
        parse_time(text)?.duration_since(SystemTime::UNIX_EPOCH).ok().map(|time| time.as_secs_f64())
    }

    #[test]
    fn times_with_and_without_offsets() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(seconds("2026-11-20T17:41:52.5Z"), Some(1_795_196_512.5));
        assert_eq!(seconds("2026-11-20T19:41:52+02:00"), Some(1_795_196_512.0));
        assert_eq!(seconds("2024-02-29T00:00:00Z"), Some(1_709_164_800.0));
        for bad in
            ["", "2026", "2026-13-01T00:00:00Z", "2026-11-20T25:00:00Z", "x-y-zTa:b:c", "2026-11-20T1:2:+"]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
