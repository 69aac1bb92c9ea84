//! The strings of `tr`: ranges, classes, repetitions.

use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_posix::characters;

/// Uppercase or lowercase letters, which can be translated to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Upper,
    Lower,
}

/// A part of a string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    /// `[:upper:]` or `[:lower:]`.
    Case(Case),
    /// Any other class.
    Class(Vec<u8>),
    /// `[=c=]`.
    Equivalence(u8),
    /// `[c*n]`; without a count, as many as needed.
    Repeat(u8, Option<u64>),
}

impl Part {
    /// The bytes of this part. A repetition yields at most 256 bytes, as more make no difference in a set.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Bytes(b) | Self::Class(b) => b.clone(),
            Self::Case(Case::Upper) => (b'A'..=b'Z').collect(),
            Self::Case(Case::Lower) => (b'a'..=b'z').collect(),
            Self::Equivalence(c) => vec![*c],
            Self::Repeat(c, n) => vec![*c; n.unwrap_or(0).min(1 << 20) as usize],
        }
    }

    pub(crate) fn is_class(&self) -> bool {
        matches!(self, Self::Case(_) | Self::Class(_))
    }
}

/// Parses a string. `Err` is the exit status, after a message was printed.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<Part>, i32> {
    let s = unescape(text);
    let plain = |i: usize, c: u8| s.get(i) == Some(&(c, false));
    let mut parts = Vec::new();
    let mut i = 0;
    while i < s.len() {
        if i + 2 < s.len() && plain(i, b'[') {
            let mut done = None;
            for delimiter in [b':', b'='] {
                if plain(i + 1, delimiter)
                    && let Some(end) = (i + 2..s.len().saturating_sub(1))
                        .find(|j| plain(*j, delimiter) && plain(*j + 1, b']'))
                {
                    done = bracketed(&s, i, end, delimiter)?.map(|part| (part, end + 2));
                    break;
                }
            }
            let done = match done {
                Some(done) => Some(done),
                None => repeat(&s, i)?,
            };
            if let Some((part, next)) = done {
                parts.push(part);
                i = next;
                continue;
            }
        }
        if i + 2 < s.len() && plain(i + 1, b'-') {
            let (from, to) = (s[i].0, s[i + 2].0);
            if from > to {
                let (from, to) = (printable(from), printable(to));
                warn!(
                    "tr",
                    "range-endpoints of '", from, "-", to, "' are in reverse collating sequence order"
                );
                return Err(1);
            }
            parts.push(Part::Bytes((from..=to).collect()));
            i += 3;
            continue;
        }
        match parts.last_mut() {
            Some(Part::Bytes(b)) => b.push(s[i].0),
            _ => parts.push(Part::Bytes(vec![s[i].0])),
        }
        i += 1;
    }
    Ok(parts)
}

/// Parses `[:class:]` or `[=c=]`, whose closing delimiter is at `end`.
fn bracketed(s: &[(u8, bool)], i: usize, end: usize, delimiter: u8) -> Result<Option<Part>, i32> {
    let name: Vec<u8> = s[i + 2..end].iter().map(|c| c.0).collect();
    if name.is_empty() {
        // `[:*]` and `[=*5]` are repetitions of the delimiter.
        let text = if delimiter == b':' {
            "missing character class name '[::]'"
        } else {
            "missing equivalence class character '[==]'"
        };
        warn!("tr", text);
        return Err(1);
    }
    if delimiter == b'=' {
        if let [one] = name.as_slice() {
            return Ok(Some(Part::Equivalence(*one)));
        }
        if star_digits(s, i + 2) {
            return Ok(None);
        }
        warn!("tr", name, ": equivalence class operand must be a single character");
        return Err(1);
    }
    match class(&name) {
        Some(part) => Ok(Some(part)),
        None if star_digits(s, i + 2) => Ok(None),
        None => {
            warn!("tr", "invalid character class ", quote(&name));
            Err(1)
        }
    }
}

/// Whether `*digits]` follows.
fn star_digits(s: &[(u8, bool)], at: usize) -> bool {
    if s.get(at) != Some(&(b'*', false)) {
        return false;
    }
    let digits = s[at + 1..].iter().take_while(|(c, escaped)| c.is_ascii_digit() && !escaped).count();
    s.get(at + 1 + digits) == Some(&(b']', false))
}

/// Parses `[c*n]`.
fn repeat(s: &[(u8, bool)], i: usize) -> Result<Option<(Part, usize)>, i32> {
    if s.get(i + 2) != Some(&(b'*', false)) {
        return Ok(None);
    }
    let mut end = i + 3;
    loop {
        match s.get(end) {
            None | Some((_, true)) => return Ok(None),
            Some((b']', false)) => break,
            Some(_) => end += 1,
        }
    }
    let digits: Vec<u8> = s[i + 3..end].iter().map(|c| c.0).collect();
    let c = s[i + 1].0;
    if digits.is_empty() {
        return Ok(Some((Part::Repeat(c, None), end + 1)));
    }
    let text = std::str::from_utf8(&digits).unwrap_or("x");
    let radix = if digits[0] == b'0' { 8 } else { 10 };
    match u64::from_str_radix(text, radix) {
        Ok(n) if digits[0] != b'+' => Ok(Some((Part::Repeat(c, (n > 0).then_some(n)), end + 1))),
        _ => {
            warn!("tr", "invalid repeat count ", quote(&digits), " in [c*n] construct");
            Err(1)
        }
    }
}

fn class(name: &[u8]) -> Option<Part> {
    let of = |test: fn(&u8) -> bool| Some(Part::Class((0..=255u8).filter(test).collect()));
    match name {
        b"upper" => Some(Part::Case(Case::Upper)),
        b"lower" => Some(Part::Case(Case::Lower)),
        b"alnum" => of(u8::is_ascii_alphanumeric),
        b"alpha" => of(u8::is_ascii_alphabetic),
        b"blank" => of(|b| matches!(b, b' ' | b'\t')),
        b"cntrl" => of(u8::is_ascii_control),
        b"digit" => of(u8::is_ascii_digit),
        b"graph" => of(u8::is_ascii_graphic),
        b"print" => of(|b| (0x20..0x7f).contains(b)),
        b"punct" => of(u8::is_ascii_punctuation),
        b"space" => of(|b| matches!(b, 9..=13 | b' ')),
        b"xdigit" => of(u8::is_ascii_hexdigit),
        _ => None,
    }
}

/// Decodes escapes. Returns the characters, and whether each was written with a backslash.
fn unescape(text: &[u8]) -> Vec<(u8, bool)> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while let Some(&c) = text.get(i) {
        i += 1;
        if c != b'\\' {
            out.push((c, false));
            continue;
        }
        let Some(&e) = text.get(i) else {
            warn!("tr", "warning: an unescaped backslash at end of string is not portable");
            out.push((b'\\', false));
            break;
        };
        i += 1;
        let c = match e {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => characters::escape(e),
            b'0'..=b'7' => {
                let mut value = u32::from(e - b'0');
                let mut digits = vec![e];
                while digits.len() < 3
                    && let Some(d @ b'0'..=b'7') = text.get(i)
                {
                    let next = value * 8 + u32::from(d - b'0');
                    if next > 255 {
                        let all: Vec<u8> = digits.iter().chain([d]).copied().collect();
                        let [a, b, c] = all.as_slice() else { break };
                        let (a, b, c) = (char::from(*a), char::from(*b), char::from(*c));
                        warn!(
                            "tr",
                            format!(
                                "warning: the ambiguous octal escape \\{a}{b}{c} is being\n\tinterpreted as the 2-byte sequence \\0{a}{b}, {c}"
                            )
                        );
                        break;
                    }
                    value = next;
                    digits.push(*d);
                    i += 1;
                }
                value as u8
            }
            other => other,
        };
        out.push((c, true));
    }
    out
}

fn printable(c: u8) -> Vec<u8> {
    if (0x20..0x7f).contains(&c) { vec![c] } else { format!("\\{c:03o}").into_bytes() }
}
