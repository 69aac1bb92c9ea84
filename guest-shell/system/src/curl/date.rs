//! Dates in cookies and of `-z`: the words of RFC 6265, in any order.

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Seconds since the epoch of a date such as `Fri, 01 Jan 2100 00:00:00 GMT` or `20220101`.
pub(crate) fn seconds(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.to_ascii_lowercase();
    let (mut day, mut month, mut year, mut time, mut zone) = (None, None, None, None, 0);
    let is_break = |c: char| !c.is_ascii_alphanumeric() && c != ':' && c != '+';
    for word in text.split(is_break).filter(|w| !w.is_empty()) {
        if word.contains(':') && time.is_none() {
            time = Some(clock(word)?);
        } else if let Some(found) = word.get(..3).and_then(|w| MONTHS.iter().position(|m| *m == w)) {
            month = Some(i64::try_from(found).ok()? + 1);
        } else if let Some(offset) = word.strip_prefix('+') {
            let offset: i64 = offset.parse().ok()?;
            zone = (offset / 100 * 60 + offset % 100) * 60;
        } else if word.bytes().all(|b| b.is_ascii_digit()) {
            let number: i64 = word.parse().ok()?;
            match word.len() {
                8 => {
                    (year, month, day) = (Some(number / 10_000), Some(number / 100 % 100), Some(number % 100))
                }
                1 | 2 if day.is_none() => day = Some(number),
                2 => year = year.or(Some(if number > 70 { 1900 + number } else { 2000 + number })),
                4 => year = Some(number),
                _ => return None,
            }
        } else if !word.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
    }
    let (day, month, year) = (day?, month?, year?);
    let valid = (1..=31).contains(&day) && (1..=12).contains(&month) && (1583..=9999).contains(&year);
    valid.then(|| days(year, month, day) * 86_400 + time.unwrap_or(0) - zone)
}

fn clock(word: &str) -> Option<i64> {
    let mut numbers = word.split(':').map(|n| n.parse::<i64>().ok());
    let (hours, minutes) = (numbers.next()??, numbers.next()??);
    let seconds = match numbers.next() {
        Some(seconds) => seconds?,
        None => 0,
    };
    let valid = numbers.next().is_none() && hours < 24 && minutes < 60 && seconds < 61;
    valid.then_some(hours * 3600 + minutes * 60 + seconds)
}

/// Days since 1970-01-01 of the Gregorian calendar. Years begin in March, so that leap days come last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn dates() {
        for (text, time) in [
            ("Fri, 01 Jan 2100 00:00:00 GMT", 4_102_444_800),
            ("Thu, 01-Jan-1970 00:00:10 GMT", 10),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("20000229", 951_782_400),
        ] {
            assert_eq!(seconds(text.as_bytes()), Some(time), "{text}");
        }
        for text in ["", "up", "1 2 3", "99999999999999999999 Jan 2000", "1 Jan 2000 25:00", "1 Jan 2000 a:b"]
        {
            assert_eq!(seconds(text.as_bytes()), None, "{text}");
        }
    }
}
