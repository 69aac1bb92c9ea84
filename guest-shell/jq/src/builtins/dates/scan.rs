//! `strptime` in the C locale.

use super::Time;
use sandshell_time::calendar::{MONTHS, WEEKDAYS, date_of, days_before};

/// Parses a time. Also returns the rest of the text.
pub(super) fn scan<'a>(text: &'a str, format: &str) -> Option<(Time, &'a str)> {
    let mut scanner = Scanner { rest: text, time: Time { year: 1900, ..Time::default() }, ..Scanner::new() };
    scanner.run(format)?;
    let rest = scanner.rest;
    Some((scanner.finish(), rest))
}

struct Scanner<'a> {
    rest: &'a str,
    time: Time,
    pm: Option<bool>,
    twelve: bool,
    century: Option<i64>,
    have_year: bool,
    have_month: bool,
    have_day: bool,
    have_weekday: bool,
    have_yearday: bool,
    /// The week of the year, and whether weeks begin on Monday.
    week: Option<(i64, bool)>,
    epoch: Option<i64>,
}

impl<'a> Scanner<'a> {
    fn new() -> Self {
        Self {
            rest: "",
            time: Time::default(),
            pm: None,
            twelve: false,
            century: None,
            have_year: false,
            have_month: false,
            have_day: false,
            have_weekday: false,
            have_yearday: false,
            week: None,
            epoch: None,
        }
    }

    fn run(&mut self, format: &str) -> Option<()> {
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c.is_ascii_whitespace() {
                self.blanks();
                continue;
            }
            if c != '%' {
                self.rest = self.rest.strip_prefix(c)?;
                continue;
            }
            let mut letter = chars.next()?;
            while matches!(letter, '-' | '_' | '0' | '^' | '#' | 'E' | 'O') {
                letter = chars.next()?;
            }
            self.field(letter)?;
        }
        Some(())
    }

    fn field(&mut self, letter: char) -> Option<()> {
        match letter {
            '%' => self.rest = self.rest.strip_prefix('%')?,
            'n' | 't' => self.blanks(),
            'a' | 'A' => {
                self.time.weekday = self.name(&WEEKDAYS)?;
                self.have_weekday = true;
            }
            'b' | 'B' | 'h' => {
                self.time.month = self.name(&MONTHS)?;
                self.have_month = true;
            }
            'c' => self.run("%a %b %e %H:%M:%S %Y")?,
            'C' => self.century = Some(self.number(0, 99, 2)?),
            'd' | 'e' => {
                self.time.day = self.number(1, 31, 2)?;
                self.have_day = true;
            }
            'x' | 'D' => self.run("%m/%d/%y")?,
            'F' => self.run("%Y-%m-%d")?,
            'H' | 'k' => {
                self.time.hour = self.number(0, 23, 2)?;
                self.twelve = false;
            }
            'I' | 'l' => {
                self.time.hour = self.number(1, 12, 2)? % 12;
                self.twelve = true;
            }
            'j' => {
                self.time.yearday = self.number(1, 366, 3)? - 1;
                self.have_yearday = true;
            }
            'm' => {
                self.time.month = self.number(1, 12, 2)? - 1;
                self.have_month = true;
            }
            'M' => self.time.minute = self.number(0, 59, 2)?,
            'p' | 'P' => {
                let lower = self.rest.get(..2)?.to_ascii_lowercase();
                self.pm = Some(match lower.as_str() {
                    "am" => false,
                    "pm" => true,
                    _ => return None,
                });
                self.rest = self.rest.get(2..)?;
            }
            'r' => self.run("%I:%M:%S %p")?,
            'R' => self.run("%H:%M")?,
            's' => {
                let digits =
                    self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                self.epoch = Some(self.rest.get(..digits)?.parse().ok()?);
                self.rest = self.rest.get(digits..)?;
            }
            'S' => self.time.second = self.number(0, 61, 2)?,
            'T' | 'X' => self.run("%H:%M:%S")?,
            'u' => {
                self.time.weekday = self.number(1, 7, 1)? % 7;
                self.have_weekday = true;
            }
            'w' => {
                self.time.weekday = self.number(0, 6, 1)?;
                self.have_weekday = true;
            }
            'U' => self.week = Some((self.number(0, 53, 2)?, false)),
            'W' => self.week = Some((self.number(0, 53, 2)?, true)),
            'V' => {
                self.number(0, 53, 2)?;
            }
            'g' => {
                self.number(0, 99, 2)?;
            }
            'G' => {
                self.number(0, 9999, 4)?;
            }
            'y' => {
                let n = self.number(0, 99, 2)?;
                self.time.year = if n >= 69 { 1900 + n } else { 2000 + n };
                self.have_year = true;
            }
            'Y' => {
                self.time.year = self.number(0, 9999, 4)?;
                self.century = None;
                self.have_year = true;
            }
            'z' => self.zone()?,
            'Z' => {
                let end = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    }

    fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (i, name) in names.iter().enumerate() {
            for candidate in [*name, name.get(..3)?] {
                if self.rest.get(..candidate.len()).is_some_and(|s| s.eq_ignore_ascii_case(candidate)) {
                    self.rest = self.rest.get(candidate.len()..)?;
                    return Some(i as i64);
                }
            }
        }
        None
    }

    fn number(&mut self, from: i64, to: i64, most: usize) -> Option<i64> {
        self.rest = self.rest.trim_start_matches(' ');
        let digits = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let n: i64 = self.rest.get(..digits)?.parse().ok()?;
        self.rest = self.rest.get(digits..)?;
        (from..=to).contains(&n).then_some(n)
    }

    fn zone(&mut self) -> Option<()> {
        self.blanks();
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Some(());
        }
        let rest = self.rest.strip_prefix(['+', '-'])?;
        let hours = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        if hours != 2 {
            return None;
        }
        let rest = rest.get(2..)?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let minutes = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        if minutes != 0 && minutes != 2 {
            return None;
        }
        self.rest = rest.get(minutes..)?;
        Some(())
    }

    fn finish(mut self) -> Time {
        if let Some(t) = self.epoch.and_then(|n| Time::of(n as f64)) {
            return t;
        }
        if self.twelve && self.pm == Some(true) {
            self.time.hour += 12;
        }
        if let Some(century) = self.century {
            let in_century = if self.have_year { self.time.year.rem_euclid(100) } else { 0 };
            self.time.year = century * 100 + in_century;
            self.have_year = true;
        }
        let mut t = self.time;
        let january = days_before(t.year, 1, 1);
        if self.have_yearday && !(self.have_month && self.have_day) {
            let (_, month, day) = date_of(january + t.yearday);
            (t.month, t.day) = (month - 1, day);
        } else if let (Some((week, monday)), true) = (self.week, self.have_weekday)
            && !(self.have_month && self.have_day)
        {
            let first = (january + 4).rem_euclid(7);
            let offset = i64::from(monday);
            let weekday = (t.weekday - offset).rem_euclid(7);
            t.yearday = (7 - (first - offset)).rem_euclid(7) + (week - 1) * 7 + weekday;
            let (_, month, day) = date_of(january + t.yearday);
            (t.month, t.day) = (month - 1, day);
        }
        if t.day != 0 || self.have_year || self.have_month {
            let days = days_before(t.year, t.month + 1, t.day);
            if !self.have_weekday || self.have_year || self.have_month {
                t.weekday = (days + 4).rem_euclid(7);
            }
            if !self.have_yearday {
                t.yearday = days - january;
            }
        } else {
            if !self.have_weekday {
                t.weekday = 8;
            }
            if !self.have_yearday {
                t.yearday = 367;
            }
        }
        t
    }
}
