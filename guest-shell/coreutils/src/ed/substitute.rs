//! Patterns, and the command `s`.

use super::Editor;
use super::address::Addresses;
use super::buffer::Line;
use super::error::{Error, INVALID_SUFFIX, NO_MATCH, Result, UNEXPECTED_END};
use super::print::Print;
use sandshell_posix::locale;
use sandshell_regex::{self as regex, Flags, Regex, Syntax};
use std::rc::Rc;

const NO_SUBSTITUTION: Error = Error::Said(std::borrow::Cow::Borrowed("No previous substitution"));

/// What `s` without a pattern repeats.
#[derive(Clone)]
pub(super) struct Substitution {
    regex: Rc<Regex>,
    replacement: Rc<[Part]>,
    /// Which match of a line; `None` is every one.
    which: Option<u64>,
    /// How the last changed line is printed, if it is.
    print: Print,
    prints: bool,
}

enum Part {
    Text(Vec<u8>),
    /// What a group of the match has found; 0 is the match.
    Group(usize),
}

/// What `&` and `\1` stand for.
type Groups = Vec<Option<(usize, usize)>>;

impl Editor {
    /// Compiles a pattern and remembers it. The empty one is the last one.
    pub(super) fn regex(&mut self, pattern: &[u8], icase: bool) -> Result<Rc<Regex>> {
        if pattern.is_empty() {
            return self.pattern.clone().ok_or("No previous pattern".into());
        }
        let syntax = if self.options.extended { Syntax::POSIX_EXTENDED } else { Syntax::POSIX_BASIC };
        let flags = Flags { icase, bytes: locale::is_bytes(), ..Flags::default() };
        let regex = Regex::new(pattern, syntax, flags).map_err(|error| match error {
            // POSIX has one error for both.
            regex::Error::CloseParen => Error::from("Unmatched ( or \\("),
            error => Error::Said(error.to_string().into()),
        })?;
        let regex = Rc::new(regex);
        self.pattern = Some(regex.clone());
        Ok(regex)
    }

    /// Takes the delimiter of a pattern.
    pub(super) fn delimiter(&mut self) -> Result<u8> {
        match self.text.peek() {
            None | Some(b' ' | b'\n') => Err("Invalid pattern delimiter".into()),
            Some(delimiter) => {
                self.text.advance();
                Ok(delimiter)
            }
        }
    }

    pub(super) fn substitute(&mut self, given: Addresses) -> Result<Print> {
        let current = self.buffer.current;
        let range = self.range(given, (current, current))?;
        let repeats = matches!(self.text.peek(), None | Some(b'\n' | b'g' | b'p' | b'r' | b'0'..=b'9'));
        let substitution = if repeats { self.repeated()? } else { self.read_substitution()? };
        self.substitution = Some(substitution.clone());
        self.apply(range, &substitution)?;
        Ok(if substitution.prints { substitution.print } else { Print::default() })
    }

    /// `s` with suffixes only.
    fn repeated(&mut self) -> Result<Substitution> {
        let (mut toggles_all, mut toggles_print, mut which, mut takes_last) = (false, false, None, false);
        while !self.text.take_end() {
            match self.text.peek() {
                Some(b'g') if which.is_none() && !toggles_all => toggles_all = true,
                Some(b'p') if !toggles_print => toggles_print = true,
                Some(b'r') if !takes_last => takes_last = true,
                Some(b'1'..=b'9') if !toggles_all => {
                    which = Some(self.text.number(i32::MAX as u64).ok_or(INVALID_SUFFIX)?);
                    continue;
                }
                _ => return Err(INVALID_SUFFIX),
            }
            self.text.advance();
        }
        let mut made = self.substitution.clone().ok_or(NO_SUBSTITUTION)?;
        if toggles_all {
            made.which = if made.which.is_none() { Some(1) } else { None };
        }
        if toggles_print {
            made.prints = !made.prints;
            made.print.plainly |= !made.print.is_wanted();
        }
        if takes_last {
            made.regex = self.pattern.clone().ok_or(Error::from("No previous pattern"))?;
        }
        made.which = which.or(made.which);
        Ok(made)
    }

    fn read_substitution(&mut self) -> Result<Substitution> {
        let delimiter = self.delimiter()?;
        let pattern = self.text.pattern(delimiter)?;
        if !self.text.take(delimiter) {
            return Err("Missing pattern delimiter".into());
        }
        let replacement = self.replacement(delimiter)?;
        let mut print = Print::default();
        let (mut icase, mut which, mut all) = (false, None, false);
        if self.text.take(delimiter) {
            loop {
                match self.text.peek() {
                    Some(b'g') if !all && which.is_none() => all = true,
                    Some(b'i' | b'I') if !icase => icase = true,
                    Some(b'1'..=b'9') if !all && which.is_none() => {
                        which = Some(self.text.number(i32::MAX as u64).ok_or(INVALID_SUFFIX)?);
                        continue;
                    }
                    Some(suffix) if print.add(suffix) => {}
                    _ => break,
                }
                self.text.advance();
            }
            if !self.text.take_end() {
                return Err(INVALID_SUFFIX);
            }
        } else {
            // The delimiter may be omitted at the end of the line. In a list, an empty command follows.
            print.plainly = true;
            if !self.text.is_list {
                self.text.take_end();
            }
        }
        let regex = self.regex(&pattern, icase)?;
        let which = if all { None } else { Some(which.unwrap_or(1)) };
        Ok(Substitution { regex, replacement, which, print, prints: print.is_wanted() })
    }

    /// Reads up to the delimiter or the end of the line, over escaped newlines.
    fn replacement(&mut self, delimiter: u8) -> Result<Rc<[Part]>> {
        let (mut parts, mut text) = (Vec::new(), Vec::new());
        let mut is_first = true;
        while let Some(byte) = self.text.peek().filter(|b| *b != delimiter && *b != b'\n') {
            self.text.advance();
            match byte {
                b'%' if is_first && self.text.peek().is_none_or(|b| b == delimiter || b == b'\n') => {
                    let last = self.substitution.as_ref().ok_or(NO_SUBSTITUTION)?;
                    return Ok(last.replacement.clone());
                }
                b'&' => part(&mut parts, &mut text, 0),
                b'\\' => {
                    let escaped = self.text.peek().ok_or(UNEXPECTED_END)?;
                    self.text.advance();
                    match escaped {
                        b'1'..=b'9' => part(&mut parts, &mut text, usize::from(escaped - b'0')),
                        _ => text.push(escaped),
                    }
                    if escaped == b'\n' && self.text.is_over() {
                        if self.text.is_list {
                            return Err(UNEXPECTED_END);
                        }
                        let line = self.lines.next()?.ok_or(UNEXPECTED_END)?;
                        self.text.extend(&line);
                    }
                }
                _ => text.push(byte),
            }
            is_first = false;
        }
        parts.push(Part::Text(text));
        Ok(parts.into())
    }

    fn apply(&mut self, (first, last): (usize, usize), substitution: &Substitution) -> Result<()> {
        let (mut number, mut end, mut found) = (first, last, false);
        while number <= end {
            let Some(line) = self.buffer.line(number).cloned() else { break };
            number += 1;
            let Some(new) = replaced(&line.text, substitution)? else { continue };
            let lines: Vec<Rc<Line>> = new.split(|b| *b == b'\n').map(Line::new).collect();
            let more = lines.len() - 1;
            self.cut = self.buffer.replace(number - 2, 1, lines);
            (number, end, found) = (number + more, end + more, true);
            self.buffer.current = number - 1;
        }
        if found || self.text.is_list { Ok(()) } else { Err(NO_MATCH) }
    }
}

fn part(parts: &mut Vec<Part>, text: &mut Vec<u8>, group: usize) {
    parts.push(Part::Text(std::mem::take(text)));
    parts.push(Part::Group(group));
}

/// The line after the substitution, if it has a match.
fn replaced(text: &[u8], substitution: &Substitution) -> Result<Option<Vec<u8>>> {
    let (mut new, mut at, mut count, mut found) = (Vec::new(), 0, 0, false);
    let mut was_empty = false;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(groups) = substitution.regex.captures_at(rest, 0, at > 0 || was_empty) else { break };
        let (start, end) = groups.first().copied().flatten().unwrap_or_default();
        if was_empty && end == 0 {
            return Err("Infinite substitution loop".into());
        }
        count += 1;
        new.extend_from_slice(rest.get(..start).unwrap_or_default());
        if substitution.which.is_none_or(|which| which == count) {
            found = true;
            fill(&mut new, rest, &groups, substitution);
        } else {
            new.extend_from_slice(rest.get(start..end).unwrap_or_default());
        }
        was_empty = start == end;
        at += end;
        if at >= text.len() || found && substitution.which.is_some() {
            break;
        }
    }
    new.extend_from_slice(text.get(at..).unwrap_or_default());
    Ok(found.then_some(new))
}

/// Appends the replacement of a match.
fn fill(new: &mut Vec<u8>, text: &[u8], groups: &Groups, substitution: &Substitution) {
    for part in &*substitution.replacement {
        match part {
            Part::Text(text) => new.extend_from_slice(text),
            Part::Group(group) if *group <= substitution.regex.groups() => {
                let (start, end) = groups.get(*group).copied().flatten().unwrap_or_default();
                new.extend_from_slice(text.get(start..end).unwrap_or_default());
            }
            Part::Group(digit) => new.extend_from_slice(digit.to_string().as_bytes()),
        }
    }
}
