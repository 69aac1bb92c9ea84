//! Output with formats for groups of lines and for single lines.

use super::formats::{CHANGED, NEW, OLD, UNCHANGED};
use super::header;
use super::hunk::{self, Texts};
use super::line;
use crate::engine::Change;
use sandshell_cli::out;
use std::ops::Range;

/// Prints both files, group by group.
pub(crate) fn print(work: &Texts<'_>, script: &[Change]) {
    let formats = &work.options.formats;
    let writer = Writer { work, line_formats: [UNCHANGED, OLD, NEW].map(|w| formats.line(w)) };
    let groups = [UNCHANGED, OLD, NEW, CHANGED].map(|w| formats.group(w));
    let (mut at0, mut at1) = (0, 0);
    header::command(work);
    let unchanged = |a: Range<usize>, b: Range<usize>| {
        if !a.is_empty() || !b.is_empty() {
            writer.group(&groups[UNCHANGED], &[a, b], true, &[]);
        }
    };
    for change in script {
        let Some(extent) = hunk::extent(std::slice::from_ref(change)) else { continue };
        let [old, new] = extent.lines.clone();
        unchanged(at0..old.start, at1..new.start);
        (at0, at1) = (old.end, new.end);
        let which = match (extent.deletes, extent.inserts) {
            (true, true) => CHANGED,
            (true, false) => OLD,
            _ => NEW,
        };
        writer.group(&groups[which], &[old, new], true, &[]);
    }
    unchanged(at0..work.texts[0].len(), at1..work.texts[1].len());
}

struct Writer<'a> {
    work: &'a Texts<'a>,
    line_formats: [&'a [u8]; 3],
}

impl Writer<'_> {
    // Prints a group, or only parses the format if not `shown`. Stops before one of the bytes `until` and returns the
    // rest of the format.
    fn group<'f>(&self, format: &'f [u8], lines: &[Range<usize>; 2], shown: bool, until: &[u8]) -> &'f [u8] {
        let mut rest = format;
        while let Some((c, after)) = rest.split_first() {
            if until.contains(c) {
                break;
            }
            rest = after;
            if *c != b'%' {
                if shown {
                    out::put([*c]);
                }
                continue;
            }
            let next = match after.first() {
                Some(b'%') => {
                    if shown {
                        out::put("%");
                    }
                    after.get(1..)
                }
                Some(b'(') => self.conditional(&after[1..], lines, shown),
                Some(b'<') => self.lines(OLD, 0, &lines[0], shown, &after[1..]),
                Some(b'=') => self.lines(UNCHANGED, 0, &lines[0], shown, &after[1..]),
                Some(b'>') => self.lines(NEW, 1, &lines[1], shown, &after[1..]),
                _ => spec(after, shown, |letter| letter_value(letter, lines)),
            };
            match next {
                Some(n) => rest = n,
                None if shown => out::put("%"),
                None => {}
            }
        }
        rest
    }

    // Prints `A=B?T:E)`.
    fn conditional<'f>(&self, format: &'f [u8], lines: &[Range<usize>; 2], shown: bool) -> Option<&'f [u8]> {
        let (a, rest) = operand(format, lines)?;
        let (b, rest) = operand(rest.strip_prefix(b"=")?, lines)?;
        let rest = rest.strip_prefix(b"?")?;
        let rest = self.group(rest, lines, shown && a == b, b":");
        let Some(rest) = rest.get(1..) else { return Some(rest) };
        let rest = self.group(rest, lines, shown && a != b, b")");
        Some(rest.get(1..).unwrap_or(rest))
    }

    // Prints lines with their line format. Returns `rest` unchanged.
    fn lines<'f>(
        &self,
        which: usize,
        f: usize,
        lines: &Range<usize>,
        shown: bool,
        rest: &'f [u8],
    ) -> Option<&'f [u8]> {
        if shown {
            for i in lines.clone() {
                self.line(self.line_formats[which], f, i);
            }
        }
        Some(rest)
    }

    fn line(&self, format: &[u8], f: usize, i: usize) {
        let text = &self.work.texts[f];
        let mut rest = format;
        while let Some((c, after)) = rest.split_first() {
            rest = after;
            if *c != b'%' {
                out::put([*c]);
                continue;
            }
            match after.first() {
                Some(b'%') => {
                    out::put("%");
                    rest = &after[1..];
                }
                Some(b'l') => {
                    line::bare(self.work, text.body(i));
                    rest = &after[1..];
                }
                Some(b'L') => {
                    line::bare(self.work, text.line(i));
                    rest = &after[1..];
                }
                _ => match spec(after, true, |letter| (letter == b'n').then_some(i + 1)) {
                    Some(next) => rest = next,
                    None => out::put("%"),
                },
            }
        }
    }
}

fn operand<'f>(format: &'f [u8], lines: &[Range<usize>; 2]) -> Option<(usize, &'f [u8])> {
    let digits = format.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 0 {
        let value = crate::number::whole(&format[..digits])?;
        return Some((value, &format[digits..]));
    }
    let (letter, rest) = format.split_first()?;
    Some((letter_value(*letter, lines)?, rest))
}

// Uppercase letters are about the new file's lines, lowercase letters about the old file's.
fn letter_value(letter: u8, lines: &[Range<usize>; 2]) -> Option<usize> {
    let Range { start, end } = lines[usize::from(letter.is_ascii_uppercase())].clone();
    Some(match letter.to_ascii_lowercase() {
        b'e' => start,
        b'f' => start + 1,
        b'l' => end,
        b'm' => end + 1,
        b'n' => end - start,
        _ => return None,
    })
}

// Prints the conversion after a `%`: a character or a number. `None` if it is not valid.
fn spec(format: &[u8], shown: bool, value: impl Fn(u8) -> Option<usize>) -> Option<&[u8]> {
    let flags = format.iter().take_while(|b| matches!(b, b'-' | b'\'')).count();
    let left = format[..flags].contains(&b'-');
    let rest = &format[flags..];
    let (width, rest) = digits(rest);
    let (precision, rest) = match rest.strip_prefix(b".") {
        Some(r) => {
            let (p, r) = digits(r);
            (Some(p), r)
        }
        None => (None, rest),
    };
    let (kind, rest) = rest.split_first()?;
    if *kind == b'c' {
        let (c, rest) = character(rest.strip_prefix(b"'")?)?;
        if shown {
            out::put([c]);
        }
        return Some(rest);
    }
    let (letter, rest) = rest.split_first()?;
    let form = |n: usize| {
        Some(match kind {
            b'd' => n.to_string(),
            b'o' => format!("{n:o}"),
            b'x' => format!("{n:x}"),
            b'X' => format!("{n:X}"),
            _ => return None,
        })
    };
    let n = value(*letter)?;
    let mut text = form(n)?;
    if precision == Some(0) && n == 0 {
        text.clear();
    }
    if let Some(p) = precision {
        text.insert_str(0, &"0".repeat(p.saturating_sub(text.len())));
    }
    // A leading zero in the width asks for padding with zeros.
    let zeroes = format[flags..].starts_with(b"0") && !left && precision.is_none();
    let missing = width.saturating_sub(text.len());
    let text = match (left, zeroes) {
        (true, _) => text + &" ".repeat(missing),
        (_, true) => "0".repeat(missing) + &text,
        _ => " ".repeat(missing) + &text,
    };
    if shown {
        out::put(text);
    }
    Some(rest)
}

fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let n = crate::number::whole(&text[..count]).unwrap_or(0);
    (n.min(1 << 16), &text[count..])
}

// Reads `C'` or `\OOO'`.
fn character(text: &[u8]) -> Option<(u8, &[u8])> {
    let (c, rest) = text.split_first()?;
    match c {
        b'\'' => None,
        b'\\' => {
            let count = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = rest[..count].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
            let after = rest[count..].strip_prefix(b"'")?;
            (count > 0).then_some((u8::try_from(value).ok()?, after))
        }
        _ => Some((*c, rest.strip_prefix(b"'")?)),
    }
}
