//! The right-hand side of `s`.

use crate::text::{Escape, RECURSIVE, escape};
use sandshell_posix::characters;

/// A parsed replacement.
#[derive(Debug, Default)]
pub(crate) struct Replacement {
    parts: Vec<Part>,
    /// The highest group number in it.
    pub(crate) highest: usize,
    has_case: bool,
}

#[derive(Debug)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
    Case(Case),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// `\U`.
    Upper,
    /// `\L`.
    Lower,
    /// `\u`.
    UpperNext,
    /// `\l`.
    LowerNext,
    /// `\E`.
    End,
}

impl Replacement {
    /// Parses the text between the delimiters. The error does not contain its position.
    pub(crate) fn parse(text: &[u8], posix: bool) -> Result<Self, String> {
        let mut out = Self::default();
        let mut literal = Vec::new();
        let mut at = 0;
        while let Some(&b) = text.get(at) {
            at += 1;
            let part = match b {
                b'&' => Part::Group(0),
                b'\\' => {
                    let Some(&next) = text.get(at) else { break };
                    let case = match next {
                        _ if posix => None,
                        b'U' => Some(Case::Upper),
                        b'L' => Some(Case::Lower),
                        b'u' => Some(Case::UpperNext),
                        b'l' => Some(Case::LowerNext),
                        b'E' => Some(Case::End),
                        _ => None,
                    };
                    if let Some(case) = case {
                        at += 1;
                        out.has_case = true;
                        Part::Case(case)
                    } else if next.is_ascii_digit() {
                        at += 1;
                        Part::Group(usize::from(next - b'0'))
                    } else {
                        let found = escape(&text[at..]);
                        match found {
                            Escape::Byte(byte, len) => {
                                literal.push(byte);
                                at += len;
                            }
                            Escape::Recursive => return Err(RECURSIVE.into()),
                            Escape::Cut => {
                                literal.push(b'\\');
                                at += 1;
                            }
                            Escape::None => {
                                literal.push(next);
                                at += 1;
                            }
                        }
                        continue;
                    }
                }
                _ => {
                    literal.push(b);
                    continue;
                }
            };
            if !literal.is_empty() {
                out.parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            if let Part::Group(n) = part {
                out.highest = out.highest.max(n);
            }
            out.parts.push(part);
        }
        if !literal.is_empty() {
            out.parts.push(Part::Text(literal));
        }
        Ok(out)
    }

    /// Appends the replacement for one match in `text`.
    pub(crate) fn append(&self, out: &mut Vec<u8>, text: &[u8], groups: &[Option<(usize, usize)>]) {
        let group = |n: usize| match groups.get(n).copied().flatten() {
            Some((a, b)) => text.get(a..b).unwrap_or_default(),
            None => b"",
        };
        if !self.has_case {
            for part in &self.parts {
                match part {
                    Part::Text(t) => out.extend_from_slice(t),
                    Part::Group(n) => out.extend_from_slice(group(*n)),
                    Part::Case(_) => {}
                }
            }
            return;
        }
        let (mut all, mut next) = (Case::End, Case::End);
        for part in &self.parts {
            let text = match part {
                Part::Text(t) => t,
                Part::Group(n) => group(*n),
                Part::Case(case) => {
                    match case {
                        Case::UpperNext | Case::LowerNext => next = *case,
                        Case::End => (all, next) = (Case::End, Case::End),
                        Case::Upper | Case::Lower => all = *case,
                    }
                    continue;
                }
            };
            if text.is_empty() {
                continue;
            }
            let first = if next == Case::End { 0 } else { characters::length(text) };
            change(out, &text[..first], next);
            change(out, &text[first..], all);
            next = Case::End;
        }
    }
}

// Appends the text in another case, by characters. A character stays if its counterpart is not a single character.
fn change(out: &mut Vec<u8>, text: &[u8], case: Case) {
    let upper = match case {
        Case::End => return out.extend_from_slice(text),
        Case::Upper | Case::UpperNext => true,
        Case::Lower | Case::LowerNext => false,
    };
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let changed = if upper { single(c.to_uppercase(), c) } else { single(c.to_lowercase(), c) };
            out.extend_from_slice(changed.encode_utf8(&mut buffer).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
}

fn single(mut mapped: impl Iterator<Item = char>, c: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}
