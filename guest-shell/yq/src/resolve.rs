//! The types of plain scalars.

/// The rules that determine the type of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// PyYAML's rules, of YAML 1.1.
    V1_1,
    /// The core schema of YAML 1.2, with which yq reads.
    V1_2,
}

/// The kind of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Str,
    Null,
    Bool,
    Int,
    Float,
    Merge,
    /// Types that matter only for quoting: times and `=`.
    Other,
}

/// The kind of a plain scalar with this text.
pub(crate) fn resolve(text: &str, grammar: Grammar) -> Kind {
    // A newline at the end is ignored.
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text == "<<" {
        return Kind::Merge;
    }
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Kind::Null;
    }
    if is_bool(text, grammar) {
        return Kind::Bool;
    }
    match grammar {
        Grammar::V1_1 if is_float_1_1(text) => Kind::Float,
        Grammar::V1_1 if is_int_1_1(text) => Kind::Int,
        Grammar::V1_1 if text == "=" || is_time(text) => Kind::Other,
        Grammar::V1_2 if is_int_1_2(text) => Kind::Int,
        Grammar::V1_2 if is_float_1_2(text) => Kind::Float,
        _ => Kind::Str,
    }
}

fn is_bool(text: &str, grammar: Grammar) -> bool {
    let cased = |word: &str| {
        let mut capital = word.to_owned();
        capital[..1].make_ascii_uppercase();
        text == word || text == capital || text == word.to_ascii_uppercase()
    };
    let words: &[&str] = match grammar {
        Grammar::V1_1 => &["yes", "no", "true", "false", "on", "off"],
        Grammar::V1_2 => &["true", "false"],
    };
    words.iter().any(|w| cased(w))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn all(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

fn is_special_float(text: &str) -> bool {
    matches!(unsigned(text), ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

fn is_int_1_2(text: &str) -> bool {
    text.strip_prefix("0o").is_some_and(|t| all(t, |b| (b'0'..=b'7').contains(&b)))
        || text.strip_prefix("0x").is_some_and(|t| all(t, |b| b.is_ascii_hexdigit()))
        || all(unsigned(text), |b| b.is_ascii_digit())
}

fn is_float_1_2(text: &str) -> bool {
    if is_special_float(text) {
        return true;
    }
    let rest = unsigned(text);
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let good = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => all(mantissa, |b| b.is_ascii_digit()),
    };
    good && exponent.is_none_or(|e| all(unsigned(e), |b| b.is_ascii_digit()))
}

fn is_int_1_1(text: &str) -> bool {
    let rest = unsigned(text);
    let digits = |b: u8| b.is_ascii_digit() || b == b'_';
    if let Some(t) = rest.strip_prefix("0b") {
        return all(t, |b| matches!(b, b'0' | b'1' | b'_'));
    }
    if let Some(t) = rest.strip_prefix("0x") {
        return all(t, |b| b.is_ascii_hexdigit() || b == b'_');
    }
    if let Some(t) = rest.strip_prefix('0') {
        return t.bytes().all(|b| (b'0'..=b'7').contains(&b) || b == b'_');
    }
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut parts = rest.split(':');
    parts.next().is_some_and(|t| t.bytes().all(digits)) && parts.all(is_sixty)
}

// Whether the text is a digit of a sexagesimal number.
fn is_sixty(text: &str) -> bool {
    match text.as_bytes() {
        [b] => b.is_ascii_digit(),
        [b'0'..=b'5', b] => b.is_ascii_digit(),
        _ => false,
    }
}

fn is_float_1_1(text: &str) -> bool {
    if is_special_float(text) {
        return true;
    }
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mantissa_end = text.find(['e', 'E']);
    let (mantissa, exponent) = match mantissa_end {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let good_exponent = exponent.is_none_or(|e| {
        e.starts_with(['-', '+']) && all(e.get(1..).unwrap_or_default(), |b| b.is_ascii_digit())
    });
    let Some((whole, fraction)) = mantissa.split_once('.') else { return false };
    if !digits(fraction) {
        return false;
    }
    // Without an integer part, a sign is not allowed.
    if whole.is_empty() {
        return !fraction.is_empty() && good_exponent;
    }
    let whole = unsigned(whole);
    if !whole.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if whole.contains(':') {
        let mut parts = whole.split(':');
        return exponent.is_none() && parts.next().is_some_and(digits) && parts.all(is_sixty);
    }
    digits(whole) && good_exponent
}

// Whether the text is a date, with or without a time.
fn is_time(text: &str) -> bool {
    let mut at = Scan(text.as_bytes());
    if !(at.digits(4, 4) && at.byte(b'-')) {
        return false;
    }
    let short = text.len() == 10;
    if !(at.digits(1, 2) && at.byte(b'-') && at.digits(1, 2)) {
        return false;
    }
    if at.0.is_empty() {
        return short;
    }
    if !(at.byte(b'T') || at.byte(b't') || at.blanks() > 0) {
        return false;
    }
    if !(at.digits(1, 2) && at.byte(b':') && at.digits(2, 2) && at.byte(b':') && at.digits(2, 2)) {
        return false;
    }
    if at.byte(b'.') {
        at.digits(0, usize::MAX);
    }
    if at.0.is_empty() {
        return true;
    }
    at.blanks();
    if at.byte(b'Z') {
        return at.0.is_empty();
    }
    (at.byte(b'-') || at.byte(b'+'))
        && at.digits(1, 2)
        && (at.0.is_empty() || at.byte(b':') && at.digits(2, 2) && at.0.is_empty())
}

struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn byte(&mut self, b: u8) -> bool {
        let found = self.0.first() == Some(&b);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn digits(&mut self, least: usize, most: usize) -> bool {
        let n = self.0.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        self.0 = &self.0[n..];
        n >= least
    }

    fn blanks(&mut self) -> usize {
        let n = self.0.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        self.0 = &self.0[n..];
        n
    }
}
