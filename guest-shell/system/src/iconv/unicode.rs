//! UTF-8, UTF-16, UTF-32, UCS-2 and UCS-4.

use super::coder::{Char, Decode, Encode, Missing, State, Step};

/// UTF-8 with up to six bytes for a character.
pub(super) struct Utf8;

impl Decode for Utf8 {
    fn step(&mut self, input: &[u8]) -> Step {
        let Some(&first) = input.first() else { return Step::Incomplete };
        let (length, mask) = match first {
            0..0x80 => return Step::Char(first.into(), 1),
            0xc2..0xe0 => (2, 0x1f),
            0xe0..0xf0 => (3, 0xf),
            0xf0..0xf8 => (4, 7),
            0xf8..0xfc => (5, 3),
            0xfc..0xfe => (6, 1),
            _ => return Step::Wrong(1),
        };
        let mut c = Char::from(first & mask);
        let mut seen = 1;
        for &byte in input.get(1..input.len().min(length)).unwrap_or_default() {
            if byte & 0xc0 != 0x80 {
                return Step::Wrong(seen);
            }
            c = c << 6 | Char::from(byte & 0x3f);
            seen += 1;
        }
        if seen < length {
            return Step::Incomplete;
        }
        let least = [0, 0, 0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];
        if least.get(length).is_some_and(|least| c < *least) || is_surrogate(c) {
            return Step::Wrong(length);
        }
        Step::Char(c, length)
    }
}

impl Encode for Utf8 {
    fn put(&self, _: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        if let Some(c) = char::from_u32(c) {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(());
        }
        if is_surrogate(c) || c > 0x7fff_ffff {
            return Err(Missing);
        }
        let (first, more) = match c {
            0..0x20_0000 => (0xf0, 3),
            0x20_0000..0x400_0000 => (0xf8, 4),
            _ => (0xfc, 5),
        };
        out.push(first | low(c >> (6 * more)));
        out.extend((0..more).rev().map(|at| 0x80 | low(c >> (6 * at)) & 0x3f));
        Ok(())
    }
}

fn low(c: Char) -> u8 {
    c.to_le_bytes()[0]
}

pub(super) fn is_surrogate(c: Char) -> bool {
    (0xd800..0xe000).contains(&c)
}

/// How characters are units of a fixed size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Utf16,
    Ucs2,
    Utf32,
    Ucs4,
    /// The form between two conversions, which is not checked.
    Wide,
}

/// A set whose characters are units of two or four bytes.
#[derive(Clone, Copy)]
pub(super) struct Units {
    pub(super) form: Form,
    pub(super) big: bool,
    /// Whether a text begins with a byte order mark.
    pub(super) mark: bool,
    started: bool,
}

impl Units {
    pub(super) fn new(form: Form, big: bool, mark: bool) -> Self {
        Self { form, big, mark, started: false }
    }

    fn size(self) -> usize {
        if matches!(self.form, Form::Utf16 | Form::Ucs2) { 2 } else { 4 }
    }

    fn unit(self, input: &[u8]) -> Option<Char> {
        let bytes = input.get(..self.size())?;
        let add = |value, byte: &u8| value << 8 | Char::from(*byte);
        Some(if self.big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    }

    fn write(self, unit: Char, out: &mut Vec<u8>) {
        let bytes = unit.to_be_bytes();
        let bytes = bytes.get(4 - self.size()..).unwrap_or_default();
        if self.big { out.extend_from_slice(bytes) } else { out.extend(bytes.iter().rev()) }
    }
}

impl Decode for Units {
    fn step(&mut self, input: &[u8]) -> Step {
        let size = self.size();
        let Some(c) = self.unit(input) else { return Step::Incomplete };
        if self.mark && !self.started {
            self.started = true;
            let other = Self { big: !self.big, ..*self };
            if c == 0xfeff {
                return Step::Mark(size);
            }
            if other.unit(input) == Some(0xfeff) {
                *self = other;
                return Step::Mark(size);
            }
        }
        let fits = match self.form {
            Form::Utf16 if (0xd800..0xdc00).contains(&c) => {
                let Some(second) = self.unit(input.get(2..).unwrap_or_default()) else {
                    return Step::Incomplete;
                };
                if !(0xdc00..0xe000).contains(&second) {
                    return Step::Wrong(2);
                }
                return Step::Char(0x1_0000 + ((c & 0x3ff) << 10) + (second & 0x3ff), 4);
            }
            Form::Utf16 | Form::Ucs2 => !is_surrogate(c),
            Form::Utf32 => c < 0x11_0000 && !is_surrogate(c),
            Form::Ucs4 => c < 0x8000_0000,
            Form::Wide => true,
        };
        match self.form {
            _ if fits => Step::Char(c, size),
            Form::Ucs4 => Step::Unwanted(size),
            _ => Step::Wrong(size),
        }
    }

    fn portion(&self) -> usize {
        // This form needs no step between two.
        if self.form == Form::Wide { 1 << 18 } else { 8160 }
    }

    fn reset(&mut self) {
        self.started = false;
    }
}

impl Encode for Units {
    fn put(&self, _: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        let fits = match self.form {
            Form::Utf16 if (0x1_0000..0x11_0000).contains(&c) => {
                let c = c - 0x1_0000;
                self.write(0xd800 + (c >> 10), out);
                self.write(0xdc00 + (c & 0x3ff), out);
                return Ok(());
            }
            Form::Utf16 | Form::Ucs2 => c < 0x1_0000 && !is_surrogate(c),
            Form::Utf32 => c < 0x11_0000 && !is_surrogate(c),
            Form::Ucs4 | Form::Wide => c < 0x8000_0000,
        };
        if !fits {
            return Err(Missing);
        }
        self.write(c, out);
        Ok(())
    }

    fn drops_tags(&self) -> bool {
        false
    }

    fn begin(&self, out: &mut Vec<u8>) {
        if self.mark {
            self.write(0xfeff, out);
        }
    }
}
