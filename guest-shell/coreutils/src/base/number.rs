//! Numbers with size suffixes, as gnulib's `xstrtol` and `xdectoint` read them.

use crate::base::quote::quote;
use crate::{bytes, warn};

/// Why a text is no number that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    /// It is no number.
    Invalid,
    /// It is too large; this is the largest of its kind.
    Overflow,
}

/// Suffixes of a number of bytes or lines, for [`unsigned`].
pub const SIZES: &str = "bkKmMGTPEZY0";

/// A decimal number and one of the `suffixes` (`0` among them allows `B` and `iB` behind a letter).
///
/// # Errors
/// Not a number, or too large.
pub fn unsigned(text: &[u8], suffixes: &str) -> Result<u64, Bad> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, suffix) = text.split_at(digits);
    let mut overflow = false;
    let mut value = 0u64;
    for d in number {
        match value.checked_mul(10).and_then(|v| v.checked_add(u64::from(d - b'0'))) {
            Some(v) => value = v,
            None => overflow = true,
        }
    }
    let Some((letter, after)) = suffix.split_first() else {
        return if number.is_empty() {
            Err(Bad::Invalid)
        } else if overflow {
            Err(Bad::Overflow)
        } else {
            Ok(value)
        };
    };
    if !suffixes.as_bytes().contains(letter) || *letter == b'0' {
        return Err(Bad::Invalid);
    }
    if number.is_empty() {
        value = 1;
    }
    let base: u64 = match after {
        b"" => 1024,
        b"iB" if suffixes.contains('0') => 1024,
        b"B" | b"D" if suffixes.contains('0') => 1000,
        _ => return Err(Bad::Invalid),
    };
    let power = match letter {
        b'b' if after.is_empty() => return scaled(value, 512, 1, overflow),
        b'c' if after.is_empty() => 0,
        b'w' if after.is_empty() => return scaled(value, 2, 1, overflow),
        b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        b'g' | b'G' => 3,
        b't' | b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => return Err(Bad::Invalid),
    };
    scaled(value, base, power, overflow)
}

fn scaled(value: u64, base: u64, power: u32, overflow: bool) -> Result<u64, Bad> {
    let mut value = value;
    for _ in 0..power {
        value = value.checked_mul(base).ok_or(Bad::Overflow)?;
    }
    if overflow { Err(Bad::Overflow) } else { Ok(value) }
}

/// As [`unsigned`], with a sign.
///
/// # Errors
/// Not a number, or too large.
pub fn signed(text: &[u8], suffixes: &str) -> Result<i64, Bad> {
    let text = text.trim_ascii_start();
    match text.strip_prefix(b"-") {
        Some(rest) if rest.first().is_some_and(u8::is_ascii_digit) => {
            0i64.checked_sub_unsigned(unsigned(rest, suffixes)?).ok_or(Bad::Overflow)
        }
        Some(_) => Err(Bad::Invalid),
        None => i64::try_from(unsigned(text, suffixes)?).map_err(|_| Bad::Overflow),
    }
}

/// A number in a range, or a message `NAME: WHAT: ‘TEXT’` and the status.
///
/// # Errors
/// The exit status.
pub fn in_range(name: &str, what: &str, text: &[u8], suffixes: &str, from: u64, to: u64) -> Result<u64, i32> {
    let why = match unsigned(text, suffixes) {
        Ok(n) if (from..=to).contains(&n) => return Ok(n),
        Ok(n) if n <= i32::MAX as u64 / 2 => ": Numerical result out of range",
        Ok(_) | Err(Bad::Overflow) => ": Value too large for defined data type",
        Err(Bad::Invalid) => "",
    };
    warn!(name, bytes!(what, ": ", quote(text), why));
    Err(1)
}
