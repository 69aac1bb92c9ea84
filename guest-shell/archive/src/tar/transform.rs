//! `--transform`: applies sed's `s` command to names.

use super::log::{self, Fatal};
use sandshell_regex::{Flags, Regex, Syntax};
use std::rc::Rc;

/// The kind of a name, which decides which transformations apply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Member,
    Symlink,
    Hardlink,
}

/// Which names an expression changes.
#[derive(Clone, Copy)]
pub(crate) struct Concerned {
    members: bool,
    symlinks: bool,
    hardlinks: bool,
}

impl Default for Concerned {
    fn default() -> Self {
        Self { members: true, symlinks: true, hardlinks: true }
    }
}

impl Concerned {
    /// Sets a flag. Returns false if there is no such flag.
    fn set(&mut self, flag: u8) -> bool {
        match flag {
            b'r' => self.members = true,
            b'R' => self.members = false,
            b's' => self.symlinks = true,
            b'S' => self.symlinks = false,
            b'h' => self.hardlinks = true,
            b'H' => self.hardlinks = false,
            _ => return false,
        }
        true
    }
}

/// One `s` expression.
#[derive(Clone)]
pub(crate) struct Transform {
    regex: Rc<Regex>,
    to: Vec<Part>,
    global: bool,
    nth: usize,
    concerned: Concerned,
}

#[derive(Clone)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
    Case(u8),
}

impl Transform {
    pub(crate) fn apply(&self, name: &[u8], of: Of) -> Vec<u8> {
        let concerned = match of {
            Of::Member => self.concerned.members,
            Of::Symlink => self.concerned.symlinks,
            Of::Hardlink => self.concerned.hardlinks,
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

/// Parses `s/…/…/flags` and `flags=…`, separated by `;`.
pub(crate) fn parse(text: &[u8], concerned: &mut Concerned, found: &mut Vec<Transform>) -> Result<(), Fatal> {
    let mut rest = text;
    while !rest.is_empty() {
        rest = match rest.strip_prefix(b"flags=") {
            Some(flags) => defaults(flags, concerned)?,
            None => one(rest, *concerned, found)?,
        };
        rest = match rest.strip_prefix(b";") {
            Some(more) if !more.is_empty() => more,
            _ => break,
        };
    }
    Ok(())
}

fn wrong(text: impl AsRef<[u8]>) -> Fatal {
    log::usage(text)
}

fn defaults<'t>(flags: &'t [u8], concerned: &mut Concerned) -> Result<&'t [u8], Fatal> {
    let end = flags.iter().position(|b| *b == b';').unwrap_or(flags.len());
    let (flags, rest) = flags.split_at(end);
    match flags.iter().find(|flag| !concerned.set(**flag)) {
        Some(flag) => Err(wrong([b"Unknown transform flag: ", std::slice::from_ref(flag)].concat())),
        None => Ok(rest),
    }
}

fn one<'t>(text: &'t [u8], mut concerned: Concerned, found: &mut Vec<Transform>) -> Result<&'t [u8], Fatal> {
    let parts = || {
        let text = text.strip_prefix(b"s")?;
        let delimiter = *text.first()?;
        let (pattern, rest) = section(text.get(1..)?, delimiter)?;
        let (to, rest) = section(rest, delimiter)?;
        Some((pattern, to, rest))
    };
    let (pattern, to, mut rest) = parts().ok_or_else(|| wrong("Invalid transform expression"))?;
    let (mut global, mut nth) = (false, 1);
    let mut flags = Flags::default();
    let mut syntax = Syntax::POSIX_BASIC;
    while let Some((flag, more)) = rest.split_first().filter(|(flag, _)| **flag != b';') {
        rest = more;
        match flag {
            b'g' => global = true,
            b'i' => flags.icase = true,
            b'x' => syntax = Syntax::POSIX_EXTENDED,
            b'0'..=b'9' => {
                nth = usize::from(flag - b'0');
                while let Some((digit @ b'0'..=b'9', more)) = rest.split_first() {
                    nth = nth.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                    rest = more;
                }
            }
            flag if concerned.set(*flag) => {}
            flag => {
                let text = [b"Unknown flag in transform expression: ", std::slice::from_ref(flag)];
                return Err(wrong(text.concat()));
            }
        }
    }
    let regex = Regex::new(&pattern, syntax, flags)
        .map_err(|e| wrong(format!("Invalid transform expression: {e}")))?;
    let to = replacement(&to);
    let highest = to.iter().map(|part| if let Part::Group(n) = part { *n } else { 0 }).max();
    if highest.is_some_and(|n| n > regex.groups()) {
        return Err(wrong("Invalid transform replacement: back reference out of range"));
    }
    found.push(Transform { regex: Rc::new(regex), to, global, nth, concerned });
    Ok(rest)
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
