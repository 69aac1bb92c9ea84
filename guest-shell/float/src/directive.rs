//! `printf`'s conversions of floating point numbers.

use crate::extended::{Extended, Kind};
use crate::notation::{exponential, general, hexadecimal};

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Directive {
    /// `-`.
    pub minus: bool,
    /// `+`.
    pub plus: bool,
    /// Space.
    pub space: bool,
    /// `#`.
    pub alternate: bool,
    /// `0`.
    pub zero: bool,
    /// `'`.
    pub group: bool,
    /// Minimum number of columns.
    pub width: usize,
    /// Precision.
    pub precision: Option<usize>,
}

impl Directive {
    /// Pads text to the width.
    pub fn pad(&self, text: &[u8]) -> Vec<u8> {
        let fill = self.width.saturating_sub(text.len());
        let mut out = Vec::with_capacity(text.len() + fill);
        if !self.minus {
            out.resize(fill, b' ');
        }
        out.extend_from_slice(text);
        if self.minus {
            out.resize(text.len() + fill, b' ');
        }
        out
    }

    /// Formats an integer's digits; `prefix` precedes them, for example a sign.
    pub fn integer(&self, digits: &[u8], prefix: &[u8]) -> Vec<u8> {
        let mut text = prefix.to_vec();
        let zeros = match self.precision {
            Some(p) => p.saturating_sub(digits.len()),
            None if self.zero && !self.minus => self.width.saturating_sub(digits.len() + prefix.len()),
            None => 0,
        };
        text.resize(text.len() + zeros, b'0');
        if self.precision != Some(0) || digits != b"0" {
            text.extend_from_slice(digits);
        }
        self.pad(&text)
    }

    /// Formats a number with the conversion `letter`, one of `aAeEfFgG`.
    pub fn float(&self, value: Extended, letter: u8) -> Vec<u8> {
        let mut text = Vec::new();
        if value.negative {
            text.push(b'-');
        } else if self.plus {
            text.push(b'+');
        } else if self.space {
            text.push(b' ');
        }
        let finite = matches!(value.kind, Kind::Finite { .. });
        let precision = self.precision;
        let body = if finite {
            match letter.to_ascii_lowercase() {
                b'f' => {
                    let mut body = value.fixed(precision.unwrap_or(6));
                    if self.alternate && precision == Some(0) {
                        body.push(b'.');
                    }
                    body
                }
                b'e' => exponential(value, precision.unwrap_or(6), self.alternate),
                b'g' => general(value, precision.unwrap_or(6).max(1), self.alternate),
                _ => {
                    text.extend_from_slice(b"0x");
                    hexadecimal(value, precision, self.alternate)
                }
            }
        } else {
            value.name()
        };
        if self.zero && !self.minus && finite {
            let zeros = self.width.saturating_sub(text.len() + body.len());
            text.resize(text.len() + zeros, b'0');
        }
        text.extend_from_slice(&body);
        if letter.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        self.pad(&text)
    }
}

/// Why a format does not have exactly one directive for a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// No directive.
    None,
    /// More than one.
    Many,
    /// It ends with a single `%`.
    Ends,
    /// A conversion that is not for floating point numbers.
    Unknown(u8),
}

/// A text that contains one directive for a floating point number.
#[derive(Clone, Debug)]
pub struct Format {
    /// The text before the number.
    pub before: Vec<u8>,
    /// How the number is printed.
    pub directive: Directive,
    /// The conversion's letter.
    pub letter: u8,
    /// The text after the number.
    pub after: Vec<u8>,
}

impl Format {
    /// `%.PRECISIONf`, padded with zeros to `width`.
    pub fn fixed(precision: usize, width: usize) -> Self {
        let directive =
            Directive { precision: Some(precision), zero: width > 0, width, ..Directive::default() };
        Self { before: Vec::new(), directive, letter: b'f', after: Vec::new() }
    }

    /// `%Lg`.
    pub fn general() -> Self {
        Self { before: Vec::new(), directive: Directive::default(), letter: b'g', after: Vec::new() }
    }

    /// Reads a format.
    ///
    /// # Errors
    /// It does not have exactly one directive, or the directive is not for floating point numbers.
    pub fn parse(text: &[u8]) -> Result<Self, Wrong> {
        let mut i = 0;
        let before = literal(text, &mut i).ok_or(Wrong::None)?;
        let mut directive = Directive::default();
        while let Some(flag) = text.get(i) {
            match flag {
                b'-' => directive.minus = true,
                b'+' => directive.plus = true,
                b'#' => directive.alternate = true,
                b'0' => directive.zero = true,
                b' ' => directive.space = true,
                b'\'' => directive.group = true,
                _ => break,
            }
            i += 1;
        }
        directive.width = number(text, &mut i);
        if text.get(i) == Some(&b'.') {
            i += 1;
            directive.precision = Some(number(text, &mut i));
        }
        if text.get(i) == Some(&b'L') {
            i += 1;
        }
        let letter = *text.get(i).ok_or(Wrong::Ends)?;
        if !b"efgaEFGA".contains(&letter) {
            return Err(Wrong::Unknown(letter));
        }
        i += 1;
        let mut rest = i;
        if literal(text, &mut rest).is_some() {
            return Err(Wrong::Many);
        }
        let mut after = Vec::new();
        let mut tail = text[i..].iter();
        while let Some(b) = tail.next() {
            after.push(*b);
            if *b == b'%' {
                tail.next();
            }
        }
        Ok(Self { before, directive, letter, after })
    }

    /// The formatted number without the text around it.
    pub fn number(&self, value: Extended) -> Vec<u8> {
        self.directive.float(value, self.letter)
    }

    /// The text with the formatted number.
    pub fn apply(&self, value: Extended) -> Vec<u8> {
        let mut out = self.before.clone();
        out.extend_from_slice(&self.number(value));
        out.extend_from_slice(&self.after);
        out
    }
}

/// Reads text up to a directive and skips its `%`. `None` if there is no directive.
fn literal(text: &[u8], i: &mut usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        match text.get(*i)? {
            b'%' if text.get(*i + 1) == Some(&b'%') => {
                out.push(b'%');
                *i += 2;
            }
            b'%' => {
                *i += 1;
                return Some(out);
            }
            b => {
                out.push(*b);
                *i += 1;
            }
        }
    }
}

fn number(text: &[u8], i: &mut usize) -> usize {
    let mut n = 0usize;
    while let Some(d) = text.get(*i).filter(|d| d.is_ascii_digit()) {
        n = (n * 10 + usize::from(d - b'0')).min(1 << 20);
        *i += 1;
    }
    n
}
