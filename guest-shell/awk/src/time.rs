//! Calendar time.

use sandshell_time::{Local, Zone, strftime};

/// Formats a time as C's `strftime` does in the locale `C`. `None` if the year is out of range.
pub(crate) fn format(pattern: &[u8], seconds: i64, utc: bool) -> Option<Vec<u8>> {
    let mut local = if utc { Zone::utc() } else { Zone::system() }.local(seconds);
    i32::try_from(local.year).ok()?;
    let mut seconds = seconds;
    if utc {
        local.abbreviation = "GMT".into();
        // C's `%s` treats every time as local time.
        seconds = standard_seconds(&Zone::system(), &local);
    }
    Some(strftime::library(pattern, &strftime::Moment { local: &local, seconds, nanos: 0 }))
}

/// The time at which the local clock would show these fields without daylight saving time.
fn standard_seconds(zone: &Zone, l: &Local) -> i64 {
    let seconds = zone.seconds(l.year, l.month, l.day, l.hour, l.minute, l.second);
    if zone.is_summer(seconds) { seconds + 3600 } else { seconds }
}

/// Parses `YYYY MM DD HH MM SS [DST]`. Fields out of range carry over.
pub(crate) fn parse(text: &[u8], utc: bool) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let mut n = Vec::new();
    for word in text.split_whitespace().take(7) {
        // Numbers are read as `scanf` does.
        let end = word
            .char_indices()
            .find(|(i, c)| !(c.is_ascii_digit() || (*i == 0 && matches!(c, '-' | '+'))))
            .map_or(word.len(), |(i, _)| i);
        // Numbers have C's type `int`.
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
    let zone = if utc { Zone::utc() } else { Zone::system() };
    let mut stamp = zone.seconds(year, month, day, hour, minute, second);
    // If the caller says that it is summer time but it is not, the time is an hour earlier.
    if let Some(dst) = dst.first() {
        let is = zone.is_summer(stamp);
        if *dst > 0 && !is && !utc {
            stamp -= 3600;
        } else if *dst == 0 && is {
            stamp += 3600;
        }
    }
    Some(stamp)
}
