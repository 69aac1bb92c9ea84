//! Parses dates in the language of GNU's `date -d`.

use crate::calendar::{Local, days_in_month, utc_seconds};
use crate::zone::Zone;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// Value, number of digits, whether there was a sign, and whether it was a minus.
    Number {
        value: i64,
        digits: usize,
        signed: bool,
        negative: bool,
    },
    /// Seconds and nanoseconds (both toward the past if negative), and whether there was a sign.
    Decimal {
        seconds: i64,
        nanos: i64,
        signed: bool,
    },
    Meridian(bool),
    Month(i64),
    Day(i64),
    Unit(Unit, i64),
    Ordinal(i64),
    Shift(i64),
    Ago(i64),
    /// Seconds east of UTC.
    Zone(i64),
    DaylightZone(i64),
    /// Given by the zone's own abbreviation: that of summer time (true) or of standard time.
    LocalZone(bool),
    Daylight,
    T,
    Punctuation(u8),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

#[derive(Default)]
struct Parsed {
    year: Option<(i64, usize)>,
    month: i64,
    day: i64,
    clock: Option<(i64, i64, i64, i64)>,
    meridian: Option<bool>,
    weekday: Option<(i64, i64)>,
    zone: Option<i64>,
    rel: [i64; 6],
    rel_nanos: i64,
    dates: u32,
    times: u32,
    days: u32,
    zones: u32,
    locals: u32,
    summer: Option<bool>,
    rels: u32,
}

/// The point in time that `text` describes, in seconds and nanoseconds since the epoch. `now` is the current time.
/// `None` if the text is not a date.
pub fn parse(text: &[u8], now: (i64, u32), zone: &Zone) -> Option<(i64, u32)> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let named;
    let (text, zone) = match text.strip_prefix("TZ=\"").and_then(|t| t.split_once('"')) {
        Some((name, rest)) => {
            named = Zone::named(name);
            (rest.trim_start(), &named)
        }
        None => (text, zone),
    };
    if let Some(rest) = text.strip_prefix('@') {
        let tokens = tokens(rest, zone, now.0)?;
        return match tokens.as_slice() {
            [Token::Number { value, .. }] => Some((*value, 0)),
            [Token::Decimal { seconds, nanos, .. }] => {
                Some((seconds + nanos.div_euclid(NANOS), nanos.rem_euclid(NANOS) as u32))
            }
            _ => None,
        };
    }
    let tokens = tokens(text, zone, now.0)?;
    let mut p = Parsed::default();
    let mut at = 0;
    while at < tokens.len() {
        at += item(&mut p, &tokens[at..])?;
    }
    resolve(&p, now, zone)
}

const NANOS: i64 = 1_000_000_000;

const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
const DAYS: [&str; 7] = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];
/// Words that count units of time. SECOND is missing, because it is a unit itself.
const COUNTS: [&str; 13] = [
    "THIS", "FIRST", "", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH", "EIGHTH", "NINTH", "TENTH",
    "ELEVENTH", "TWELFTH",
];

/// The number for a word in upper case.
fn counted(word: &str) -> Option<i64> {
    match word {
        "LAST" => Some(-1),
        "NEXT" => Some(1),
        _ => COUNTS.iter().position(|count| !count.is_empty() && *count == word).map(|at| at as i64),
    }
}
/// Name, minutes east of UTC in standard time, and whether the name means daylight saving time.
const ZONES: [(&str, i64, bool); 50] = [
    ("GMT", 0, false),
    ("UT", 0, false),
    ("UTC", 0, false),
    ("WET", 0, false),
    ("WEST", 0, true),
    ("BST", 0, true),
    ("ART", -180, false),
    ("BRT", -180, false),
    ("BRST", -180, true),
    ("NST", -210, false),
    ("NDT", -210, true),
    ("AST", -240, false),
    ("ADT", -240, true),
    ("CLT", -240, false),
    ("CLST", -240, true),
    ("EST", -300, false),
    ("EDT", -300, true),
    ("CST", -360, false),
    ("CDT", -360, true),
    ("MST", -420, false),
    ("MDT", -420, true),
    ("PST", -480, false),
    ("PDT", -480, true),
    ("AKST", -540, false),
    ("AKDT", -540, true),
    ("HST", -600, false),
    ("HAST", -600, false),
    ("HADT", -600, true),
    ("SST", -720, false),
    ("WAT", 60, false),
    ("CET", 60, false),
    ("CEST", 60, true),
    ("MET", 60, false),
    ("MEZ", 60, false),
    ("MEST", 60, true),
    ("MESZ", 60, true),
    ("EET", 120, false),
    ("EEST", 120, true),
    ("CAT", 120, false),
    ("SAST", 120, false),
    ("EAT", 180, false),
    ("MSK", 180, false),
    ("MSD", 180, true),
    ("IST", 330, false),
    ("SGT", 480, false),
    ("KST", 540, false),
    ("JST", 540, false),
    ("GST", 600, false),
    ("NZST", 720, false),
    ("NZDT", 720, true),
];

fn tokens(text: &str, zone: &Zone, now: i64) -> Option<Vec<Token>> {
    let b = text.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(c) = b.get(i).copied() {
        match c {
            _ if c.is_ascii_whitespace() || c == 0x0b => i += 1,
            b'(' => {
                let mut depth = 0;
                loop {
                    match b.get(i) {
                        Some(b'(') => depth += 1,
                        Some(b')') => depth -= 1,
                        Some(_) => {}
                        // The end of the text also closes a comment.
                        None => break,
                    }
                    i += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            b'0'..=b'9' | b'-' | b'+' => {
                let signed = !c.is_ascii_digit();
                if signed {
                    i += 1;
                    while b.get(i).is_some_and(u8::is_ascii_whitespace) {
                        i += 1;
                    }
                    if !b.get(i).is_some_and(u8::is_ascii_digit) {
                        // A single sign is ignored.
                        continue;
                    }
                }
                let negative = c == b'-';
                let start = i;
                while b.get(i).is_some_and(u8::is_ascii_digit) {
                    i += 1;
                }
                let digits = i - start;
                let magnitude: i64 = text[start..i].parse().ok()?;
                let value = if negative { -magnitude } else { magnitude };
                let fraction =
                    matches!(b.get(i), Some(b'.' | b',')) && b.get(i + 1).is_some_and(u8::is_ascii_digit);
                if fraction {
                    i += 1;
                    let from = i;
                    while b.get(i).is_some_and(u8::is_ascii_digit) {
                        i += 1;
                    }
                    let nanos: i64 = format!("{:0<9}", &text[from..i])[..9].parse().ok()?;
                    let nanos = if negative { -nanos } else { nanos };
                    out.push(Token::Decimal { seconds: value, nanos, signed });
                } else {
                    out.push(Token::Number { value, digits, signed, negative });
                }
            }
            _ if c.is_ascii_alphabetic() => {
                let start = i;
                while b.get(i).is_some_and(|c| c.is_ascii_alphabetic() || *c == b'.') {
                    i += 1;
                }
                out.push(word(&text[start..i].to_ascii_uppercase(), zone, now)?);
            }
            _ => {
                out.push(Token::Punctuation(c));
                i += 1;
            }
        }
    }
    Some(out)
}

fn word(w: &str, zone: &Zone, now: i64) -> Option<Token> {
    match w {
        "AM" | "A.M." => return Some(Token::Meridian(false)),
        "PM" | "P.M." => return Some(Token::Meridian(true)),
        "SEPT" => return Some(Token::Month(9)),
        "TUES" => return Some(Token::Day(2)),
        "WEDNES" => return Some(Token::Day(3)),
        "THUR" | "THURS" => return Some(Token::Day(4)),
        "DST" => return Some(Token::Daylight),
        "TOMORROW" => return Some(Token::Shift(1)),
        "YESTERDAY" => return Some(Token::Shift(-1)),
        "TODAY" | "NOW" => return Some(Token::Shift(0)),
        "AGO" => return Some(Token::Ago(-1)),
        "HENCE" => return Some(Token::Ago(1)),
        "T" => return Some(Token::T),
        _ => {}
    }
    let short = w.len() == 3 || w.len() == 4 && w.ends_with('.');
    let same = |full: &str| if short { full[..3] == w[..3] } else { full == w };
    if let Some(i) = MONTHS.iter().position(|m| same(m)) {
        return Some(Token::Month(i as i64 + 1));
    }
    if let Some(i) = DAYS.iter().position(|d| same(d)) {
        return Some(Token::Day(i as i64));
    }
    let find_zone = |w: &str| {
        ZONES.iter().find(|z| z.0 == w).map(|(_, minutes, summer)| {
            if *summer { Token::DaylightZone(minutes * 60) } else { Token::Zone(minutes * 60) }
        })
    };
    if matches!(w, "GMT" | "UT" | "UTC") {
        return find_zone(w);
    }
    // The abbreviations that the local zone uses in the coming year are recognised.
    let quarter = 90 * 24 * 60 * 60;
    if let Some(t) = (0..4).map(|i| now + i * quarter).find(|t| zone.local(*t).abbreviation == w) {
        return Some(Token::LocalZone(zone.is_summer(t)));
    }
    if let Some(z) = find_zone(w) {
        return Some(z);
    }
    if let Some(unit) = unit(w).or_else(|| unit(w.strip_suffix('S')?)) {
        return Some(unit);
    }
    if let Some(count) = counted(w) {
        return Some(Token::Ordinal(count));
    }
    if let [letter] = w.as_bytes() {
        let hours = match letter {
            b'A'..=b'I' => i64::from(letter - b'A') + 1,
            b'K'..=b'M' => i64::from(letter - b'A'),
            b'N'..=b'Y' => -(i64::from(letter - b'N') + 1),
            b'Z' => 0,
            _ => return None,
        };
        return Some(Token::Zone(hours * 3600));
    }
    if w.contains('.') { find_zone(&w.replace('.', "")) } else { None }
}

fn unit(w: &str) -> Option<Token> {
    Some(match w {
        "YEAR" => Token::Unit(Unit::Year, 1),
        "MONTH" => Token::Unit(Unit::Month, 1),
        "FORTNIGHT" => Token::Unit(Unit::Day, 14),
        "WEEK" => Token::Unit(Unit::Day, 7),
        "DAY" => Token::Unit(Unit::Day, 1),
        "HOUR" => Token::Unit(Unit::Hour, 1),
        "MINUTE" | "MIN" => Token::Unit(Unit::Minute, 1),
        "SECOND" | "SEC" => Token::Unit(Unit::Second, 1),
        _ => return None,
    })
}

const COLON: Token = Token::Punctuation(b':');
const SLASH: Token = Token::Punctuation(b'/');
const COMMA: Token = Token::Punctuation(b',');

fn unsigned(t: Option<&Token>) -> Option<(i64, usize)> {
    match t? {
        Token::Number { value, digits, signed: false, .. } => Some((*value, *digits)),
        _ => None,
    }
}

fn signed(t: Option<&Token>) -> Option<(i64, usize, bool)> {
    match t? {
        Token::Number { value, digits, signed: true, negative } => Some((*value, *digits, *negative)),
        _ => None,
    }
}

/// Parses one item. Returns how many tokens it took.
fn item(p: &mut Parsed, t: &[Token]) -> Option<usize> {
    match t.first()? {
        Token::Number { value, digits, signed: false, .. } => unsigned_item(p, t, *value, *digits),
        Token::Number { value, .. } => match t.get(1)? {
            Token::Unit(u, n) => Some(relative(p, *u, value.checked_mul(*n)?, t, 2)),
            _ => None,
        },
        Token::Decimal { seconds, nanos, .. } => match t.get(1)? {
            Token::Unit(Unit::Second, _) => {
                let sign = if let Some(Token::Ago(s)) = t.get(2) { *s } else { 1 };
                p.rels += 1;
                p.rel[5] += seconds * sign;
                p.rel_nanos += nanos * sign;
                Some(2 + usize::from(matches!(t.get(2), Some(Token::Ago(_)))))
            }
            _ => None,
        },
        Token::Unit(u, n) => Some(relative(p, *u, *n, t, 1)),
        Token::Ordinal(n) => match t.get(1)? {
            Token::Day(d) => {
                p.days += 1;
                p.weekday = Some((*n, *d));
                Some(2)
            }
            Token::Unit(u, k) => Some(relative(p, *u, n * k, t, 2)),
            _ => None,
        },
        Token::Day(d) => {
            p.days += 1;
            p.weekday = Some((0, *d));
            Some(1 + usize::from(t.get(1) == Some(&COMMA)))
        }
        Token::Month(m) => {
            p.dates += 1;
            p.month = *m;
            if let Some((day, _, _)) = signed(t.get(1)) {
                let (year, digits, _) = signed(t.get(2))?;
                p.day = -day;
                p.year = Some((-year, digits));
                return Some(3);
            }
            p.day = unsigned(t.get(1))?.0;
            if t.get(2) == Some(&COMMA) {
                p.year = Some(unsigned(t.get(3))?);
                return Some(4);
            }
            Some(2)
        }
        Token::Shift(n) => {
            p.rels += 1;
            p.rel[2] += n;
            Some(1)
        }
        Token::LocalZone(summer) => {
            p.locals += 1;
            let explicit = t.get(1) == Some(&Token::Daylight);
            p.summer = Some(*summer || explicit);
            Some(1 + usize::from(explicit))
        }
        Token::Zone(z) => {
            p.zones += 1;
            p.zone = Some(*z);
            if t.get(1) == Some(&Token::Daylight) {
                p.zone = Some(z + 3600);
                return Some(2);
            }
            if signed(t.get(1)).is_some() && !matches!(t.get(2), Some(Token::Unit(..))) {
                let (offset, used) = offset(&t[1..])?;
                p.zone = Some(z + offset);
                return Some(1 + used);
            }
            Some(1)
        }
        Token::DaylightZone(z) => {
            p.zones += 1;
            p.zone = Some(z + 3600);
            Some(1)
        }
        Token::T => {
            p.zones += 1;
            p.zone = Some(-7 * 3600);
            Some(1)
        }
        Token::Meridian(_) | Token::Ago(_) | Token::Daylight | Token::Punctuation(_) => None,
    }
}

fn relative(p: &mut Parsed, u: Unit, n: i64, t: &[Token], used: usize) -> usize {
    let (sign, more) = match t.get(used) {
        Some(Token::Ago(s)) => (*s, 1),
        _ => (1, 0),
    };
    p.rels += 1;
    p.rel[u as usize] += n * sign;
    used + more
}

fn unsigned_item(p: &mut Parsed, t: &[Token], value: i64, digits: usize) -> Option<usize> {
    match t.get(1) {
        Some(Token::Meridian(_)) => time(p, t),
        Some(x) if *x == COLON => time(p, t),
        Some(x) if *x == SLASH => {
            let (second, _) = unsigned(t.get(2))?;
            p.dates += 1;
            if t.get(3) == Some(&SLASH) {
                let (third, third_digits) = unsigned(t.get(4))?;
                if digits >= 4 {
                    p.year = Some((value, digits));
                    (p.month, p.day) = (second, third);
                } else {
                    (p.month, p.day) = (value, second);
                    p.year = Some((third, third_digits));
                }
                return Some(5);
            }
            (p.month, p.day) = (value, second);
            Some(3)
        }
        Some(Token::Month(m)) => {
            p.dates += 1;
            p.day = value;
            p.month = *m;
            if let Some((year, digits, _)) = signed(t.get(2)) {
                if !matches!(t.get(3), Some(Token::Unit(..))) {
                    p.year = Some((-year, digits));
                    return Some(3);
                }
            } else if let Some(year) = unsigned(t.get(2)) {
                // This applies even if a colon follows, as in GNU's grammar.
                p.year = Some(year);
                return Some(3);
            }
            Some(2)
        }
        Some(Token::Day(d)) => {
            p.days += 1;
            p.weekday = Some((value, *d));
            Some(2)
        }
        Some(Token::Unit(u, n)) => Some(relative(p, *u, value.checked_mul(*n)?, t, 2)),
        Some(Token::Number { value: second, signed: true, .. }) => match t.get(2) {
            Some(Token::Number { value: third, signed: true, .. }) => {
                p.dates += 1;
                p.year = Some((value, digits));
                (p.month, p.day) = (-second, -third);
                if t.get(3) == Some(&Token::T) && unsigned(t.get(4)).is_some() {
                    return Some(4 + time_or_hour(p, &t[4..])?);
                }
                Some(3)
            }
            Some(Token::Unit(u, n)) => {
                number(p, value, digits);
                Some(relative(p, *u, second.checked_mul(*n)?, t, 3))
            }
            _ => time(p, t),
        },
        _ => {
            number(p, value, digits);
            Some(1)
        }
    }
}

/// Interprets a single number: as a year, a date or a time.
fn number(p: &mut Parsed, value: i64, digits: usize) {
    if p.dates > 0 && p.year.is_none() && p.rels == 0 && (p.times > 0 || digits > 2) {
        p.year = Some((value, digits));
    } else if digits > 4 {
        p.dates += 1;
        p.day = value % 100;
        p.month = value / 100 % 100;
        p.year = Some((value / 10_000, digits - 4));
    } else {
        p.times += 1;
        p.meridian = None;
        p.clock = Some(if digits <= 2 { (value, 0, 0, 0) } else { (value / 100, value % 100, 0, 0) });
    }
}

fn time_or_hour(p: &mut Parsed, t: &[Token]) -> Option<usize> {
    match (t.get(1), signed(t.get(1))) {
        (Some(x), _) if *x == COLON => time(p, t),
        (_, Some(_)) => time(p, t),
        _ => {
            p.times += 1;
            p.clock = Some((unsigned(t.first())?.0, 0, 0, 0));
            Some(1)
        }
    }
}

/// Parses `H[:M[:S]]` with an optional meridian or offset.
fn time(p: &mut Parsed, t: &[Token]) -> Option<usize> {
    let hour = unsigned(t.first())?.0;
    let (mut minute, mut second, mut nanos, mut used) = (0, 0, 0, 1);
    if t.get(1) == Some(&COLON) {
        minute = unsigned(t.get(2))?.0;
        used = 3;
        if t.get(3) == Some(&COLON) {
            match t.get(4)? {
                Token::Number { value, signed: false, .. } => second = *value,
                Token::Decimal { seconds, nanos: n, signed: false } => (second, nanos) = (*seconds, *n),
                _ => return None,
            }
            used = 5;
        }
    }
    p.times += 1;
    p.clock = Some((hour, minute, second, nanos));
    p.meridian = None;
    if let Some(Token::Meridian(pm)) = t.get(used) {
        p.meridian = Some(*pm);
        used += 1;
    } else if signed(t.get(used)).is_some() {
        let (offset, more) = offset(&t[used..])?;
        p.zones += 1;
        p.zone = Some(offset);
        used += more;
    }
    Some(used)
}

/// Parses `+HH`, `+HHMM` or `+HH:MM`. Returns seconds east of UTC.
fn offset(t: &[Token]) -> Option<(i64, usize)> {
    let (value, digits, negative) = signed(t.first())?;
    let (minutes, used) = match (t.get(1), unsigned(t.get(2))) {
        (Some(x), Some((mm, _))) if *x == COLON => (value * 60 + if negative { -mm } else { mm }, 3),
        _ if digits <= 2 => (value * 60, 1),
        _ => (value / 100 * 60 + value % 100, 1),
    };
    (minutes.abs() <= 24 * 60).then_some((minutes * 60, used))
}

fn resolve(p: &Parsed, now: (i64, u32), zone: &Zone) -> Option<(i64, u32)> {
    if p.times > 1 || p.dates > 1 || p.days > 1 || p.zones + p.locals > 1 {
        return None;
    }
    let present = zone.local(now.0);
    let (mut year, mut month, mut day) = (present.year, present.month, present.day);
    if p.dates > 0 {
        (month, day) = (p.month, p.day);
        if let Some((y, digits)) = p.year {
            year = match digits {
                2 if (0..69).contains(&y) => y + 2000,
                2 if (69..100).contains(&y) => y + 1900,
                _ => y.abs(),
            };
        }
        if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
            return None;
        }
    }
    let (mut hour, mut minute, mut second, mut nanos) = (0, 0, 0, 0);
    if let Some((h, m, s, n)) = p.clock {
        hour = match p.meridian {
            None if (0..24).contains(&h) => h,
            Some(pm) if (1..=12).contains(&h) => h % 12 + if pm { 12 } else { 0 },
            _ => return None,
        };
        if !(0..60).contains(&m) || !(0..60).contains(&s) {
            return None;
        }
        (minute, second, nanos) = (m, s, n);
    } else if p.rels > 0 && p.dates == 0 && p.days == 0 {
        (hour, minute, second, nanos) = (present.hour, present.minute, present.second, i64::from(now.1));
    }
    let seconds = |y: i64, mo: i64, d: i64| match p.zone {
        Some(offset) => utc_seconds(y, mo, d, hour, minute, second) - offset,
        None => zone.seconds(y, mo, d, hour, minute, second),
    };
    if let (Some((ordinal, wanted)), 0) = (p.weekday, p.dates) {
        let weekday = Local::at_offset(utc_seconds(year, month, day, 0, 0, 0), 0, "").weekday;
        day += (wanted - weekday + 7) % 7 + 7 * (ordinal - i64::from(ordinal > 0 && weekday != wanted));
    }
    let [ry, rmo, rd, rh, rmi, rs] = p.rel;
    let mut total = match (p.zone, p.summer) {
        (None, Some(summer)) => {
            zone.seconds_when(summer, utc_seconds(year, month, day, hour, minute, second))?
        }
        _ => seconds(year, month, day),
    };
    if p.zone.is_none() && (p.dates > 0 || p.times > 0) {
        // A time that is skipped at the beginning of summer time is invalid.
        let shown = zone.local(total);
        if (shown.hour, shown.minute) != (hour, minute) {
            return None;
        }
    }
    if ry != 0 || rmo != 0 || rd != 0 {
        total = seconds(year + ry, month + rmo, day + rd);
    }
    total = total.checked_add(rh.checked_mul(3600)?)?.checked_add(rmi.checked_mul(60)?)?.checked_add(rs)?;
    let nanos = nanos + p.rel_nanos;
    Some((total + nanos.div_euclid(NANOS), nanos.rem_euclid(NANOS) as u32))
}
