//! Numbers the days of the Julian and the Gregorian calendar.

/// The number of a day of the Gregorian calendar; day 0 is a Monday.
fn gregorian(year: i64, month: i64, day: i64) -> i64 {
    numbered(year, month, day, |y| y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400))
}

/// The number of a day of the Julian calendar, on the same scale.
fn julian(year: i64, month: i64, day: i64) -> i64 {
    numbered(year, month, day, |y| y.div_euclid(4)) - 2
}

/// Counts the days up to a date, with `leaps` leap days before a year. Years begin in March.
fn numbered(year: i64, month: i64, day: i64, leaps: fn(i64) -> i64) -> i64 {
    let (y, m) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    y * 365 + leaps(y) + (m * 153 + 2) / 5 + day - 1 + GREGORIAN_MONDAY
}

/// Added to a day's number to make it divisible by seven if the day is a Monday. 1 January 2024 is one.
const GREGORIAN_MONDAY: i64 = 2;

/// The first day of the Gregorian calendar in English-speaking countries: 14 September 1752.
fn switch() -> i64 {
    gregorian(1752, 8, 14)
}

/// The number of a day, in the calendar that was in use.
pub(super) fn number(year: i64, month: i64, day: i64, always_julian: bool) -> i64 {
    let new = gregorian(year, month, day);
    if always_julian || new < switch() { julian(year, month, day) } else { new }
}

/// The days of a month: their dates and numbers, without those that were skipped in 1752.
pub(super) fn month(year: i64, month: i64, always_julian: bool) -> Vec<(i64, i64)> {
    let (next_year, next_month) = if month == 11 { (year + 1, 0) } else { (year, month + 1) };
    let end = number(next_year, next_month, 1, always_julian);
    let mut days = Vec::with_capacity(31);
    for day in 1..=31 {
        let old = julian(year, month, day);
        let new = gregorian(year, month, day);
        let n = if always_julian || old < switch() { old } else { new };
        // The days between the two calendars did not exist.
        if !always_julian && old >= switch() && new < switch() || n >= end {
            continue;
        }
        days.push((day, n));
    }
    days
}
