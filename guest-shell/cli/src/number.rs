//! Numbers as values of options: in C's notations, with suffixes that multiply them, and messages for invalid ones.

use crate::quote::quote;
use crate::warn;

/// What is wrong with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Not a number.
    Invalid,
    /// A number followed by other text.
    Suffix,
    /// Too large.
    Overflow,
}

/// Suffixes of a number of bytes or lines, for [`unsigned`].
pub const SIZES: &str = "bkKmMGTPEZY0";

/// A decimal number with an optional suffix out of `suffixes`, as [`in_base`] reads it.
///
/// # Errors
/// Not a number, or too large.
pub fn unsigned(text: &[u8], suffixes: &str) -> Result<u64, Fault> {
    in_base(text, 10, suffixes)
}

/// As [`unsigned`], with a sign.
///
/// # Errors
/// Not a number, or too large.
pub fn signed(text: &[u8], suffixes: &str) -> Result<i64, Fault> {
    let text = text.trim_ascii_start();
    match text.strip_prefix(b"-") {
        Some(rest) if rest.first().is_some_and(u8::is_ascii_digit) => {
            0i64.checked_sub_unsigned(unsigned(rest, suffixes)?).ok_or(Fault::Overflow)
        }
        Some(_) => Err(Fault::Invalid),
        None => i64::try_from(unsigned(text, suffixes)?).map_err(|_| Fault::Overflow),
    }
}

/// A number of `base` (0: in C's notation) with an optional suffix out of `suffixes`: `b` is 512, `w` 2, `c` 1, and
/// other letters are powers of 1024. If `suffixes` contains `0`, a letter may be followed by `B` (powers of 1000) or
/// `iB`. If it contains `B`, a single `B` is 1024. A suffix without a number multiplies 1.
///
/// # Errors
/// Not a number, or too large.
pub fn in_base(text: &[u8], base: u32, suffixes: &str) -> Result<u64, Fault> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let hexadecimal = text.len() > 2 && text[..2].eq_ignore_ascii_case(b"0x") && text[2].is_ascii_hexdigit();
    let (base, text) = match base {
        0 | 16 if hexadecimal => (16, &text[2..]),
        0 if text.starts_with(b"0") => (8, text),
        0 => (10, text),
        other => (other, text),
    };
    let digits = text.iter().take_while(|b| char::from(**b).is_digit(base)).count();
    let (digits, suffix) = text.split_at(digits);
    let value = digits.iter().try_fold(0u64, |value, d| {
        value.checked_mul(base.into())?.checked_add(char::from(*d).to_digit(base)?.into())
    });
    let (value, wrong) = match digits {
        [] if suffix.is_empty() => return Err(Fault::Invalid),
        [] => (Some(1), Fault::Invalid),
        _ => (value, Fault::Suffix),
    };
    let (unit, power) = multiplier(suffix, suffixes).ok_or(wrong)?;
    (0..power).try_fold(value.ok_or(Fault::Overflow)?, |v, _| v.checked_mul(unit)).ok_or(Fault::Overflow)
}

/// The unit of a suffix and the power to raise it to. `None` unless it is one of `allowed`.
fn multiplier(suffix: &[u8], allowed: &str) -> Option<(u64, u32)> {
    let Some((letter, rest)) = suffix.split_first() else { return Some((1, 0)) };
    if *letter == b'0' || !allowed.as_bytes().contains(letter) {
        return None;
    }
    let base: u64 = match rest {
        b"" => 1024,
        b"iB" if allowed.contains('0') => 1024,
        b"B" | b"D" if allowed.contains('0') => 1000,
        _ => return None,
    };
    let power = match letter {
        b'B' | b'b' | b'c' | b'w' if !rest.is_empty() => return None,
        b'b' => return Some((512, 1)),
        b'w' => return Some((2, 1)),
        b'c' => 0,
        b'B' | b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        b'g' | b'G' => 3,
        b't' | b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => return None,
    };
    Some((base, power))
}

/// Parses a number in a range. Otherwise prints `NAME: WHAT: ‘TEXT’`.
///
/// # Errors
/// The exit status.
pub fn in_range(name: &str, what: &str, text: &[u8], suffixes: &str, from: u64, to: u64) -> Result<u64, i32> {
    let why = match unsigned(text, suffixes) {
        Ok(n) if (from..=to).contains(&n) => return Ok(n),
        Ok(n) if n <= i32::MAX as u64 / 2 => ": Numerical result out of range",
        Ok(_) | Err(Fault::Overflow) => ": Value too large for defined data type",
        Err(Fault::Invalid | Fault::Suffix) => "",
    };
    warn!(name, what, ": ", quote(text), why);
    Err(1)
}

/// Reports an invalid value of `option`, which is given as it is written, with its hyphens.
pub fn complain(name: &str, option: &str, text: &[u8], fault: Fault) {
    match fault {
        Fault::Invalid => warn!(name, "invalid ", option, " argument '", text, "'"),
        Fault::Suffix => warn!(name, "invalid suffix in ", option, " argument '", text, "'"),
        Fault::Overflow => warn!(name, option, " argument '", text, "' too large"),
    }
}
