//! Redacts secrets.

use std::fmt;

use bytes::Bytes;
use regex::bytes::Regex;

use crate::{Error, Result};

/// The text that replaces a secret.
const MARK: &str = "[REDACTED]";

/// The longest piece of a line that a pattern is applied to.
const LONGEST: usize = 64 << 10;

/// The secrets to redact: known values, and patterns of what secrets look like.
///
/// A value is found anywhere, also across lines. A pattern is matched within a line, or within each 64 KiB of a
/// longer one. `Debug` shows neither.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Sorted by length, the longest first, so that a value that contains another is redacted completely.
    values: Vec<Vec<u8>>,
    /// The first byte of each value.
    begins: Vec<u8>,
    patterns: Vec<Regex>,
}

impl Redactor {
    /// Redacts nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also redacts this value, exactly as given: encoded forms of it are other values. An empty value has no
    /// effect.
    #[must_use]
    pub fn value(mut self, value: impl Into<Vec<u8>>) -> Self {
        let value = value.into();
        if let Some(first) = value.first() {
            self.begins.push(*first);
            self.values.push(value);
            self.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        }
        self
    }

    /// Also redacts everything that matches this regular expression.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if it is not a valid regular expression, or if it matches the empty string.
    pub fn pattern(mut self, pattern: &str) -> Result<Self> {
        let compiled = Regex::new(pattern).map_err(|error| {
            Error::invalid_request(format!("the pattern {pattern:?} is wrong")).with_source(error)
        })?;
        if compiled.is_match(b"") {
            return Err(Error::invalid_request(format!("the pattern {pattern:?} matches the empty text")));
        }
        self.patterns.push(compiled);
        Ok(self)
    }

    /// The text with secrets redacted.
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    /// The bytes with secrets redacted.
    pub fn bytes(&self, bytes: &[u8]) -> Bytes {
        let mut stream = Stream::new(self);
        let mut clean = stream.push(bytes);
        clean.extend_from_slice(&stream.finish());
        clean.into()
    }

    /// Takes the bytes out of `raw` that can already be decided, and redacts values in them: the leftmost value
    /// wins, and of several at the same place the longest. While `more` bytes may follow, bytes that may be the
    /// beginning of a value stay in `raw`.
    fn values_out(&self, raw: &mut Vec<u8>, more: bool) -> Vec<u8> {
        let mut clean = Vec::with_capacity(raw.len());
        let mut rest = raw.as_slice();
        while let Some(plain) = rest.iter().position(|byte| self.begins.contains(byte)) {
            let (before, from) = rest.split_at(plain);
            clean.extend_from_slice(before);
            rest = from;
            if more && self.values.iter().any(|value| value.len() > rest.len() && value.starts_with(rest)) {
                break;
            }
            let length = match self.values.iter().find(|value| rest.starts_with(value)) {
                Some(value) => {
                    clean.extend_from_slice(MARK.as_bytes());
                    value.len()
                }
                None => {
                    clean.extend_from_slice(rest.get(..1).unwrap_or_default());
                    1
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        let undecided = match rest.first() {
            Some(first) if self.begins.contains(first) => rest.to_vec(),
            _ => {
                clean.extend_from_slice(rest);
                Vec::new()
            }
        };
        *raw = undecided;
        clean
    }

    fn patterns_out(&self, piece: &[u8], clean: &mut Vec<u8>) {
        let mut piece = std::borrow::Cow::Borrowed(piece);
        for pattern in &self.patterns {
            if let std::borrow::Cow::Owned(changed) =
                pattern.replace_all(&piece, regex::bytes::NoExpand(MARK.as_bytes()))
            {
                piece = changed.into();
            }
        }
        clean.extend_from_slice(&piece);
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (values, patterns) = (self.values.len(), self.patterns.len());
        write!(f, "Redactor({values} values, {patterns} patterns)")
    }
}

/// Redacts a stream. The result does not depend on how the stream is split: it is that of [`Redactor::bytes`] for
/// all of it.
pub(super) struct Stream<'a> {
    redactor: &'a Redactor,
    /// Bytes that may contain the beginning of a value.
    raw: Vec<u8>,
    /// The unfinished line, with values already redacted.
    line: Vec<u8>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> Self {
        Self { redactor, raw: Vec::new(), line: Vec::new() }
    }

    /// Adds a piece; returns the bytes that are known to be free of secrets.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.raw.extend_from_slice(bytes);
        let ready = self.redactor.values_out(&mut self.raw, true);
        self.line.extend_from_slice(&ready);
        self.lines()
    }

    /// Ends the stream and returns the rest.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let rest = self.redactor.values_out(&mut self.raw, false);
        self.line.extend_from_slice(&rest);
        let mut clean = self.lines();
        let line = std::mem::take(&mut self.line);
        self.redactor.patterns_out(&line, &mut clean);
        clean
    }

    fn lines(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        if self.redactor.patterns.is_empty() {
            return line;
        }
        let mut clean = Vec::with_capacity(line.len());
        let mut rest = line.as_slice();
        loop {
            let within = rest.get(..LONGEST).unwrap_or(rest);
            let end = match memchr::memchr(b'\n', within) {
                Some(end) => end + 1,
                None if within.len() == LONGEST => LONGEST,
                None => break,
            };
            let (piece, after) = rest.split_at(end);
            self.redactor.patterns_out(piece, &mut clean);
            rest = after;
        }
        self.line = rest.to_vec();
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        let redactor = Redactor::new().value("hunter2").value("hunter2-long").value("two\nlines");
        redactor.pattern("key-[0-9]+").expect("a pattern")
    }

    #[test]
    fn values_and_patterns_go() {
        let text = "a hunter2 b hunter2-long c key-12\ntwo\nlines hunter";
        assert_eq!(redactor().text(text), "a [REDACTED] b [REDACTED] c [REDACTED]\n[REDACTED] hunter");
        assert_eq!(Redactor::new().text(text), text);
    }

    #[test]
    fn pieces_do_not_matter() {
        let text = b"x hunter2 hunter2-lo hunter2-long key-1\nkey-23\xff two\nline two\nlines key-4";
        let redactor = redactor();
        let whole = redactor.bytes(text);
        for size in 1..text.len() {
            let mut stream = Stream::new(&redactor);
            let mut clean = Vec::new();
            for piece in text.chunks(size) {
                clean.extend(stream.push(piece));
            }
            clean.extend(stream.finish());
            assert_eq!(clean, whole, "in pieces of {size}");
        }
    }

    #[test]
    fn nothing_shows() {
        assert_eq!(format!("{:?}", redactor()), "Redactor(3 values, 1 patterns)");
        assert!(Redactor::new().pattern("(").is_err());
        assert!(Redactor::new().pattern("x*").is_err());
    }
}
