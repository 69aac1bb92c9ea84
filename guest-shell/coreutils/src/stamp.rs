//! Times as digits, and the current time.

use sandshell_sys as sys;
use sandshell_time::{Zone, calendar::days_in_month};

/// The current time in seconds and nanoseconds.
pub(crate) fn now() -> (i64, u32) {
    let t = sys::realtime();
    ((t / 1_000_000_000) as i64, (t % 1_000_000_000) as u32)
}

/// Parses `[[CC]YY]MMDDhhmm[.ss]` in local time.
pub(crate) fn stamp(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, second) = split_seconds(text)?;
    let (year, rest) = match digits.len() {
        8 => (Zone::system().local(now().0).year, digits),
        10 => (short_year(&digits[..2])?, &digits[2..]),
        12 => (digits[..4].parse().ok()?, &digits[4..]),
        _ => return None,
    };
    calendar(year, rest, second)
}

/// Parses `MMDDhhmm[[CC]YY][.ss]`, the format of `date`.
pub(crate) fn stamp_date(text: &[u8]) -> Option<(i64, u32)> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, second) = split_seconds(text)?;
    let year = match digits.len() {
        8 => Zone::system().local(now().0).year,
        10 => short_year(&digits[8..])?,
        12 => digits[8..].parse().ok()?,
        _ => return None,
    };
    calendar(year, &digits[..8], second).map(|s| (s, 0))
}

fn split_seconds(text: &str) -> Option<(&str, i64)> {
    let (digits, second) = match text.split_once('.') {
        Some((d, s)) if s.len() == 2 && s.bytes().all(|b| b.is_ascii_digit()) => (d, s.parse().ok()?),
        Some(_) => return None,
        None => (text, 0),
    };
    digits.bytes().all(|b| b.is_ascii_digit()).then_some((digits, second))
}

fn short_year(two: &str) -> Option<i64> {
    two.parse::<i64>().ok().map(|y| if y < 69 { 2000 + y } else { 1900 + y })
}

fn calendar(year: i64, month_to_minute: &str, second: i64) -> Option<i64> {
    let part = |i: usize| month_to_minute.get(i..i + 2)?.parse::<i64>().ok();
    let (month, day, hour, minute) = (part(0)?, part(2)?, part(4)?, part(6)?);
    let valid = (1..=12).contains(&month)
        && day >= 1
        && day <= days_in_month(year, month)
        && hour < 24
        && minute < 60
        && second <= 60;
    let zone = Zone::system();
    let time = valid.then(|| zone.seconds(year, month, day, hour, minute, second))?;
    // A time that the local clock skips is invalid.
    let shown = zone.local(time);
    (second == 60 || (shown.hour, shown.minute) == (hour, minute)).then_some(time)
}
