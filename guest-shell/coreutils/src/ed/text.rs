//! Where commands come from: standard input, and the text of a command while it is read.

use super::error::{Error, Result};
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno, signal};

const CHUNK: usize = 64 << 10;

/// The lines of standard input.
#[derive(Default)]
pub(super) struct Lines {
    read: Vec<u8>,
    at: usize,
    /// How many lines have been taken.
    pub(super) count: usize,
}

impl Lines {
    /// The next line with its newline. A last line without one does not count.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut searched = self.at;
        loop {
            if let Some(found) = memchr::memchr(b'\n', self.read.get(searched..).unwrap_or_default()) {
                let end = searched + found + 1;
                let line = self.read.get(self.at..end).unwrap_or_default().to_vec();
                self.at = end;
                self.count += 1;
                return Ok(Some(line));
            }
            self.read.drain(..self.at);
            self.at = 0;
            searched = self.read.len();
            out::flush();
            self.read.resize(searched + CHUNK, 0);
            let count = sys::read(0, self.read.get_mut(searched..).unwrap_or_default());
            self.read.truncate(searched + count.unwrap_or(0));
            match count {
                Err(Errno::INTR) if sys::sigtake() == Some(signal::SIGINT) => {
                    self.read.clear();
                    return Err(Error::Interrupted);
                }
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return Ok(None),
                Ok(_) => {}
            }
        }
    }
}

/// A command, or the list of commands of a global one. Each of a list's lines but the last ends with a backslash.
pub(super) struct Text {
    bytes: Vec<u8>,
    at: usize,
    pub(super) is_list: bool,
}

impl Text {
    pub(super) fn new(bytes: Vec<u8>, is_list: bool) -> Text {
        Text { bytes, at: 0, is_list }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Whether all of it has been read.
    pub(super) fn is_over(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Appends a further line.
    pub(super) fn extend(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
    }

    /// Takes this byte, if it is the next one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn pass_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.advance();
        }
    }

    /// Takes the end of a line. `false` if something else is next.
    pub(super) fn take_end(&mut self) -> bool {
        let length = self.end_length();
        self.at += length.unwrap_or(0);
        length.is_some()
    }

    /// Takes what is left of the line; its end, too.
    pub(super) fn rest_of_line(&mut self) -> Vec<u8> {
        let start = self.at;
        while !self.is_over() && self.end_length().is_none() {
            self.advance();
        }
        let rest = self.bytes.get(start..self.at).unwrap_or_default().to_vec();
        self.take_end();
        rest
    }

    /// Takes everything that is left.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        let rest = self.bytes.get(self.at..).unwrap_or_default().to_vec();
        self.at = self.bytes.len();
        rest
    }

    /// Takes decimal digits; `None` for a number over `most`.
    pub(super) fn number(&mut self, most: u64) -> Option<u64> {
        let mut value = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.advance();
        }
        (value <= most).then_some(value)
    }

    /// Takes a regular expression up to its delimiter or the end of the line.
    pub(super) fn pattern(&mut self, delimiter: u8) -> Result<Vec<u8>> {
        let start = self.at;
        loop {
            match self.peek() {
                None | Some(b'\n') => break,
                Some(b) if b == delimiter => break,
                Some(b'[') => self.skip_brackets()?,
                Some(b'\\') => match self.bytes.get(self.at + 1) {
                    None | Some(b'\n') => return Err("Trailing backslash (\\)".into()),
                    Some(_) => self.at += 2,
                },
                Some(_) => self.advance(),
            }
        }
        Ok(self.bytes.get(start..self.at).unwrap_or_default().to_vec())
    }

    fn skip_brackets(&mut self) -> Result<()> {
        self.advance();
        self.take(b'^');
        self.take(b']');
        loop {
            match (self.peek(), self.bytes.get(self.at + 1)) {
                (None | Some(b'\n'), _) => return Err("Unbalanced brackets ([])".into()),
                (Some(b']'), _) => {
                    self.advance();
                    return Ok(());
                }
                (Some(b'['), Some(kind @ (b'.' | b':' | b'='))) => {
                    let end = [*kind, b']'];
                    let inner = self.bytes.get(self.at + 2..).unwrap_or_default();
                    match inner.windows(2).position(|pair| pair == end) {
                        Some(length) if !inner.iter().take(length).any(|b| *b == b'\n') => {
                            self.at += length + 4;
                        }
                        _ => return Err("Unbalanced brackets ([])".into()),
                    }
                }
                (Some(_), _) => self.advance(),
            }
        }
    }

    fn end_length(&self) -> Option<usize> {
        match self.bytes.get(self.at..)? {
            [b'\n', ..] => Some(1),
            [b'\\', b'\n', _, ..] if self.is_list => Some(2),
            _ => None,
        }
    }
}

/// Whether the line's newline is escaped, so that the next line belongs to it.
pub(super) fn goes_on(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}
