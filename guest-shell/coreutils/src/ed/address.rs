//! Addresses: which lines a command works on.

use super::Editor;
use super::error::{NO_MATCH, NO_SUCH_LINE, Result};

/// What was written before a command.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Addresses {
    /// Both ends; the same if only one address was written.
    pub(super) range: Option<(usize, usize)>,
}

impl Addresses {
    /// The last address, or this one.
    pub(super) fn one_or(self, default: usize) -> usize {
        self.range.map_or(default, |(_, last)| last)
    }
}

/// The largest number that can be written.
const MOST: u64 = i32::MAX as u64;

impl Editor {
    /// Reads addresses up to the command. A `;` sets the current line.
    pub(super) fn addresses(&mut self) -> Result<Addresses> {
        let mut left = None;
        loop {
            let written = self.address()?;
            let value = match (written, left) {
                (None, Some((_, true))) => Some(self.buffer.last()),
                (None, Some((left, false))) => Some(left),
                (written, _) => written,
            };
            self.text.pass_blanks();
            let Some(separator) = self.text.peek().filter(|b| b",;%".contains(b)) else {
                let first = left.map(|(left, _)| left).or(value);
                return Ok(Addresses { range: first.zip(value) });
            };
            self.text.advance();
            let omitted = if separator == b';' { self.buffer.current } else { 1 };
            left = Some((value.unwrap_or(omitted), value.is_none()));
            if separator == b';' {
                self.buffer.current = value.unwrap_or(omitted);
            }
        }
    }

    /// Reads one address with its offsets; `None` if there is none.
    pub(super) fn address(&mut self) -> Result<Option<usize>> {
        let mut value: Option<i64> = None;
        loop {
            self.text.pass_blanks();
            let Some(b) = self.text.peek() else { break };
            let current = number(self.buffer.current);
            match b {
                b'0'..=b'9' => value = Some(value.unwrap_or(0) + self.digits()?),
                b'+' | b'-' => {
                    self.text.advance();
                    let offset = match self.text.peek() {
                        Some(b'0'..=b'9') => self.digits()?,
                        _ => 1,
                    };
                    let offset = if b == b'+' { offset } else { -offset };
                    value = Some(value.unwrap_or(current) + offset);
                }
                b'.' | b'$' | b'/' | b'?' | b'\'' if value.is_some() => return Err(NO_SUCH_LINE),
                b'.' => {
                    self.text.advance();
                    value = Some(current);
                }
                b'$' => {
                    self.text.advance();
                    value = Some(number(self.buffer.last()));
                }
                b'\'' => {
                    self.text.advance();
                    value = Some(number(self.marked()?));
                }
                b'/' | b'?' => {
                    self.text.advance();
                    value = Some(number(self.found(b)?));
                }
                _ => break,
            }
        }
        let inside =
            |value: i64| usize::try_from(value).ok().filter(|n| *n <= self.buffer.last()).ok_or(NO_SUCH_LINE);
        value.map(inside).transpose()
    }

    /// The lines of a command that needs some.
    pub(super) fn range(&self, given: Addresses, default: (usize, usize)) -> Result<(usize, usize)> {
        let (first, last) = given.range.unwrap_or(default);
        if first == 0 || first > last || last > self.buffer.last() {
            return Err(NO_SUCH_LINE);
        }
        Ok((first, last))
    }

    fn digits(&mut self) -> Result<i64> {
        self.text.number(MOST).map(u64::cast_signed).ok_or("Number out of range".into())
    }

    fn marked(&mut self) -> Result<usize> {
        let mark = self.mark()?;
        let line = self.marks.get(mark).and_then(Option::as_ref);
        line.and_then(|line| self.buffer.number_of(line, 1)).ok_or(NO_SUCH_LINE)
    }

    /// Reads the letter of a mark.
    pub(super) fn mark(&mut self) -> Result<usize> {
        match self.text.peek() {
            Some(b @ b'a'..=b'z') => {
                self.text.advance();
                Ok(usize::from(b - b'a'))
            }
            _ => Err("Invalid mark character".into()),
        }
    }

    /// The next line that matches, or with `?` the one before, around the ends of the text.
    fn found(&mut self, delimiter: u8) -> Result<usize> {
        let pattern = self.text.pattern(delimiter)?;
        self.text.take(delimiter);
        let icase = self.text.take(b'I');
        let regex = self.regex(&pattern, icase)?;
        let (last, current) = (self.buffer.last(), self.buffer.current);
        let matches =
            |number: &usize| self.buffer.line(*number).is_some_and(|line| regex.is_match(&line.text));
        let number = if delimiter == b'/' {
            (current + 1..=last).chain(1..=current).find(matches)
        } else {
            (1..current).rev().chain((current.max(1)..=last).rev()).find(matches)
        };
        number.ok_or(NO_MATCH)
    }
}

fn number(line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}
