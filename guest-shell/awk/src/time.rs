//! Calendar time.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

fn zone(utc: bool) -> TimeZone {
    if utc { TimeZone::UTC } else { sandshell_zone::local() }
}

/// A moment as clocks and calendars show it.
struct Local {
    stamp: i64,
    year: i64,
    /// 1 to 12.
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// 0 (Sunday) to 6.
    weekday: i64,
    /// 0 to 365.
    yearday: i64,
    /// Seconds east of UTC.
    offset: i64,
    zone: String,
}

impl Local {
    fn new(stamp: i64, utc: bool) -> Option<Self> {
        let zone = zone(utc);
        // No zone has rules for years that far away.
        let (offset, name) = match Timestamp::from_second(stamp) {
            Ok(t) => {
                let info = zone.to_offset_info(t);
                (i64::from(info.offset().seconds()), info.abbreviation().to_string())
            }
            Err(_) => (0, "UTC".to_string()),
        };
        let local = stamp.checked_add(offset)?;
        let (days, seconds) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        i32::try_from(year).ok()?;
        Some(Self {
            stamp,
            year,
            month,
            day,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - day_number(year, 1, 1),
            offset,
            zone: if utc { "GMT".to_string() } else { name },
        })
    }

    /// Year and week of ISO 8601.
    fn iso_week(&self) -> (i64, i64) {
        let monday = (self.weekday + 6) % 7;
        // The week belongs to the year that its Thursday is in.
        let thursday = day_number(self.year, 1, 1) + self.yearday - monday + 3;
        let year = civil(thursday).0;
        (year, (thursday - day_number(year, 1, 1)) / 7 + 1)
    }
}

// Days since 1970-01-01 of a date of the Gregorian calendar.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have the leap day at their end.
    let y = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

// The date of a number of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let y = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * y + y / 4 - y / 100);
    let m = (5 * of_year + 2) / 153;
    let day = of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    (y + era * 400 + i64::from(month <= 2), month, day)
}

/// Formats a moment as C's `strftime` in the locale `C`; `None` outside of the years that can be told.
pub(crate) fn format(pattern: &[u8], seconds: i64, utc: bool) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    put(&mut out, pattern, &Local::new(seconds, utc)?);
    Some(out)
}

fn put(out: &mut Vec<u8>, pattern: &[u8], z: &Local) {
    let mut at = 0;
    while let Some(b) = pattern.get(at).copied() {
        at += 1;
        if b != b'%' {
            out.push(b);
            continue;
        }
        let begin = at - 1;
        let (mut pad, mut upper, mut swap) = (None, false, false);
        while let Some(f) = pattern.get(at).copied() {
            match f {
                b'-' | b'_' | b'0' => pad = Some(f),
                b'^' => upper = true,
                b'#' => swap = true,
                _ => break,
            }
            at += 1;
        }
        let mut width = 0usize;
        while let Some(d) = pattern.get(at).filter(|b| b.is_ascii_digit()) {
            width = (width * 10 + usize::from(d - b'0')).min(4096);
            at += 1;
        }
        while matches!(pattern.get(at), Some(b'E' | b'O')) {
            at += 1;
        }
        let Some(letter) = pattern.get(at).copied() else {
            out.extend_from_slice(pattern.get(begin..).unwrap_or_default());
            return;
        };
        at += 1;
        if !conversion(out, letter, Flags { pad, upper, swap, width }, z) {
            out.extend_from_slice(pattern.get(begin..at).unwrap_or_default());
        }
    }
}

#[derive(Clone, Copy)]
struct Flags {
    pad: Option<u8>,
    upper: bool,
    swap: bool,
    width: usize,
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn conversion(out: &mut Vec<u8>, letter: u8, f: Flags, z: &Local) -> bool {
    let weekday = z.weekday;
    let day = DAYS.get(weekday as usize).copied().unwrap_or_default();
    let month = MONTHS.get((z.month - 1) as usize).copied().unwrap_or_default();
    let (hour, year, yearday) = (z.hour, z.year, z.yearday);
    let iso = z.iso_week();
    let number = |out: &mut Vec<u8>, n: i64, digits: usize, fill: u8| {
        let s = n.to_string();
        let fill = match f.pad {
            Some(b'-') => None,
            Some(b'_') => Some(b' '),
            Some(b'0') => Some(b'0'),
            _ => Some(fill),
        };
        if let Some(c) = fill {
            out.resize(out.len() + f.width.max(digits).saturating_sub(s.len()), c);
        }
        out.extend_from_slice(s.as_bytes());
    };
    let text = |out: &mut Vec<u8>, s: &str, upper: bool, lower: bool| {
        if f.pad != Some(b'-') {
            let c = if f.pad == Some(b'0') { b'0' } else { b' ' };
            out.resize(out.len() + f.width.saturating_sub(s.len()), c);
        }
        let s = if upper || f.upper {
            s.to_uppercase()
        } else if lower {
            s.to_lowercase()
        } else {
            s.to_string()
        };
        out.extend_from_slice(s.as_bytes());
    };
    let nested = |out: &mut Vec<u8>, pattern: &[u8]| {
        let mut inner = Vec::new();
        put(&mut inner, pattern, z);
        text(out, &String::from_utf8_lossy(&inner), false, false);
    };
    match letter {
        b'%' => text(out, "%", false, false),
        b'n' => text(out, "\n", false, false),
        b't' => text(out, "\t", false, false),
        b'a' => text(out, day.get(..3).unwrap_or(day), f.swap, false),
        b'A' => text(out, day, f.swap, false),
        b'b' | b'h' => text(out, month.get(..3).unwrap_or(month), f.swap, false),
        b'B' => text(out, month, f.swap, false),
        b'c' => nested(out, b"%a %b %e %H:%M:%S %Y"),
        b'C' => number(out, year.div_euclid(100), 2, b'0'),
        b'd' => number(out, z.day, 2, b'0'),
        b'D' | b'x' => nested(out, b"%m/%d/%y"),
        b'e' => number(out, z.day, 2, b' '),
        b'F' => nested(out, b"%Y-%m-%d"),
        b'g' => number(out, iso.0.rem_euclid(100), 2, b'0'),
        b'G' => number(out, iso.0, 1, b'0'),
        b'H' => number(out, hour, 2, b'0'),
        b'I' => number(out, (hour + 11) % 12 + 1, 2, b'0'),
        b'j' => number(out, yearday + 1, 3, b'0'),
        b'k' => number(out, hour, 2, b' '),
        b'l' => number(out, (hour + 11) % 12 + 1, 2, b' '),
        b'm' => number(out, z.month, 2, b'0'),
        b'M' => number(out, z.minute, 2, b'0'),
        b'p' => text(out, if hour < 12 { "AM" } else { "PM" }, false, f.swap),
        b'P' => text(out, if hour < 12 { "am" } else { "pm" }, false, false),
        b'r' => nested(out, b"%I:%M:%S %p"),
        b'R' => nested(out, b"%H:%M"),
        b's' => number(out, z.stamp, 1, b'0'),
        b'S' => number(out, z.second, 2, b'0'),
        b'T' | b'X' => nested(out, b"%H:%M:%S"),
        b'u' => number(out, (weekday + 6) % 7 + 1, 1, b'0'),
        b'U' => number(out, (yearday - weekday + 7) / 7, 2, b'0'),
        b'V' => number(out, iso.1, 2, b'0'),
        b'w' => number(out, weekday, 1, b'0'),
        b'W' => number(out, (yearday - (weekday + 6) % 7 + 7) / 7, 2, b'0'),
        b'y' => number(out, year.rem_euclid(100), 2, b'0'),
        b'Y' => number(out, year, 1, b'0'),
        b'z' => {
            let s = z.offset;
            let sign = if s < 0 { '-' } else { '+' };
            text(out, &format!("{sign}{:02}{:02}", s.abs() / 3600, s.abs() / 60 % 60), false, false);
        }
        b'Z' => {
            text(out, &z.zone, false, f.swap);
        }
        _ => return false,
    }
    true
}

/// Reads `YYYY MM DD HH MM SS [DST]`; parts outside of their ranges carry over.
pub(crate) fn parse(text: &[u8], utc: bool) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let mut n = Vec::new();
    for word in text.split_whitespace().take(7) {
        // As `scanf` reads numbers.
        let end = word
            .char_indices()
            .find(|(i, c)| !(c.is_ascii_digit() || (*i == 0 && matches!(c, '-' | '+'))))
            .map_or(word.len(), |(i, _)| i);
        // Numbers are C's `int`.
        n.push(i64::from(word.get(..end)?.parse::<i64>().ok()? as i32));
        if end < word.len() {
            break;
        }
    }
    let &[year, month, day, hour, minute, second, ref dst @ ..] = n.as_slice() else { return None };
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    i32::try_from(year).ok()?;
    let limit = 1i64 << 40;
    if [day, hour, minute, second].iter().any(|n| n.abs() > limit) {
        return None;
    }
    let seconds = (day - 1) * 86_400 + hour * 3600 + minute * 60 + second;
    let local = day_number(year, month, 1) * 86_400 + seconds;
    // Years that no zone has rules for are in UTC.
    let Some(date) = date_time(local) else { return Some(local) };
    let moment = zone(utc).to_ambiguous_zoned(date).compatible().ok()?;
    let mut stamp = moment.timestamp().as_second();
    // Someone who says that it is summer time in winter means an hour earlier.
    if let Some(dst) = dst.first() {
        let is = moment.time_zone().to_offset_info(moment.timestamp()).dst().is_dst();
        if *dst > 0 && !is && !utc {
            stamp -= 3600;
        } else if *dst == 0 && is {
            stamp += 3600;
        }
    }
    Some(stamp)
}

// Seconds since 1970 as a date and time of day without a zone.
fn date_time(seconds: i64) -> Option<DateTime> {
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    DateTime::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        0,
    )
    .ok()
}
