//! UTF-7 of RFC 2152.

use super::coder::{Char, Decode, Encode, Missing, State, Step};

/// A decoder: the bits of base64 that are not used yet, and the first half of a pair.
#[derive(Default)]
pub(super) struct Utf7 {
    inside: bool,
    bits: u32,
    count: u32,
    high: Option<Char>,
}

impl Decode for Utf7 {
    fn step(&mut self, input: &[u8]) -> Step {
        let Some(&byte) = input.first() else { return Step::Incomplete };
        if !self.inside {
            if byte != b'+' {
                return if is_readable(byte) { Step::Char(byte.into(), 1) } else { Step::Wrong(1) };
            }
            return match input.get(1) {
                None => Step::Incomplete,
                Some(b'-') => Step::Char(byte.into(), 2),
                Some(_) => {
                    *self = Self { inside: true, ..Self::default() };
                    Step::Nothing(1)
                }
            };
        }
        let Some(value) = value(byte) else { return self.leave(byte) };
        let (bits, count) = (self.bits << 6 | value, self.count + 6);
        // The second half of a pair is known by its first six bits.
        if self.high.is_some() && count >= 6 && bits >> (count - 6) & 63 != 0b11_0111 {
            return self.wrong();
        }
        if count < 16 {
            (self.bits, self.count) = (bits, count);
            return Step::Nothing(1);
        }
        let unit = bits >> (count - 16) & 0xffff;
        (self.bits, self.count) = (bits & ((1 << (count - 16)) - 1), count - 16);
        match (self.high.take(), unit) {
            (None, 0xd800..0xdc00) => {
                self.high = Some(unit);
                Step::Nothing(1)
            }
            (None, 0xdc00..0xe000) => self.wrong(),
            (None, _) => Step::Char(unit, 1),
            (Some(high), _) => Step::Char(0x1_0000 + ((high & 0x3ff) << 10) + (unit & 0x3ff), 1),
        }
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

impl Utf7 {
    /// Ends base64 at a byte that is not part of it.
    fn leave(&mut self, byte: u8) -> Step {
        if self.high.is_some() || self.count >= 6 || self.bits != 0 {
            return self.wrong();
        }
        match byte {
            b'-' => {
                *self = Self::default();
                Step::Nothing(1)
            }
            byte if is_readable(byte) => {
                *self = Self::default();
                Step::Char(byte.into(), 1)
            }
            _ => self.wrong(),
        }
    }

    /// A wrong byte ends base64, too.
    fn wrong(&mut self) -> Step {
        *self = Self::default();
        Step::Wrong(1)
    }
}

fn value(byte: u8) -> Option<u32> {
    let at = ALPHABET.iter().position(|known| *known == byte)?;
    u32::try_from(at).ok()
}

/// Whether a byte stands for itself outside of base64.
fn is_readable(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'}') && !matches!(byte, b'+' | b'\\')
}

/// Whether a character is written as itself.
fn is_direct(c: Char) -> bool {
    u8::try_from(c).is_ok_and(|byte| byte.is_ascii_alphanumeric() || b"\t\n\r '(),-./:?".contains(&byte))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The encoder's state has the bits that are not written, above them their number, and above that whether base64 has
/// begun.
pub(super) struct Encoder;

const INSIDE: State = 1 << 16;

impl Encode for Encoder {
    fn put(&self, state: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        let (mut high, mut low) = (None, c);
        match c {
            _ if is_direct(c) => {
                let byte = c.to_le_bytes()[0];
                if *state & INSIDE != 0 {
                    finish(state, out);
                    if value(byte).is_some() || byte == b'-' {
                        out.push(b'-');
                    }
                }
                out.push(byte);
                return Ok(());
            }
            0x2b if *state & INSIDE == 0 => {
                out.extend_from_slice(b"+-");
                return Ok(());
            }
            0xd800..0xe000 | 0x11_0000.. => return Err(Missing),
            0x1_0000.. => {
                high = Some(0xd800 + ((c - 0x1_0000) >> 10));
                low = 0xdc00 + (c & 0x3ff);
            }
            _ => {}
        }
        if *state & INSIDE == 0 {
            *state = INSIDE;
            out.push(b'+');
        }
        for unit in high.into_iter().chain([low]) {
            let mut count = (*state >> 8 & 0xff) + 16;
            let bits = (*state & 0xff) << 16 | unit;
            while count >= 6 {
                count -= 6;
                letter(bits >> count, out);
            }
            *state = INSIDE | count << 8 | bits & ((1 << count) - 1);
        }
        Ok(())
    }

    fn end(&self, state: &mut State, out: &mut Vec<u8>) {
        if *state & INSIDE != 0 {
            finish(state, out);
            out.push(b'-');
        }
    }
}

fn finish(state: &mut State, out: &mut Vec<u8>) {
    let count = *state >> 8 & 0xff;
    if count > 0 {
        letter((*state & 0xff) << (6 - count), out);
    }
    *state = 0;
}

fn letter(bits: u32, out: &mut Vec<u8>) {
    out.extend(ALPHABET.get((bits & 63) as usize));
}
