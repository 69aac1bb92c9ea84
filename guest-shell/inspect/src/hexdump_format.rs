//! Parses the format strings of `hexdump` and computes how much data they take.

use sandshell_cli::{bytes, warn};
use sandshell_float::directive::Directive;
use sandshell_posix::characters;

/// What a conversion prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Only the text before it.
    Text,
    /// `%_a`: the offset, in the base that this letter names.
    Address(u8),
    /// `%c`
    Char,
    /// `%d`, `%i`
    Signed,
    /// `%o`, `%u`, `%x`, `%X`
    Unsigned(u8),
    /// `%e` and similar.
    Float(u8),
    /// `%s`
    String,
    /// `%_c`
    Escaped,
    /// `%_p`
    Printable,
    /// `%_u`
    Named,
}

/// A conversion and the text before it.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) before: Vec<u8>,
    pub(crate) kind: Kind,
    pub(crate) directive: Directive,
    /// How many bytes it takes.
    pub(crate) bytes: usize,
}

/// A group of conversions that is repeated.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    text: Vec<u8>,
    pub(crate) repeat: usize,
    repeat_given: bool,
    bytes: usize,
    pub(crate) units: Vec<Unit>,
    /// `%_A`: printed only at the end.
    pub(crate) at_end: bool,
    /// Whether the last character is left out in the last repetition.
    pub(crate) trims: bool,
}

/// One format string.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) groups: Vec<Group>,
    bytes: usize,
}

/// Parses a format string.
pub(crate) fn parse(text: &[u8]) -> Result<Format, i32> {
    let bad = || {
        warn!("hexdump", "bad format {", text, "}");
        1
    };
    let mut groups = Vec::new();
    let mut rest = text.trim_ascii_start();
    while !rest.is_empty() {
        let mut group = Group {
            text: Vec::new(),
            repeat: 1,
            repeat_given: false,
            bytes: 0,
            units: Vec::new(),
            at_end: false,
            trims: false,
        };
        if let Some((number, after)) = number(rest) {
            if !after.first().is_some_and(|b| *b == b'/' || b.is_ascii_whitespace()) {
                return Err(bad());
            }
            rest = after;
            group.repeat = number;
            group.repeat_given = true;
            rest = rest[1..].trim_ascii_start();
        }
        if let Some(after) = rest.strip_prefix(b"/") {
            rest = after.trim_ascii_start();
        }
        if let Some((count, behind)) = self::number(rest) {
            if !behind.first().is_some_and(u8::is_ascii_whitespace) {
                return Err(bad());
            }
            group.bytes = count;
            rest = behind.trim_ascii_start();
        }
        let quoted = rest.strip_prefix(b"\"").ok_or_else(bad)?;
        let end = quoted.iter().position(|b| *b == b'"').ok_or_else(bad)?;
        group.text = unescape(&quoted[..end]);
        rest = quoted[end + 1..].trim_ascii_start();
        groups.push(group);
    }
    Ok(Format { groups, bytes: 0 })
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    let value = digits.iter().fold(0usize, |n, d| n.saturating_mul(10).saturating_add(usize::from(d - b'0')));
    (count > 0).then_some((value.min(1 << 24), rest))
}

/// Replaces escapes by their characters. As in util-linux, a string with an escape in the middle comes out wrong: the
/// text after the escape is not moved up, but cut off at the end. Most formats have escapes only at their end.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let (mut from, mut to) = (0, 0);
    while let Some(byte) = text.get(from) {
        if *byte == b'\\' {
            from += 1;
            let Some(letter) = text.get(from) else {
                to += 1;
                break;
            };
            out[to] = characters::escape(*letter);
        }
        from += 1;
        to += 1;
    }
    out.truncate(to);
    out
}

/// Compiles the formats. Returns the size of a block: the number of bytes that the largest format takes.
pub(crate) fn compile(formats: &mut [Format]) -> Result<usize, i32> {
    for format in formats.iter_mut() {
        format.bytes = 0;
        for group in &mut format.groups {
            compile_group(group)?;
            format.bytes = format.bytes.saturating_add(group.bytes.saturating_mul(group.repeat));
        }
    }
    let block = formats.iter().map(|f| f.bytes).max().unwrap_or(0);
    for format in formats {
        if let Some(last) = format.groups.last_mut()
            && format.bytes < block
            && !last.repeat_given
            && last.bytes > 0
        {
            last.repeat += (block - format.bytes) / last.bytes;
        }
        for group in &mut format.groups {
            let last = group.units.last();
            group.trims = group.repeat > 1
                && last.is_some_and(|u| {
                    u.kind == Kind::Text
                        && u.before.last().is_some_and(|b| b.is_ascii_whitespace() || *b == 11)
                });
        }
    }
    Ok(block)
}

fn compile_group(group: &mut Group) -> Result<(), i32> {
    let given = group.bytes;
    let text = std::mem::take(&mut group.text);
    let mut rest = &text[..];
    let mut conversions = 0;
    while !rest.is_empty() {
        let Some(percent) = rest.iter().position(|b| *b == b'%') else {
            let before = rest.to_vec();
            group.units.push(Unit { before, kind: Kind::Text, directive: Directive::default(), bytes: 0 });
            break;
        };
        let before = rest[..percent].to_vec();
        let from = &rest[percent + 1..];
        let (directive, length) = directive(from);
        let (kind, letters) = kind(&from[length..], &rest[percent..])?;
        let shown = &rest[percent..percent + 1 + length + letters];
        let count = |allowed: &[usize], default: usize| {
            if given == 0 {
                Ok(default)
            } else if allowed.contains(&given) {
                Ok(given)
            } else {
                let letter = &shown[shown.len() - 1..];
                warn!("hexdump", "bad byte count for conversion character ", letter);
                Err(1)
            }
        };
        let bytes = match kind {
            Kind::Text | Kind::Address(_) => 0,
            Kind::Char | Kind::Escaped | Kind::Printable | Kind::Named => count(&[1], 1)?,
            Kind::Signed | Kind::Unsigned(_) => count(&[1, 2, 4, 8], 4)?,
            Kind::Float(_) => count(&[4, 8, 16], 8)?,
            Kind::String if given > 0 => given,
            Kind::String => match directive.precision {
                Some(precision) => precision,
                None => {
                    warn!("hexdump", "%s requires a precision or a byte count");
                    return Err(1);
                }
            },
        };
        if !matches!(kind, Kind::Address(_)) && given > 0 {
            conversions += 1;
            if conversions > 1 {
                warn!("hexdump", "byte count with multiple conversion characters");
                return Err(1);
            }
        }
        group.at_end |= from.get(length..length + 2) == Some(b"_A");
        group.units.push(Unit { before, kind, directive, bytes });
        rest = &from[length + letters..];
    }
    if given == 0 {
        group.bytes = group.units.iter().map(|u| u.bytes).sum();
    }
    Ok(())
}

/// Parses flags, width and precision. Returns their length too.
fn directive(text: &[u8]) -> (Directive, usize) {
    let mut d = Directive::default();
    let mut at = 0;
    while let Some(flag) = text.get(at) {
        match flag {
            b'-' => d.minus = true,
            b'+' => d.plus = true,
            b' ' => d.space = true,
            b'#' => d.alternate = true,
            b'0' => d.zero = true,
            _ => break,
        }
        at += 1;
    }
    if let Some((width, rest)) = number(&text[at..]) {
        d.width = width.min(1 << 16);
        at = text.len() - rest.len();
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        let (precision, rest) = number(&text[at..]).unwrap_or((0, &text[at..]));
        d.precision = Some(precision.min(1 << 16));
        at = text.len() - rest.len();
    }
    (d, at)
}

/// Parses the conversion that `text` begins with. Returns its length too. `whole` is for the error message.
fn kind(text: &[u8], whole: &[u8]) -> Result<(Kind, usize), i32> {
    Ok(match text {
        [b'c', ..] => (Kind::Char, 1),
        [b'd' | b'i', ..] => (Kind::Signed, 1),
        [letter @ (b'o' | b'u' | b'x' | b'X'), ..] => (Kind::Unsigned(*letter), 1),
        [letter @ (b'e' | b'f' | b'g' | b'E' | b'G'), ..] => (Kind::Float(*letter), 1),
        [b's', ..] => (Kind::String, 1),
        [b'_', b'a' | b'A', letter @ (b'd' | b'o' | b'x'), ..] => (Kind::Address(*letter), 3),
        [b'_', b'c', ..] => (Kind::Escaped, 2),
        [b'_', b'p', ..] => (Kind::Printable, 2),
        [b'_', b'u', ..] => (Kind::Named, 2),
        other => {
            let length = match other {
                [b'_', b'a' | b'A', ..] => 3,
                [b'_', ..] => 2,
                _ => 1,
            };
            let end = (whole.len() - other.len() + length).min(whole.len());
            warn!("hexdump", bytes!("bad conversion character ", &whole[..end]));
            return Err(1);
        }
    })
}
