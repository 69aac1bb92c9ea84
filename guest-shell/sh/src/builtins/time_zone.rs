//! Local time: `strftime` in the C locale, with the zone of `TZ` or of `/etc/localtime`.

mod zone;

pub(crate) use zone::TimeZone;

use crate::shell::Shell;

/// `strftime` of a point in time in the shell's zone.
pub(crate) fn format(shell: &mut Shell, format: &[u8], seconds: i64) -> Vec<u8> {
    let zone = zone::of(shell);
    let (offset, name, daylight) = zone.at(seconds);
    let time = Local::new(seconds, offset, name, daylight);
    let mut out = Vec::new();
    time.format(format, &mut out, 0);
    out
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

/// Broken-down time.
struct Local {
    seconds: i64,
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: i64,
    yearday: i64,
    offset: i64,
    zone: Vec<u8>,
}

/// Days since 1970 of a date of the Gregorian calendar (month 1 to 12).
pub(super) fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

/// The year of a day since 1970, the month (1 to 12) and the day of the month.
pub(super) fn date_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    (year, month, doy - (153 * mp + 2) / 5 + 1)
}

impl Local {
    fn new(seconds: i64, offset: i64, zone: Vec<u8>, _daylight: bool) -> Self {
        let local = seconds.saturating_add(offset);
        let days = local.div_euclid(86_400);
        let rest = local.rem_euclid(86_400);
        let (year, month, day) = date_from_days(days);
        Self {
            seconds,
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - days_from_date(year, 1, 1),
            offset,
            zone,
        }
    }

    // Year and week of ISO 8601.
    fn iso_week(&self) -> (i64, i64) {
        let weekday = (self.weekday + 6) % 7;
        let week = (self.yearday - weekday + 10) / 7;
        let weeks = |year: i64| {
            let first = (days_from_date(year, 1, 1) + 3).rem_euclid(7);
            let leap = days_from_date(year + 1, 1, 1) - days_from_date(year, 1, 1) == 366;
            if first == 3 || (leap && first == 2) { 53 } else { 52 }
        };
        if week < 1 {
            (self.year - 1, weeks(self.year - 1))
        } else if week > weeks(self.year) {
            (self.year + 1, 1)
        } else {
            (self.year, week)
        }
    }

    fn format(&self, format: &[u8], out: &mut Vec<u8>, depth: u32) {
        let mut at = 0;
        while let Some(&b) = format.get(at) {
            at += 1;
            if b != b'%' {
                out.push(b);
                continue;
            }
            let start = at - 1;
            let (mut pad, mut upper, mut swap) = (None, false, false);
            while let Some(f @ (b'_' | b'-' | b'0' | b'^' | b'#' | b'+')) = format.get(at) {
                match f {
                    b'^' => upper = true,
                    b'#' => swap = true,
                    _ => pad = Some(*f),
                }
                at += 1;
            }
            let mut width = 0usize;
            while let Some(d) = format.get(at).filter(|d| d.is_ascii_digit()) {
                width = (width * 10 + usize::from(d - b'0')).min(1024);
                at += 1;
            }
            if matches!(format.get(at), Some(b'E' | b'O')) {
                at += 1;
            }
            let letter = format.get(at).copied();
            at += 1;
            let mut text = Vec::new();
            if !letter.is_some_and(|l| self.field(l, pad, &mut text, &mut width, swap, depth)) {
                out.extend_from_slice(format.get(start..at.min(format.len())).unwrap_or_default());
                continue;
            }
            if upper || (swap && letter.is_some_and(|l| matches!(l, b'a' | b'A' | b'b' | b'B' | b'h'))) {
                text.make_ascii_uppercase();
            }
            if swap && matches!(letter, Some(b'p' | b'Z')) {
                text.make_ascii_lowercase();
            }
            let fill = if pad == Some(b'0') { b'0' } else { b' ' };
            out.extend(std::iter::repeat_n(fill, width.saturating_sub(text.len())));
            out.extend_from_slice(&text);
        }
    }

    // One conversion. False: there is none of that letter. A numeric field uses up the width.
    fn field(
        &self,
        letter: u8,
        pad: Option<u8>,
        out: &mut Vec<u8>,
        width: &mut usize,
        swap: bool,
        depth: u32,
    ) -> bool {
        let mut number = |out: &mut Vec<u8>, n: i64, digits: usize, blank: bool| {
            let digits = digits.max(*width);
            *width = 0;
            let text = n.unsigned_abs().to_string();
            let sign = if n < 0 { "-" } else { "" };
            let missing = digits.saturating_sub(text.len() + sign.len());
            let padding = match pad {
                Some(b'-') => None,
                Some(b'_') => Some(' '),
                Some(_) => Some('0'),
                None => Some(if blank { ' ' } else { '0' }),
            };
            match padding {
                None => out.extend_from_slice(format!("{sign}{text}").as_bytes()),
                Some(' ') => out.extend_from_slice(format!("{}{sign}{text}", " ".repeat(missing)).as_bytes()),
                Some(_) => out.extend_from_slice(format!("{sign}{}{text}", "0".repeat(missing)).as_bytes()),
            }
        };
        let name = |list: &[&str], n: i64| {
            usize::try_from(n).ok().and_then(|n| list.get(n)).copied().unwrap_or("?").as_bytes().to_vec()
        };
        let hour12 = if self.hour % 12 == 0 { 12 } else { self.hour % 12 };
        match letter {
            b'%' => out.push(b'%'),
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'a' => out.extend_from_slice(name(&DAYS, self.weekday).get(..3).unwrap_or_default()),
            b'A' => out.extend_from_slice(&name(&DAYS, self.weekday)),
            b'b' | b'h' => out.extend_from_slice(name(&MONTHS, self.month - 1).get(..3).unwrap_or_default()),
            b'B' => out.extend_from_slice(&name(&MONTHS, self.month - 1)),
            b'C' => number(out, self.year.div_euclid(100), 2, false),
            b'd' => number(out, self.day, 2, false),
            b'e' => number(out, self.day, 2, true),
            b'H' => number(out, self.hour, 2, false),
            b'I' => number(out, hour12, 2, false),
            b'k' => number(out, self.hour, 2, true),
            b'l' => number(out, hour12, 2, true),
            b'j' => number(out, self.yearday + 1, 3, false),
            b'm' => number(out, self.month, 2, false),
            b'M' => number(out, self.minute, 2, false),
            b'S' => number(out, self.second, 2, false),
            b's' => number(out, self.seconds, 1, false),
            b'u' => number(out, if self.weekday == 0 { 7 } else { self.weekday }, 1, false),
            b'w' => number(out, self.weekday, 1, false),
            b'U' => number(out, (self.yearday + 7 - self.weekday) / 7, 2, false),
            b'W' => number(out, (self.yearday + 7 - (self.weekday + 6) % 7) / 7, 2, false),
            b'V' => number(out, self.iso_week().1, 2, false),
            b'G' => number(out, self.iso_week().0, 1, false),
            b'g' => number(out, self.iso_week().0.rem_euclid(100), 2, false),
            b'y' => number(out, self.year.rem_euclid(100), 2, false),
            b'Y' => number(out, self.year, 1, false),
            b'p' => out.extend_from_slice(if self.hour < 12 { b"AM" } else { b"PM" }),
            b'P' => out.extend_from_slice(if self.hour < 12 { b"am" } else { b"pm" }),
            b'z' => {
                let sign = if self.offset < 0 { '-' } else { '+' };
                let minutes = self.offset.unsigned_abs() / 60;
                out.extend_from_slice(format!("{sign}{:02}{:02}", minutes / 60, minutes % 60).as_bytes());
            }
            b'Z' => out.extend_from_slice(&self.zone),
            _ => {
                let inner: &[u8] = match letter {
                    b'c' => b"%a %b %e %H:%M:%S %Y",
                    b'D' | b'x' => b"%m/%d/%y",
                    b'F' => b"%Y-%m-%d",
                    b'r' => b"%I:%M:%S %p",
                    b'R' => b"%H:%M",
                    b'T' | b'X' => b"%H:%M:%S",
                    b'+' => b"%a %b %e %H:%M:%S %Z %Y",
                    _ => return false,
                };
                if depth < 2 {
                    self.format(inner, out, depth + 1);
                    if swap {
                        out.make_ascii_uppercase();
                    }
                }
            }
        }
        true
    }
}
