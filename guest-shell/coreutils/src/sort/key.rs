//! The keys of `sort`: parsing `-k`, finding keys in a line, comparing keys.

use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_posix::version_order;
use std::cmp::Ordering;

/// How a key is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    #[default]
    Text,
    Numeric,
    General,
    Human,
    Month,
    Random,
    Version,
}

/// One end of a key: the field, counted from 0, and the character in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) field: usize,
    pub(crate) chars: usize,
    pub(crate) skip_blanks: bool,
}

/// A sort key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Key {
    pub(crate) from: Place,
    /// `None` means the end of the line. If `chars` is 0, it is the end of the field.
    pub(crate) to: Option<Place>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) reverse: bool,
    pub(crate) fold: bool,
    pub(crate) dictionary: bool,
    pub(crate) printable: bool,
    /// Whether `b` was given for one of the ends.
    pub(crate) blanks: bool,
    /// Whether it was given as `+POS1 [-POS2]`.
    pub(crate) obsolete: bool,
}

impl Key {
    /// Whether the key has no ordering options of its own, so that the global ones apply.
    pub(crate) fn is_plain(&self) -> bool {
        let ordered = self.reverse || self.fold || self.dictionary || self.printable;
        let blanks = self.from.skip_blanks || self.to.is_some_and(|t| t.skip_blanks);
        self.kinds.is_empty() && !ordered && !blanks
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kinds.last().copied().unwrap_or_default()
    }

    /// Sets the option for an ordering letter. Returns false if there is none. The caller handles `b`.
    pub(crate) fn order(&mut self, letter: u8) -> bool {
        let kind = match letter {
            b'd' => return set(&mut self.dictionary),
            b'f' => return set(&mut self.fold),
            b'i' => return set(&mut self.printable),
            b'r' => return set(&mut self.reverse),
            b'n' => Kind::Numeric,
            b'g' => Kind::General,
            b'h' => Kind::Human,
            b'M' => Kind::Month,
            b'R' => Kind::Random,
            b'V' => Kind::Version,
            _ => return false,
        };
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        true
    }

    /// The letters of options that exclude each other, if there are any.
    pub(crate) fn incompatible(&self) -> Option<String> {
        let text_only = self.dictionary || self.printable;
        let version = usize::from(self.kinds.contains(&Kind::Version));
        let random = usize::from(self.kinds.contains(&Kind::Random));
        let others = self.kinds.len() - version - random;
        if others + usize::from(version + random + usize::from(text_only) > 0) <= 1 {
            return None;
        }
        // In the order of GNU sort's message.
        let mut letters = String::new();
        let flags = [
            (self.dictionary, 'd'),
            (self.fold, 'f'),
            (self.kinds.contains(&Kind::General), 'g'),
            (self.kinds.contains(&Kind::Human), 'h'),
            (self.printable && !self.dictionary, 'i'),
            (self.kinds.contains(&Kind::Month), 'M'),
            (self.kinds.contains(&Kind::Numeric), 'n'),
            (random > 0, 'R'),
            (version > 0, 'V'),
        ];
        letters.extend(flags.iter().filter(|f| f.0).map(|f| f.1));
        Some(letters)
    }

    /// Parses `POS1[,POS2]` with option letters.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, i32> {
        let mut key = Self::default();
        let bad = |why: &str| {
            warn!("sort", why, ": invalid field specification ", quote(text));
            2
        };
        let (field, rest) = count(text, "invalid number at field start")?;
        key.from.field = field.checked_sub(1).ok_or_else(|| bad("field number is zero"))?;
        let mut rest = rest;
        if let Some(after) = rest.strip_prefix(b".") {
            let (chars, after) = count(after, "invalid number after '.'")?;
            key.from.chars = chars.checked_sub(1).ok_or_else(|| bad("character offset is zero"))?;
            rest = after;
        }
        rest = letters(&mut key, rest, false);
        if let Some(after) = rest.strip_prefix(b",") {
            let (field, after) = count(after, "invalid number after ','")?;
            let mut to = Place { field, chars: 0, skip_blanks: false };
            if field == 0 {
                return Err(bad("field number is zero"));
            }
            rest = after;
            if let Some(after) = rest.strip_prefix(b".") {
                let (chars, after) = count(after, "invalid number after '.'")?;
                to.chars = chars;
                rest = after;
            }
            to.field -= 1;
            key.to = Some(to);
            rest = letters(&mut key, rest, true);
        }
        if !rest.is_empty() {
            return Err(bad("stray character in field spec"));
        }
        Ok(key)
    }

    /// The part of the line that the key selects.
    pub(crate) fn slice<'a>(&self, line: &'a [u8], tab: Option<u8>) -> &'a [u8] {
        let from = self.begin(line, tab);
        let to = self.end(line, tab);
        &line[from.min(line.len())..to.max(from).min(line.len())]
    }

    /// The start and the end of the part that is compared. For numbers and months it is only their text. `whole` tells
    /// whether the key is the whole line.
    pub(crate) fn compared(&self, line: &[u8], tab: Option<u8>, whole: bool) -> (usize, usize) {
        let (mut from, to) = (self.begin(line, tab).min(line.len()), self.end(line, tab).min(line.len()));
        let kind = self.kind();
        let tight = matches!(kind, Kind::Numeric | Kind::General | Kind::Human | Kind::Month);
        if !(tight || whole && self.from.skip_blanks) {
            return (from, to);
        }
        let limit = to.max(from);
        from = skip_blanks(&line[..limit], from);
        if to < from {
            return (from, to);
        }
        let text = &line[from..to];
        let length = match kind {
            Kind::Month => {
                if month(text) > 0 {
                    3
                } else {
                    0
                }
            }
            Kind::General => float_length(text),
            Kind::Numeric | Kind::Human => number_length(text, kind == Kind::Human),
            _ => text.len(),
        };
        (from, from + length)
    }

    fn begin(&self, line: &[u8], tab: Option<u8>) -> usize {
        let mut at = 0;
        for _ in 0..self.from.field {
            if at >= line.len() {
                break;
            }
            match tab {
                Some(t) => match memchr::memchr(t, &line[at..]) {
                    Some(i) => at += i + 1,
                    None => at = line.len(),
                },
                None => at = field_end(line, at),
            }
        }
        if self.from.skip_blanks {
            at = skip_blanks(line, at);
        }
        at.saturating_add(self.from.chars).min(line.len())
    }

    fn end(&self, line: &[u8], tab: Option<u8>) -> usize {
        let Some(to) = self.to else { return line.len() };
        let mut at = 0;
        let fields = to.field + usize::from(to.chars == 0);
        for n in 0..fields {
            if at >= line.len() {
                break;
            }
            match tab {
                Some(t) => match memchr::memchr(t, &line[at..]) {
                    Some(i) => {
                        at += i;
                        // Skip the separator, unless the key ends before it.
                        if n + 1 < fields || to.chars != 0 {
                            at += 1;
                        }
                    }
                    None => at = line.len(),
                },
                None => at = field_end(line, at),
            }
        }
        if to.chars != 0 {
            if to.skip_blanks {
                at = skip_blanks(line, at);
            }
            at = at.saturating_add(to.chars).min(line.len());
        }
        at
    }

    /// Whether texts are compared byte by byte, without ignoring or folding anything.
    pub(crate) fn is_bytes(&self) -> bool {
        !(self.fold || self.dictionary || self.printable)
    }

    fn prepared(&self, text: &[u8]) -> Vec<u8> {
        text.iter()
            .filter(|b| !self.dictionary || b.is_ascii_alphanumeric() || matches!(b, b' ' | b'\t' | b'\n'))
            .filter(|b| !self.printable || (0x20..0x7f).contains(*b))
            .map(|b| if self.fold { b.to_ascii_uppercase() } else { *b })
            .collect()
    }

    /// Compares two keys, without `-r`.
    pub(crate) fn compare(&self, a: &[u8], b: &[u8], salt: &[u8; 16]) -> Ordering {
        match self.kind() {
            Kind::Text if self.is_bytes() => a.cmp(b),
            Kind::Text => self.prepared(a).cmp(&self.prepared(b)),
            Kind::Numeric => numeric(a, b),
            Kind::Human => human(a, b),
            Kind::General => general(a, b),
            Kind::Month => month(a).cmp(&month(b)),
            Kind::Version if self.is_bytes() => version_order::compare(a, b),
            Kind::Version => version_order::compare(&self.prepared(a), &self.prepared(b)),
            Kind::Random => {
                let (a, b) = if self.is_bytes() {
                    (a.to_vec(), b.to_vec())
                } else {
                    (self.prepared(a), self.prepared(b))
                };
                if a == b { Ordering::Equal } else { hash(&a, salt).cmp(&hash(&b, salt)).then(a.cmp(&b)) }
            }
        }
    }
}

fn set(flag: &mut bool) -> bool {
    *flag = true;
    true
}

fn letters<'a>(key: &mut Key, text: &'a [u8], end: bool) -> &'a [u8] {
    let mut rest = text;
    while let Some((letter, after)) = rest.split_first() {
        if *letter == b'b' {
            match &mut key.to {
                Some(to) if end => to.skip_blanks = true,
                _ => key.from.skip_blanks = true,
            }
            key.blanks = true;
        } else if !key.order(*letter) {
            break;
        }
        rest = after;
    }
    rest
}

fn count<'a>(text: &'a [u8], why: &str) -> Result<(usize, &'a [u8]), i32> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        warn!("sort", why, ": invalid count at start of ", quote(text));
        return Err(2);
    }
    let n = std::str::from_utf8(&text[..digits]).ok().and_then(|t| t.parse().ok()).unwrap_or(usize::MAX);
    Ok((n, &text[digits..]))
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n')
}

fn skip_blanks(line: &[u8], at: usize) -> usize {
    at + line[at..].iter().take_while(|b| is_blank(**b)).count()
}

/// The end of the field at `at`: blanks, then other characters.
fn field_end(line: &[u8], at: usize) -> usize {
    let at = skip_blanks(line, at);
    at + line[at..].iter().take_while(|b| !is_blank(**b)).count()
}

/// Compares decimal numbers of any length at the start of the texts.
pub(crate) fn numeric(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (&a[skip_blanks(a, 0)..], &b[skip_blanks(b, 0)..]);
    let (na, nb) = (Number::of(a), Number::of(b));
    na.cmp(&nb)
}

/// A decimal number, as parts of its text.
struct Number<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    suffix: u8,
}

impl<'a> Number<'a> {
    fn of(text: &'a [u8]) -> Self {
        let negative = text.first() == Some(&b'-');
        let text = &text[usize::from(negative)..];
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let zeros = text[..digits].iter().take_while(|b| **b == b'0').count();
        let (whole, mut rest) = (&text[zeros..digits], &text[digits..]);
        let mut fraction: &[u8] = b"";
        if let Some(after) = rest.strip_prefix(b".") {
            let n = after.iter().take_while(|b| b.is_ascii_digit()).count();
            fraction = &after[..n];
            rest = &after[n..];
            while let Some(shorter) = fraction.strip_suffix(b"0") {
                fraction = shorter;
            }
        }
        Self { negative, whole, fraction, suffix: rest.first().copied().unwrap_or(0) }
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |n: &Self| if n.is_zero() { 0 } else { 1 - 2 * i32::from(n.negative) };
        match (sign(self), sign(other)) {
            (0, 0) => Ordering::Equal,
            (1, 1) => self.magnitude(other),
            (-1, -1) => other.magnitude(self),
            (a, b) => a.cmp(&b),
        }
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        self.whole
            .len()
            .cmp(&other.whole.len())
            .then_with(|| self.whole.cmp(other.whole))
            .then_with(|| self.fraction.cmp(other.fraction))
    }

    /// The exponent for the unit after the number. For negative numbers it is negative.
    fn unit(&self) -> i32 {
        if self.is_zero() {
            return 0;
        }
        let order = match self.suffix {
            b'k' | b'K' => 1,
            b'M' => 2,
            b'G' => 3,
            b'T' => 4,
            b'P' => 5,
            b'E' => 6,
            b'Z' => 7,
            b'Y' => 8,
            _ => 0,
        };
        if self.negative { -order } else { order }
    }
}

fn human(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (&a[skip_blanks(a, 0)..], &b[skip_blanks(b, 0)..]);
    let (a, b) = (Number::of(a), Number::of(b));
    a.unit().cmp(&b.unit()).then_with(|| a.cmp(&b))
}

/// Compares floating point numbers. Text that is not a number comes first, then NaN.
fn general(a: &[u8], b: &[u8]) -> Ordering {
    let rank = |text: &[u8]| -> (u8, f64) {
        let text = text.trim_ascii_start();
        match float(text) {
            None => (0, 0.0),
            Some(n) if n.is_nan() => (1, 0.0),
            Some(n) => (2, n),
        }
    };
    let (a, b) = (rank(a), rank(b));
    a.0.cmp(&b.0).then_with(|| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal))
}

/// The number at the start of the text, as read by `strtod`.
fn float(text: &[u8]) -> Option<f64> {
    use sandshell_float::extended::{Extended, Kind as Float};
    let plain = text
        .iter()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'))
        .count();
    if plain > 0
        && !matches!(text.get(plain), Some(b'x' | b'X'))
        && let Some(n) = std::str::from_utf8(&text[..plain]).ok().and_then(|t| t.parse::<f64>().ok())
    {
        return Some(n);
    }
    let (value, length, _) = Extended::parse(text);
    if length == 0 {
        return None;
    }
    let magnitude = match value.kind {
        Float::Finite { mantissa, exponent } => mantissa as f64 * f64::from(exponent).exp2(),
        Float::Infinite => f64::INFINITY,
        Float::Nan => f64::NAN,
    };
    Some(if value.negative { -magnitude } else { magnitude })
}

/// The length of the number at the start of the text, as read by `strtold`.
fn float_length(text: &[u8]) -> usize {
    sandshell_float::extended::Extended::parse(text).1
}

/// The length of the decimal number at the start of the text, including its unit if `unit`.
fn number_length(text: &[u8], unit: bool) -> usize {
    let digits = |t: &[u8]| t.iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(text.first() == Some(&b'-'));
    let whole = digits(&text[sign..]);
    let mut end = sign + whole;
    let mut any = whole > 0;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(&text[end + 1..]);
        any |= fraction > 0;
        end += 1 + fraction;
    }
    if !any {
        return 0;
    }
    end + usize::from(unit && text.get(end).is_some_and(|b| b"kKMGTPEZY".contains(b)))
}

fn month(text: &[u8]) -> usize {
    const NAMES: [&[u8; 3]; 12] =
        [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];
    let text = &text[skip_blanks(text, 0)..];
    NAMES.iter().position(|n| text.get(..3).is_some_and(|t| t.eq_ignore_ascii_case(*n))).map_or(0, |i| i + 1)
}

fn hash(text: &[u8], salt: &[u8; 16]) -> u64 {
    // FNV-1a with additional mixing at the end, which is enough for a random order.
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for b in salt.iter().chain(text) {
        h = (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
    }
    h ^= h >> 32;
    h.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
