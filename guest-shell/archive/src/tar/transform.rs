//! `--transform`: sed's `s` on names.

use super::log::{self, Fatal};
use sandshell_regex::{Flags, Regex, Syntax};
use std::rc::Rc;

/// What a name is: which transformations apply depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Member,
    Symlink,
    Hardlink,
}

/// One `s` expression.
#[derive(Clone)]
pub(crate) struct Transform {
    regex: Rc<Regex>,
    to: Vec<Part>,
    global: bool,
    nth: usize,
    members: bool,
    symlinks: bool,
    hardlinks: bool,
}

#[derive(Clone)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
    Case(u8),
}

impl Transform {
    /// The changed name.
    pub(crate) fn apply(&self, name: &[u8], of: Of) -> Vec<u8> {
        let concerned = match of {
            Of::Member => self.members,
            Of::Symlink => self.symlinks,
            Of::Hardlink => self.hardlinks,
        };
        if !concerned {
            return name.to_vec();
        }
        let mut result = Vec::new();
        let (mut at, mut copied, mut count) = (0, 0, 0);
        while let Some(groups) = self.regex.captures_at(name, at, at > 0) {
            let Some((from, to)) = groups.first().copied().flatten() else { break };
            count += 1;
            if count >= self.nth {
                result.extend_from_slice(name.get(copied..from).unwrap_or_default());
                self.replace(name, &groups, &mut result);
                copied = to;
                if !self.global {
                    break;
                }
            }
            at = if to > from { to } else { to + 1 };
            if at > name.len() {
                break;
            }
        }
        result.extend_from_slice(name.get(copied..).unwrap_or_default());
        result
    }

    fn replace(&self, name: &[u8], groups: &[Option<(usize, usize)>], result: &mut Vec<u8>) {
        let (mut all, mut once) = (b'E', 0);
        for part in &self.to {
            let text = match part {
                Part::Text(text) => text.as_slice(),
                Part::Group(n) => match groups.get(*n).copied().flatten() {
                    Some((from, to)) => name.get(from..to).unwrap_or_default(),
                    None => b"",
                },
                Part::Case(c @ (b'l' | b'u')) => {
                    once = *c;
                    continue;
                }
                Part::Case(c) => {
                    all = *c;
                    continue;
                }
            };
            let mut text = match all {
                b'L' => text.to_ascii_lowercase(),
                b'U' => text.to_ascii_uppercase(),
                _ => text.to_vec(),
            };
            if let Some(first) = text.first_mut() {
                match once {
                    b'l' => first.make_ascii_lowercase(),
                    b'u' => first.make_ascii_uppercase(),
                    _ => {}
                }
                once = 0;
            }
            result.extend_from_slice(&text);
        }
    }
}

/// Reads `s/…/…/flags`, several with `;` between.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<Transform>, Fatal> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = one(rest, &mut found).ok_or_else(|| log::usage("Invalid transform expression"))?;
        rest = rest.strip_prefix(b";").unwrap_or(rest);
    }
    Ok(found)
}

fn one<'t>(text: &'t [u8], found: &mut Vec<Transform>) -> Option<&'t [u8]> {
    let text = text.strip_prefix(b"s")?;
    let delimiter = *text.first()?;
    let (pattern, rest) = section(text.get(1..)?, delimiter)?;
    let (to, rest) = section(rest, delimiter)?;
    let (mut global, mut nth) = (false, 1);
    let (mut members, mut symlinks, mut hardlinks) = (true, true, true);
    let mut flags = Flags::default();
    let mut syntax = Syntax::POSIX_BASIC;
    let mut at = 0;
    while let Some(flag) = rest.get(at).filter(|b| **b != b';') {
        match flag {
            b'g' => global = true,
            b'i' => flags.icase = true,
            b'x' => syntax = Syntax::POSIX_EXTENDED,
            b'r' => members = true,
            b'R' => members = false,
            b's' => symlinks = true,
            b'S' => symlinks = false,
            b'h' => hardlinks = true,
            b'H' => hardlinks = false,
            b'1'..=b'9' => {
                let digits: Vec<u8> =
                    rest.get(at..)?.iter().copied().take_while(u8::is_ascii_digit).collect();
                nth = std::str::from_utf8(&digits).ok()?.parse().ok()?;
                at += digits.len() - 1;
            }
            _ => return None,
        }
        at += 1;
    }
    let regex = Rc::new(Regex::new(&pattern, syntax, flags).ok()?);
    found.push(Transform { regex, to: replacement(&to), global, nth, members, symlinks, hardlinks });
    rest.get(at..)
}

fn section(text: &[u8], delimiter: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut part = Vec::new();
    let mut at = 0;
    loop {
        match *text.get(at)? {
            b'\\' => {
                let next = *text.get(at + 1)?;
                if next != delimiter {
                    part.push(b'\\');
                }
                part.push(next);
                at += 2;
            }
            b if b == delimiter => return Some((part, text.get(at + 1..)?)),
            b => {
                part.push(b);
                at += 1;
            }
        }
    }
}

fn replacement(text: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut plain = Vec::new();
    let mut bytes = text.iter();
    while let Some(b) = bytes.next() {
        let part = match b {
            b'&' => Part::Group(0),
            b'\\' => match bytes.next() {
                Some(d @ b'0'..=b'9') => Part::Group(usize::from(d - b'0')),
                Some(c @ (b'L' | b'U' | b'E' | b'l' | b'u')) => Part::Case(*c),
                Some(b'n') => {
                    plain.push(b'\n');
                    continue;
                }
                Some(other) => {
                    plain.push(*other);
                    continue;
                }
                None => break,
            },
            other => {
                plain.push(*other);
                continue;
            }
        };
        parts.push(Part::Text(std::mem::take(&mut plain)));
        parts.push(part);
    }
    parts.push(Part::Text(plain));
    parts
}
