//! Formats dates as text in the C locale, with the flags and widths of the GNU system.
//!
//! `date` and the C library's `strftime(3)` have mostly the same conversions, but treat flags and widths differently.
//! One formatter implements both dialects.

use crate::calendar::{Local, MONTHS, WEEKDAYS};

/// The maximum width of a field.
const WIDEST: usize = 1 << 24;

/// A point in time to format.
pub struct Moment<'a> {
    /// Calendar fields.
    pub local: &'a Local,
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Nanoseconds.
    pub nanos: u32,
}

/// The two sets of conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dialect {
    /// `date`, `ls`, `stat` and others: also `%N`, `%q`, `%:z`, and the flag `+`.
    Date,
    /// `strftime(3)`, as used by the shell's `printf`, awk, jq and find.
    Library,
}

#[derive(Clone, Copy)]
struct Flags {
    dialect: Dialect,
    pad: Option<u8>,
    upper: bool,
    swap: bool,
    plus: bool,
    width: Option<usize>,
}

impl Flags {
    fn new(dialect: Dialect, upper: bool) -> Self {
        Self { dialect, pad: None, upper, swap: false, plus: false, width: None }
    }
}

/// Formats `moment` as `date` does. Unknown conversions are copied.
pub fn format(pattern: &[u8], moment: &Moment<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(pattern.len() * 2);
    put(&mut out, pattern, moment, Flags::new(Dialect::Date, false));
    out
}

/// Formats `moment` as the C library's `strftime(3)` does. Unknown conversions are copied.
pub fn library(pattern: &[u8], moment: &Moment<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(pattern.len() * 2);
    put(&mut out, pattern, moment, Flags::new(Dialect::Library, false));
    out
}

fn put(out: &mut Vec<u8>, pattern: &[u8], m: &Moment<'_>, outer: Flags) {
    let mut i = 0;
    while let Some(b) = pattern.get(i).copied() {
        if b != b'%' {
            out.push(b);
            i += 1;
            continue;
        }
        let start = i;
        i += 1;
        let mut f = Flags::new(outer.dialect, outer.upper);
        loop {
            match pattern.get(i) {
                Some(p @ (b'-' | b'_' | b'0')) => f.pad = Some(*p),
                Some(b'+') if f.dialect == Dialect::Date => {
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
        while f.dialect == Dialect::Date && pattern.get(i) == Some(&b':') {
            colons += 1;
            i += 1;
        }
        let Some(letter) = pattern.get(i).copied() else {
            verbatim(out, &pattern[start..], f);
            return;
        };
        if letter == b'%' && i > start + 1 && f.dialect == Dialect::Date {
            // This `%` begins another conversion.
            verbatim(out, &pattern[start..i], f);
            continue;
        }
        i += 1;
        let refused = match modifier {
            Some(b'E') => b"aAbBdDeFgGhHIjklmMNSUVwW".contains(&letter),
            Some(_) => b"aAcDFqxXY".contains(&letter),
            None => false,
        };
        if refused
            || colons > 0 && letter != b'z'
            || !modified(out, modifier, letter, f, m) && !conversion(out, letter, colons, f, m)
        {
            verbatim(out, &pattern[start..i], f);
        }
    }
}

/// Handles conversions with `E` and `O` that `date` passes to the library and pads as text. Returns false for others.
fn modified(out: &mut Vec<u8>, modifier: Option<u8>, letter: u8, f: Flags, m: &Moment<'_>) -> bool {
    let letters: &[u8] = match (f.dialect, modifier) {
        (Dialect::Date, Some(b'E')) => b"CyY",
        (Dialect::Date, Some(_)) => b"CdegGHIjklmMSuUVwWy",
        _ => b"",
    };
    let found = letters.contains(&letter);
    if found {
        bytes(out, &library(&[b'%', letter], m), f);
    }
    found
}

fn conversion(out: &mut Vec<u8>, letter: u8, colons: usize, f: Flags, m: &Moment<'_>) -> bool {
    let l = m.local;
    let hour12 = (l.hour + 11) % 12 + 1;
    let library = f.dialect == Dialect::Library;
    let day = named(&WEEKDAYS, l.weekday);
    let month = named(&MONTHS, l.month - 1);
    match letter {
        b'%' => text(out, "%", f),
        b'n' => text(out, "\n", f),
        b't' => text(out, "\t", f),
        b'a' => name(out, short(day), f),
        b'A' => name(out, day, f),
        b'b' | b'h' => name(out, short(month), f),
        b'B' => name(out, month, f),
        b'c' => nested(out, b"%a %b %e %H:%M:%S %Y", f, m),
        b'C' if !library && l.year < 0 => {
            // The century of a negative year has a sign, even if the century is 0.
            let century = format!("-{}", l.year.unsigned_abs() / 100);
            text(out, &century, Flags { pad: f.pad.or(Some(b'0')), ..f });
        }
        b'C' => year(out, l.year.div_euclid(100), 2, f),
        b'd' => number(out, l.day, 2, b'0', f),
        b'D' | b'x' => nested(out, b"%m/%d/%y", f, m),
        b'e' => number(out, l.day, 2, b' ', f),
        b'F' if library => nested(out, b"%Y-%m-%d", f, m),
        b'F' => {
            // The width, less that of month and day, is the width of the year.
            let width = f.width.map(|w| w.saturating_sub(6));
            let pad = f.pad.or(Some(b'0'));
            // As in `%+4Y`, years with more than four digits get a sign.
            let plus = f.plus || f.width.is_none() && f.pad.is_none();
            year(out, l.year, 4, Flags { width, pad: if f.plus { Some(b'0') } else { pad }, plus, ..f });
            out.extend_from_slice(format!("-{:02}-{:02}", l.month, l.day).as_bytes());
        }
        b'g' => number(out, of_century(l.iso_week().0, library), 2, b'0', f),
        b'G' => year(out, l.iso_week().0, 4, f),
        b'H' => number(out, l.hour, 2, b'0', f),
        b'I' => number(out, hour12, 2, b'0', f),
        b'j' => number(out, l.yearday + 1, 3, b'0', f),
        b'k' => number(out, l.hour, 2, b' ', f),
        b'l' => number(out, hour12, 2, b' ', f),
        b'm' => number(out, l.month, 2, b'0', f),
        b'M' => number(out, l.minute, 2, b'0', f),
        b'N' if !library => nanos(out, m.nanos, f),
        b'p' => {
            let s = if l.hour < 12 { "AM" } else { "PM" };
            if f.swap { text(out, &s.to_lowercase(), Flags { upper: false, ..f }) } else { text(out, s, f) }
        }
        b'P' => text(out, if l.hour < 12 { "am" } else { "pm" }, Flags { upper: false, ..f }),
        b'q' if !library => number(out, (l.month - 1) / 3 + 1, 1, b'0', f),
        b'r' => nested(out, b"%I:%M:%S %p", f, m),
        b'R' => nested(out, b"%H:%M", f, m),
        b's' if library => text(out, &m.seconds.to_string(), f),
        b's' => number(out, m.seconds, 1, b'0', f),
        b'S' => number(out, l.second, 2, b'0', f),
        b'T' | b'X' => nested(out, b"%H:%M:%S", f, m),
        b'u' => number(out, (l.weekday + 6) % 7 + 1, 1, b'0', f),
        b'U' => number(out, (l.yearday - l.weekday + 7) / 7, 2, b'0', f),
        b'V' => number(out, l.iso_week().1, 2, b'0', f),
        b'w' => number(out, l.weekday, 1, b'0', f),
        b'W' => number(out, (l.yearday - (l.weekday + 6) % 7 + 7) / 7, 2, b'0', f),
        b'y' => number(out, of_century(l.year, library), 2, b'0', f),
        b'Y' => year(out, l.year, 4, f),
        b'z' if library => {
            // The sign is padded like text, the rest like a number.
            let hours_and_minutes = l.offset.abs() / 3600 * 100 + l.offset.abs() / 60 % 60;
            text(out, if l.offset < 0 { "-" } else { "+" }, f);
            number(out, hours_and_minutes, 4, b'0', f);
        }
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

/// The last two digits of a year. For negative years, `date` uses the absolute value.
fn of_century(year: i64, library: bool) -> i64 {
    if library { year.rem_euclid(100) } else { year.abs() % 100 }
}

fn named(list: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|i| list.get(i)).copied().unwrap_or("?")
}

fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

fn text(out: &mut Vec<u8>, s: &str, f: Flags) {
    bytes(out, s.as_bytes(), f);
}

// An unknown conversion is copied like text.
fn verbatim(out: &mut Vec<u8>, raw: &[u8], f: Flags) {
    bytes(out, raw, f);
}

fn bytes(out: &mut Vec<u8>, s: &[u8], f: Flags) {
    // Only in `date`, `-` means no padding at all.
    if f.pad != Some(b'-') || f.dialect == Dialect::Library {
        let pad = if f.pad == Some(b'0') { b'0' } else { b' ' };
        out.resize(out.len() + f.width.unwrap_or(0).saturating_sub(s.len()), pad);
    }
    let begin = out.len();
    out.extend_from_slice(s);
    if f.upper {
        out[begin..].make_ascii_uppercase();
    }
}

fn name(out: &mut Vec<u8>, s: &str, f: Flags) {
    text(out, s, Flags { upper: f.upper || f.swap, ..f });
}

fn nested(out: &mut Vec<u8>, pattern: &[u8], f: Flags, m: &Moment<'_>) {
    let mut inner = Vec::new();
    put(&mut inner, pattern, m, Flags::new(f.dialect, f.upper));
    bytes(out, &inner, Flags { upper: false, ..f });
}

fn number(out: &mut Vec<u8>, n: i64, digits: usize, pad: u8, f: Flags) {
    let library = f.dialect == Dialect::Library;
    let (pad, digits) = match f.pad {
        // In the library, `-` removes the minimum number of digits, and a width pads with blanks.
        Some(b'-') if library => (Some(b' '), 1),
        Some(b'-') => (None, digits),
        Some(b'_') => (Some(b' '), digits),
        Some(_) => (Some(b'0'), digits),
        None => (Some(pad), digits),
    };
    let s = n.unsigned_abs().to_string();
    let sign: &[u8] = if n < 0 { b"-" } else { b"" };
    let width = f.width.unwrap_or(digits);
    let width = if library { width.max(digits) } else { width };
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
    // The library writes years without leading zeros.
    let digits = if f.dialect == Dialect::Library && digits == 4 { 1 } else { digits };
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
