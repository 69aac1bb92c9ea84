//! strftime in the C locale, with glibc's flags and widths.

use super::{DAYS, MONTHS, Time, is_leap, standard_time};

/// Formats a time.
pub(super) fn show(time: &Time, format: &str) -> String {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec::default();
        let start = chars.clone();
        while let Some(&flag) = chars.peek() {
            match flag {
                '_' | '-' | '0' | '+' => spec.pad = Some(flag),
                '^' => spec.upper = true,
                '#' => spec.swap = true,
                _ => break,
            }
            chars.next();
        }
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            spec.width = (spec.width * 10 + digit as usize).min(1000);
            chars.next();
        }
        while matches!(chars.peek(), Some('E' | 'O')) {
            chars.next();
        }
        let Some(letter) = chars.next() else {
            out.push('%');
            out.extend(start);
            break;
        };
        match spec.field(time, letter) {
            Some(text) => out.push_str(&text),
            None => {
                out.push('%');
                out.extend(start.take_while(|c| *c != letter));
                out.push(letter);
            }
        }
    }
    out
}

#[derive(Default)]
struct Spec {
    pad: Option<char>,
    upper: bool,
    swap: bool,
    width: usize,
}

impl Spec {
    fn field(&self, t: &Time, letter: char) -> Option<String> {
        let hour12 = if t.hour % 12 == 0 { 12 } else { t.hour % 12 };
        let name = |list: &[&str], i: i64, short: bool| {
            let full = usize::try_from(i).ok().and_then(|i| list.get(i)).copied().unwrap_or("?");
            if short { full.get(..3).unwrap_or(full).to_owned() } else { full.to_owned() }
        };
        let whole = |format: &str| Some(self.text(show(t, format)));
        match letter {
            'Y' => self.number(t.year, 0, '0'),
            'C' => self.number(t.year.div_euclid(100), 2, '0'),
            'y' => self.number(t.year.rem_euclid(100), 2, '0'),
            'm' => self.number(t.month + 1, 2, '0'),
            'd' => self.number(t.day, 2, '0'),
            'e' => self.number(t.day, 2, ' '),
            'H' => self.number(t.hour, 2, '0'),
            'I' => self.number(hour12, 2, '0'),
            'k' => self.number(t.hour, 2, ' '),
            'l' => self.number(hour12, 2, ' '),
            'M' => self.number(t.minute, 2, '0'),
            'S' => self.number(t.second, 2, '0'),
            'j' => self.number(t.yearday + 1, 3, '0'),
            'u' => self.number(if t.weekday == 0 { 7 } else { t.weekday }, 1, '0'),
            'w' => self.number(t.weekday, 1, '0'),
            // C's mktime takes the fields for local standard time.
            's' => self.number(t.seconds() - standard_time().1, 1, '0'),
            'U' => self.number((t.yearday + 7 - t.weekday) / 7, 2, '0'),
            'W' => self.number((t.yearday + 7 - (t.weekday + 6).rem_euclid(7)) / 7, 2, '0'),
            'V' => self.number(iso_week(t).1, 2, '0'),
            'G' => self.number(iso_week(t).0, 0, '0'),
            'g' => self.number(iso_week(t).0.rem_euclid(100), 2, '0'),
            'a' => Some(self.text(name(&DAYS, t.weekday, true))),
            'A' => Some(self.text(name(&DAYS, t.weekday, false))),
            'b' | 'h' => Some(self.text(name(&MONTHS, t.month, true))),
            'B' => Some(self.text(name(&MONTHS, t.month, false))),
            'p' => {
                let text = if t.hour >= 12 { "PM" } else { "AM" };
                Some(if self.swap { text.to_lowercase() } else { self.text(text.to_owned()) })
            }
            'P' => Some(self.text(if t.hour >= 12 { "pm" } else { "am" }.to_owned())),
            'Z' => {
                Some(if self.swap { standard_time().0.to_lowercase() } else { self.text(standard_time().0) })
            }
            'z' => Some("+0000".to_owned()),
            'D' | 'x' => whole("%m/%d/%y"),
            'F' => whole("%Y-%m-%d"),
            'T' | 'X' => whole("%H:%M:%S"),
            'R' => whole("%H:%M"),
            'r' => whole("%I:%M:%S %p"),
            'c' => whole("%a %b %e %H:%M:%S %Y"),
            'n' => Some("\n".to_owned()),
            't' => Some("\t".to_owned()),
            '%' => Some("%".to_owned()),
            _ => None,
        }
    }

    fn text(&self, text: String) -> String {
        let text = if self.upper || self.swap { text.to_uppercase() } else { text };
        let pad = if self.pad == Some('0') { '0' } else { ' ' };
        let missing = self.width.saturating_sub(text.chars().count());
        std::iter::repeat_n(pad, missing).chain(text.chars()).collect()
    }

    fn number(&self, n: i64, width: usize, pad: char) -> Option<String> {
        let (pad, width) = match self.pad {
            Some('-') => (' ', 0),
            Some('_') => (' ', self.width.max(width)),
            Some('0' | '+') => ('0', self.width.max(width)),
            _ => (pad, self.width.max(width)),
        };
        let digits = n.unsigned_abs().to_string();
        let sign = if n < 0 { "-" } else { "" };
        let missing: String =
            std::iter::repeat_n(pad, width.saturating_sub(digits.len() + sign.len())).collect();
        Some(if pad == '0' { format!("{sign}{missing}{digits}") } else { format!("{missing}{sign}{digits}") })
    }
}

/// Year and number of the week by ISO 8601.
fn iso_week(t: &Time) -> (i64, i64) {
    let monday_based = (t.weekday + 6).rem_euclid(7);
    let week = (t.yearday - monday_based + 10).div_euclid(7);
    let weeks_in = |year: i64| {
        let first = super::days_before(year, 1, 1) + 4;
        let weekday = first.rem_euclid(7);
        if weekday == 4 || (weekday == 3 && is_leap(year)) { 53 } else { 52 }
    };
    if week < 1 {
        (t.year - 1, weeks_in(t.year - 1))
    } else if week > weeks_in(t.year) {
        (t.year + 1, 1)
    } else {
        (t.year, week)
    }
}
