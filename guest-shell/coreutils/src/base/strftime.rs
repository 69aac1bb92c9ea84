//! Dates as text, with GNU's flags and widths, in the C locale.

use crate::base::zone::Local;

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

/// No field is wider, however wide it is asked for.
const WIDEST: usize = 1 << 24;

/// A moment to format.
pub struct Moment<'a> {
    /// Calendar fields.
    pub local: &'a Local,
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Nanoseconds.
    pub nanos: u32,
}

#[derive(Default, Clone, Copy)]
struct Flags {
    pad: Option<u8>,
    upper: bool,
    swap: bool,
    plus: bool,
    width: Option<usize>,
}

/// Formats `moment`; unknown conversions stay as they are.
pub fn format(pattern: &[u8], moment: &Moment<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(pattern.len() * 2);
    put(&mut out, pattern, moment, false);
    out
}

fn put(out: &mut Vec<u8>, pattern: &[u8], m: &Moment<'_>, upper: bool) {
    let mut i = 0;
    while let Some(b) = pattern.get(i).copied() {
        if b != b'%' {
            out.push(b);
            i += 1;
            continue;
        }
        let start = i;
        i += 1;
        let mut f = Flags { upper, ..Flags::default() };
        loop {
            match pattern.get(i) {
                Some(p @ (b'-' | b'_' | b'0')) => f.pad = Some(*p),
                Some(b'+') => {
                    f.pad = Some(b'0');
                    f.plus = true;
                }
                Some(b'^') => f.upper = true,
                Some(b'#') => f.swap = true,
                _ => break,
            }
            i += 1;
        }
        while let Some(d) = pattern.get(i).filter(|d| d.is_ascii_digit()) {
            f.width = Some(
                f.width.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(d - b'0')).min(WIDEST),
            );
            i += 1;
        }
        let modifier = pattern.get(i).copied().filter(|b| matches!(b, b'E' | b'O'));
        i += usize::from(modifier.is_some());
        let mut colons = 0;
        while pattern.get(i) == Some(&b':') {
            colons += 1;
            i += 1;
        }
        let Some(letter) = pattern.get(i).copied() else {
            text(out, &String::from_utf8_lossy(&pattern[start..]), Flags { upper: false, ..f });
            return;
        };
        i += 1;
        let refused = match modifier {
            Some(b'E') => b"aAbBdDeFgGhHIjklmMNSUVwW".contains(&letter),
            Some(_) => b"aAcDFqxXY".contains(&letter),
            None => false,
        };
        if refused
            || letter == b'%' && i > start + 2
            || colons > 0 && letter != b'z'
            || !conversion(out, letter, colons, f, m)
        {
            text(out, &String::from_utf8_lossy(&pattern[start..i]), Flags { upper: false, ..f });
        }
    }
}

fn conversion(out: &mut Vec<u8>, letter: u8, colons: usize, f: Flags, m: &Moment<'_>) -> bool {
    let l = m.local;
    let hour12 = (l.hour + 11) % 12 + 1;
    let day = DAYS[l.weekday.rem_euclid(7) as usize];
    let month = MONTHS[(l.month - 1).rem_euclid(12) as usize];
    match letter {
        b'%' => text(out, "%", f),
        b'n' => text(out, "\n", f),
        b't' => text(out, "\t", f),
        b'a' => name(out, &day[..3], f),
        b'A' => name(out, day, f),
        b'b' | b'h' => name(out, &month[..3], f),
        b'B' => name(out, month, f),
        b'c' => nested(out, b"%a %b %e %H:%M:%S %Y", f, m),
        b'C' => year(out, l.year.div_euclid(100), 2, f),
        b'd' => number(out, l.day, 2, b'0', f),
        b'D' | b'x' => nested(out, b"%m/%d/%y", f, m),
        b'e' => number(out, l.day, 2, b' ', f),
        b'F' => {
            // The width belongs to the year, less what the month and day take.
            let width = f.width.map(|w| w.saturating_sub(6));
            let pad = f.pad.or(Some(b'0'));
            // As `%+4Y`: years of more than four digits have a sign.
            let plus = f.plus || f.width.is_none() && f.pad.is_none();
            year(out, l.year, 4, Flags { width, pad: if f.plus { Some(b'0') } else { pad }, plus, ..f });
            out.extend_from_slice(format!("-{:02}-{:02}", l.month, l.day).as_bytes());
        }
        b'g' => number(out, iso_week(l).0.rem_euclid(100), 2, b'0', f),
        b'G' => year(out, iso_week(l).0, 4, f),
        b'H' => number(out, l.hour, 2, b'0', f),
        b'I' => number(out, hour12, 2, b'0', f),
        b'j' => number(out, l.yearday + 1, 3, b'0', f),
        b'k' => number(out, l.hour, 2, b' ', f),
        b'l' => number(out, hour12, 2, b' ', f),
        b'm' => number(out, l.month, 2, b'0', f),
        b'M' => number(out, l.minute, 2, b'0', f),
        b'N' => nanos(out, m.nanos, f),
        b'p' => {
            let s = if l.hour < 12 { "AM" } else { "PM" };
            if f.swap { text(out, &s.to_lowercase(), Flags { upper: false, ..f }) } else { text(out, s, f) }
        }
        b'P' => text(out, if l.hour < 12 { "am" } else { "pm" }, Flags { upper: false, ..f }),
        b'q' => number(out, (l.month - 1) / 3 + 1, 1, b'0', f),
        b'r' => nested(out, b"%I:%M:%S %p", f, m),
        b'R' => nested(out, b"%H:%M", f, m),
        b's' => number(out, m.seconds, 1, b'0', f),
        b'S' => number(out, l.second, 2, b'0', f),
        b'T' | b'X' => nested(out, b"%H:%M:%S", f, m),
        b'u' => number(out, (l.weekday + 6) % 7 + 1, 1, b'0', f),
        b'U' => number(out, (l.yearday - l.weekday + 7) / 7, 2, b'0', f),
        b'V' => number(out, iso_week(l).1, 2, b'0', f),
        b'w' => number(out, l.weekday, 1, b'0', f),
        b'W' => number(out, (l.yearday - (l.weekday + 6) % 7 + 7) / 7, 2, b'0', f),
        b'y' => number(out, l.year.rem_euclid(100), 2, b'0', f),
        b'Y' => year(out, l.year, 4, f),
        b'z' => return zone(out, l.offset, colons, f),
        b'Z' => {
            if f.swap {
                text(out, &l.abbreviation.to_lowercase(), Flags { upper: false, ..f });
            } else {
                text(out, &l.abbreviation, f);
            }
        }
        _ => return false,
    }
    true
}

fn text(out: &mut Vec<u8>, s: &str, f: Flags) {
    let pad = if f.pad == Some(b'0') { b'0' } else { b' ' };
    if f.pad != Some(b'-') {
        out.extend(std::iter::repeat_n(pad, f.width.unwrap_or(0).saturating_sub(s.len())));
    }
    if f.upper {
        out.extend_from_slice(s.to_uppercase().as_bytes())
    } else {
        out.extend_from_slice(s.as_bytes())
    }
}

fn name(out: &mut Vec<u8>, s: &str, f: Flags) {
    text(out, s, Flags { upper: f.upper || f.swap, ..f });
}

fn nested(out: &mut Vec<u8>, pattern: &[u8], f: Flags, m: &Moment<'_>) {
    let mut inner = Vec::new();
    put(&mut inner, pattern, m, f.upper);
    text(out, &String::from_utf8_lossy(&inner), Flags { upper: false, ..f });
}

fn number(out: &mut Vec<u8>, n: i64, digits: usize, pad: u8, f: Flags) {
    let pad = match f.pad {
        Some(b'-') => None,
        Some(b'_') => Some(b' '),
        Some(_) => Some(b'0'),
        None => Some(pad),
    };
    let s = n.unsigned_abs().to_string();
    let sign: &[u8] = if n < 0 { b"-" } else { b"" };
    let width = f.width.unwrap_or(digits);
    let fill = width.saturating_sub(s.len() + sign.len());
    match pad {
        None => out.extend_from_slice(sign),
        Some(b' ') => {
            out.extend(std::iter::repeat_n(b' ', fill));
            out.extend_from_slice(sign);
        }
        Some(p) => {
            out.extend_from_slice(sign);
            out.extend(std::iter::repeat_n(p, fill));
        }
    }
    out.extend_from_slice(s.as_bytes());
}

fn year(out: &mut Vec<u8>, n: i64, digits: usize, f: Flags) {
    let limit = if digits == 4 { 9999 } else { 99 };
    if f.plus && (n > limit || f.width.is_some_and(|w| w > digits)) && n >= 0 {
        out.push(b'+');
        number(out, n, digits, b'0', Flags { width: f.width.map(|w| w.saturating_sub(1)), ..f });
    } else {
        number(out, n, digits, b'0', f);
    }
}

fn nanos(out: &mut Vec<u8>, n: u32, f: Flags) {
    let digits = format!("{n:09}");
    let width = f.width.unwrap_or(0);
    match f.pad {
        Some(b'-') => {
            let keep = if width == 0 { digits.trim_end_matches('0') } else { &digits[..width.min(9)] };
            out.extend_from_slice(if keep.is_empty() { b"0" } else { keep.as_bytes() });
        }
        pad => {
            let width = if width == 0 { 9 } else { width };
            let shown = &digits[..width.min(9)];
            if pad == Some(b'_') {
                let kept = shown.trim_end_matches('0');
                let kept = if kept.is_empty() { "0" } else { kept };
                out.extend_from_slice(kept.as_bytes());
                out.extend(std::iter::repeat_n(b' ', width - kept.len()));
            } else {
                out.extend_from_slice(shown.as_bytes());
                out.extend(std::iter::repeat_n(b'0', width.saturating_sub(9)));
            }
        }
    }
}

fn zone(out: &mut Vec<u8>, offset: i64, colons: usize, f: Flags) -> bool {
    let sign = if offset < 0 { '-' } else { '+' };
    let a = offset.abs();
    let (h, m, s) = (a / 3600, a / 60 % 60, a % 60);
    let tail = match colons {
        0 => format!("{m:02}"),
        1 => format!(":{m:02}"),
        2 => format!(":{m:02}:{s:02}"),
        3 if s != 0 => format!(":{m:02}:{s:02}"),
        3 if m != 0 => format!(":{m:02}"),
        3 => String::new(),
        _ => return false,
    };
    let width = f.width.unwrap_or(0).saturating_sub(tail.len());
    let hours = match f.pad {
        Some(b'-') => format!("{sign}{h}"),
        Some(b'_') => {
            let s = format!("{sign}{h}");
            format!("{s:>w$}", w = width.max(3))
        }
        _ => format!("{sign}{h:0w$}", w = width.saturating_sub(1).max(2)),
    };
    out.extend_from_slice(hours.as_bytes());
    out.extend_from_slice(tail.as_bytes());
    true
}

/// Year and number of the ISO week.
fn iso_week(l: &Local) -> (i64, i64) {
    let monday_based = (l.weekday + 6) % 7;
    let week = (l.yearday - monday_based + 10) / 7;
    let weeks_in = |y: i64| {
        let p = |y: i64| (y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400)).rem_euclid(7);
        if p(y) == 4 || p(y - 1) == 3 { 53 } else { 52 }
    };
    if week < 1 {
        (l.year - 1, weeks_in(l.year - 1))
    } else if week > weeks_in(l.year) {
        (l.year + 1, 1)
    } else {
        (l.year, week)
    }
}
