//! Calendar time.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

// The zone of `$TZ`, else of /etc/localtime, else UTC.
fn zone(utc: bool) -> TimeZone {
    if utc {
        return TimeZone::UTC;
    }
    let Ok(tz) = std::env::var("TZ") else {
        let data = std::fs::read("/etc/localtime").ok();
        return data.and_then(|d| TimeZone::tzif("Local", &d).ok()).unwrap_or(TimeZone::UTC);
    };
    let tz = tz.strip_prefix(':').unwrap_or(&tz);
    if tz.starts_with('/')
        && let Ok(data) = std::fs::read(tz)
        && let Ok(zone) = TimeZone::tzif("file", &data)
    {
        return zone;
    }
    if let Ok(zone) = jiff::tz::db().get(tz) {
        return zone;
    }
    TimeZone::posix(tz).unwrap_or(TimeZone::UTC)
}

/// Formats a moment as C's `strftime` in the locale `C`; `None` outside of the years that can be told.
pub(crate) fn format(pattern: &[u8], seconds: i64, utc: bool) -> Option<Vec<u8>> {
    let z = Timestamp::from_second(seconds).ok()?.to_zoned(zone(utc));
    let mut out = Vec::new();
    put(&mut out, pattern, &z, utc);
    Some(out)
}

fn put(out: &mut Vec<u8>, pattern: &[u8], z: &Zoned, utc: bool) {
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
        if !conversion(out, letter, Flags { pad, upper, swap, width }, z, utc) {
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

fn conversion(out: &mut Vec<u8>, letter: u8, f: Flags, z: &Zoned, utc: bool) -> bool {
    let weekday = z.weekday().to_sunday_zero_offset() as i64;
    let day = DAYS.get(weekday as usize).copied().unwrap_or_default();
    let month = MONTHS.get((z.month() - 1) as usize).copied().unwrap_or_default();
    let (hour, year) = (i64::from(z.hour()), i64::from(z.year()));
    let yearday = i64::from(z.day_of_year()) - 1;
    let iso = z.date().iso_week_date();
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
        put(&mut inner, pattern, z, utc);
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
        b'd' => number(out, z.day().into(), 2, b'0'),
        b'D' | b'x' => nested(out, b"%m/%d/%y"),
        b'e' => number(out, z.day().into(), 2, b' '),
        b'F' => nested(out, b"%Y-%m-%d"),
        b'g' => number(out, i64::from(iso.year()).rem_euclid(100), 2, b'0'),
        b'G' => number(out, iso.year().into(), 1, b'0'),
        b'H' => number(out, hour, 2, b'0'),
        b'I' => number(out, (hour + 11) % 12 + 1, 2, b'0'),
        b'j' => number(out, yearday + 1, 3, b'0'),
        b'k' => number(out, hour, 2, b' '),
        b'l' => number(out, (hour + 11) % 12 + 1, 2, b' '),
        b'm' => number(out, z.month().into(), 2, b'0'),
        b'M' => number(out, z.minute().into(), 2, b'0'),
        b'p' => text(out, if hour < 12 { "AM" } else { "PM" }, false, f.swap),
        b'P' => text(out, if hour < 12 { "am" } else { "pm" }, false, false),
        b'r' => nested(out, b"%I:%M:%S %p"),
        b'R' => nested(out, b"%H:%M"),
        b's' => number(out, z.timestamp().as_second(), 1, b'0'),
        b'S' => number(out, z.second().into(), 2, b'0'),
        b'T' | b'X' => nested(out, b"%H:%M:%S"),
        b'u' => number(out, (weekday + 6) % 7 + 1, 1, b'0'),
        b'U' => number(out, (yearday - weekday + 7) / 7, 2, b'0'),
        b'V' => number(out, iso.week().into(), 2, b'0'),
        b'w' => number(out, weekday, 1, b'0'),
        b'W' => number(out, (yearday - (weekday + 6) % 7 + 7) / 7, 2, b'0'),
        b'y' => number(out, year.rem_euclid(100), 2, b'0'),
        b'Y' => number(out, year, 1, b'0'),
        b'z' => {
            let s = z.offset().seconds();
            let sign = if s < 0 { '-' } else { '+' };
            text(out, &format!("{sign}{:02}{:02}", s.abs() / 3600, s.abs() / 60 % 60), false, false);
        }
        b'Z' => {
            let info = z.time_zone().to_offset_info(z.timestamp());
            let name = if utc { "GMT" } else { info.abbreviation() };
            text(out, name, false, f.swap);
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
        n.push(word.get(..end)?.parse::<i64>().ok()?);
        if end < word.len() {
            break;
        }
    }
    let &[year, month, day, hour, minute, second, ref dst @ ..] = n.as_slice() else { return None };
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
    let first = DateTime::from(Date::new(year, month, 1).ok()?);
    let limit = 1i64 << 40;
    if [day, hour, minute, second].iter().any(|n| n.abs() > limit) {
        return None;
    }
    let seconds = (day - 1) * 86_400 + hour * 3600 + minute * 60 + second;
    let civil = first.checked_add(seconds.seconds()).ok()?;
    let moment = zone(utc).to_ambiguous_zoned(civil).compatible().ok()?;
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
