//! `-printf`: parses formats and formats fields.

use super::entry::Entry;
use super::state::State;
use crate::clock::{Clock, Time};
use sandshell_posix::{characters, mode};

/// A part of a format.
pub(crate) enum Piece {
    Text(Vec<u8>),
    Field(Field),
    /// `\c`: flush, and print no more.
    Stop,
}

pub(crate) struct Field {
    flags: Vec<u8>,
    width: usize,
    precision: Option<usize>,
    letter: u8,
    /// The letter after `%A`, `%C` or `%T`.
    sub: u8,
}

/// Parses a format. Warnings are added to `warnings`.
///
/// # Errors
/// The text of the message.
pub(crate) fn parse(format: &[u8], warnings: &mut Vec<String>) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    let mut text = Vec::new();
    let mut i = 0;
    while let Some(&c) = format.get(i) {
        i += 1;
        match c {
            b'\\' => {
                let Some(&e) = format.get(i) else {
                    warnings.push("escape `\\' followed by nothing at all".into());
                    text.push(b'\\');
                    break;
                };
                i += 1;
                let byte = match e {
                    b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => characters::escape(e),
                    b'\\' => b'\\',
                    b'c' => {
                        out.push(Piece::Text(std::mem::take(&mut text)));
                        out.push(Piece::Stop);
                        return Ok(out);
                    }
                    b'0'..=b'7' => {
                        let mut n = u32::from(e - b'0');
                        for _ in 0..2 {
                            let Some(d @ b'0'..=b'7') = format.get(i) else { break };
                            n = n * 8 + u32::from(d - b'0');
                            i += 1;
                        }
                        (n & 0xff) as u8
                    }
                    _ => {
                        warnings.push(format!("unrecognized escape `\\{}'", char::from(e)));
                        text.push(b'\\');
                        e
                    }
                };
                text.push(byte);
            }
            b'%' => {
                let start = i - 1;
                if format.get(i) == Some(&b'%') {
                    i += 1;
                    text.push(b'%');
                    continue;
                }
                let (field, next) = spec(format, i)?;
                i = next;
                if b"ACTB".contains(&field.letter) && field.sub == 0 {
                    warnings.push(format!(
                        "format directive `%{}' should be followed by another character",
                        char::from(field.letter)
                    ));
                    text.extend_from_slice(format.get(start..i).unwrap_or_default());
                    continue;
                }
                if matches!(field.letter, b'{' | b'(' | b'[') {
                    return Err(format!(
                        "error: the format directive `%{}' is reserved for future use",
                        char::from(field.letter)
                    ));
                }
                if !b"abcdDfFgGhHiklmMnpPsStuUyYZACT".contains(&field.letter) {
                    warnings.push(format!("unrecognized format directive `%{}'", char::from(field.letter)));
                    text.extend_from_slice(format.get(start..i).unwrap_or_default());
                    continue;
                }
                out.push(Piece::Text(std::mem::take(&mut text)));
                out.push(Piece::Field(field));
            }
            _ => text.push(c),
        }
    }
    out.push(Piece::Text(text));
    Ok(out)
}

fn spec(format: &[u8], mut i: usize) -> Result<(Field, usize), String> {
    let start = i;
    while format.get(i).is_some_and(|b| b"-+ #0".contains(b)) {
        i += 1;
    }
    let flags = format.get(start..i).unwrap_or_default().to_vec();
    let number = |i: &mut usize| {
        let from = *i;
        while format.get(*i).is_some_and(u8::is_ascii_digit) {
            *i += 1;
        }
        std::str::from_utf8(format.get(from..*i).unwrap_or_default()).ok().and_then(|s| s.parse().ok())
    };
    let width = number(&mut i).unwrap_or(0);
    let mut precision = None;
    if format.get(i) == Some(&b'.') {
        i += 1;
        precision = Some(number(&mut i).unwrap_or(0));
    }
    let Some(&letter) = format.get(i) else { return Err("error: % at end of format string".into()) };
    i += 1;
    let mut sub = 0;
    if b"ACTB".contains(&letter)
        && let Some(&s) = format.get(i)
    {
        sub = s;
        i += 1;
    }
    Ok((Field { flags, width, precision, letter, sub }, i))
}

impl Field {
    /// Formats the field for a file.
    pub(crate) fn text(&self, e: &Entry<'_>, s: &State) -> Vec<u8> {
        let stat = || e.stat(s);
        let number = |n: u64| n.to_string().into_bytes();
        let text = match self.letter {
            b'p' => e.path.clone(),
            b'f' => e.base().to_vec(),
            b'h' => directory(&e.path).to_vec(),
            b'H' => e.root.to_vec(),
            b'P' => {
                let rest = e.path.get(e.root.len()..).unwrap_or_default();
                if e.depth == 0 { Vec::new() } else { rest.strip_prefix(b"/").unwrap_or(rest).to_vec() }
            }
            b'd' if self.flags.contains(&b'+') => format!("+{}", e.depth).into_bytes(),
            b'd' if self.flags.contains(&b' ') => format!(" {}", e.depth).into_bytes(),
            b'd' => number(e.depth as u64),
            b'y' => vec![letter(e.kind(s))],
            b'Y' => vec![followed(e, s)],
            b'l' if e.kind(s) == sandshell_sys::S_IFLNK => {
                sandshell_sys::readlink(&e.path).unwrap_or_default()
            }
            b'l' => Vec::new(),
            _ => {
                let Some(st) = stat() else { return Vec::new() };
                match self.letter {
                    b'a' => long_time((st.atime, st.atime_nsec), s),
                    b'c' => long_time((st.ctime, st.ctime_nsec), s),
                    b't' => long_time((st.mtime, st.mtime_nsec), s),
                    b'A' => self.time((st.atime, st.atime_nsec), s),
                    b'C' => self.time((st.ctime, st.ctime_nsec), s),
                    b'T' => self.time((st.mtime, st.mtime_nsec), s),
                    b'b' => number(st.blocks),
                    b'k' => number(st.blocks.div_ceil(2)),
                    b'D' => number(st.dev),
                    b'F' => s.fs_type(&e.path, st.dev),
                    b'g' => s.names.group(st.gid).map_or_else(|| number(st.gid.into()), <[u8]>::to_vec),
                    b'G' => number(st.gid.into()),
                    b'u' => s.names.user(st.uid).map_or_else(|| number(st.uid.into()), <[u8]>::to_vec),
                    b'U' => number(st.uid.into()),
                    b'i' => number(st.ino),
                    b'n' => number(st.nlink),
                    b's' => number(st.size),
                    b'S' => sparseness(st.size, st.blocks),
                    b'M' => mode::columns(st.mode).to_vec(),
                    b'm' => return self.octal(st.mode & 0o7777),
                    _ => Vec::new(),
                }
            }
        };
        self.pad(text)
    }

    fn pad(&self, mut text: Vec<u8>) -> Vec<u8> {
        if let Some(p) = self.precision
            && self.letter != b'd'
        {
            text.truncate(p);
        }
        let fill = self.width.saturating_sub(text.len());
        if self.flags.contains(&b'-') {
            text.extend(std::iter::repeat_n(b' ', fill));
            return text;
        }
        let zero = self.letter == b'd' && self.flags.contains(&b'0');
        let mut out = vec![if zero { b'0' } else { b' ' }; fill];
        out.append(&mut text);
        out
    }

    // C's `%o`.
    fn octal(&self, n: u32) -> Vec<u8> {
        let mut digits = format!("{n:o}");
        if let Some(p) = self.precision {
            digits = format!("{digits:0>p$}");
        }
        if self.flags.contains(&b'#') && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let width = self.width;
        if self.flags.contains(&b'-') {
            format!("{digits:<width$}").into_bytes()
        } else if self.flags.contains(&b'0') && self.precision.is_none() {
            format!("{digits:0>width$}").into_bytes()
        } else {
            format!("{digits:>width$}").into_bytes()
        }
    }

    fn time(&self, t: Time, s: &State) -> Vec<u8> {
        if self.sub == b'@' {
            return format!("{}.{:09}0", t.0, t.1).into_bytes();
        }
        let clock = Clock::new(t, &s.zone);
        let fraction = format!(".{:09}0", t.1);
        match self.sub {
            b'+' => format!("{}+{}{fraction}", clock.field(b'F'), clock.field(b'T')).into_bytes(),
            c @ (b'S' | b'T' | b'X') => format!("{}{fraction}", clock.field(c)).into_bytes(),
            c => clock.field(c).into_bytes(),
        }
    }
}

fn long_time(t: Time, s: &State) -> Vec<u8> {
    let clock = Clock::new(t, &s.zone);
    let f = |c| clock.field(c);
    format!("{} {} {} {}.{:09}0 {}", f(b'a'), f(b'b'), f(b'e'), f(b'T'), t.1, f(b'Y')).into_bytes()
}

/// The letter for a file type in `%y` and `-type`.
pub(crate) fn letter(kind: u32) -> u8 {
    match mode::type_letter(kind) {
        b'-' => b'f',
        b'?' => b'U',
        c => c,
    }
}

fn followed(e: &Entry<'_>, s: &State) -> u8 {
    let kind = e.kind(s);
    if kind != sandshell_sys::S_IFLNK {
        return letter(kind);
    }
    match sandshell_sys::stat(&e.path, true) {
        Ok(st) => letter(st.mode),
        Err(sandshell_sys::Errno::NOENT | sandshell_sys::Errno::NOTDIR) => b'N',
        Err(sandshell_sys::Errno::LOOP) => b'L',
        Err(_) => b'?',
    }
}

// `%h`: everything before the last component; `.` if there is only one.
fn directory(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |i| i + 1);
    if end == 0 {
        return b"";
    }
    if end < path.len() {
        // GNU find treats trailing slashes like this.
        return path.get(..end).unwrap_or_default();
    }
    match path.iter().rposition(|b| *b == b'/') {
        None => b".",
        Some(i) => path.get(..i).unwrap_or_default(),
    }
}

// Allocated size divided by apparent size, formatted with `%g`.
fn sparseness(size: u64, blocks: u64) -> Vec<u8> {
    if size == 0 {
        return if blocks == 0 { b"1".to_vec() } else { b"inf".to_vec() };
    }
    let value = 512.0 * blocks as f64 / size as f64;
    general(value).into_bytes()
}

// C's `%g` for numbers that are not negative.
fn general(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let exponent = value.log10().floor() as i32;
    let text = if (-4..6).contains(&exponent) {
        format!("{value:.*}", usize::try_from(5 - exponent).unwrap_or(0))
    } else {
        let mantissa = format!("{:.5}", value / 10f64.powi(exponent));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}
