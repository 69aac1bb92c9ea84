//! Values of options as gnulib's `xstrtoumax` reads them and `xstrtol_fatal` complains of them.

use crate::base::number::{self, Bad};
use crate::warn;

/// What is wrong with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// No number.
    Invalid,
    /// A number with something else behind it.
    Suffix,
    /// Too large.
    Overflow,
}

/// An unsigned number of `base` (0: as C writes numbers) with one of the `suffixes` of [`number::unsigned`]. `B` alone
/// is 1024.
///
/// # Errors
/// It is none, or too large.
pub fn unsigned(text: &[u8], base: u32, suffixes: &str) -> Result<u64, Fault> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let hex = text.len() > 2 && text[..2].eq_ignore_ascii_case(b"0x") && text[2].is_ascii_hexdigit();
    let (base, digits) = match base {
        0 | 16 if hex => (16, &text[2..]),
        0 if text.starts_with(b"0") => (8, text),
        0 => (10, text),
        other => (other, text),
    };
    let count = digits.iter().take_while(|b| char::from(**b).is_digit(base)).count();
    let (digits, suffix) = digits.split_at(count);
    let mut value = Some(0u64);
    for d in digits {
        let digit = char::from(*d).to_digit(base).unwrap_or_default();
        value = value.and_then(|v| v.checked_mul(base.into())?.checked_add(digit.into()));
    }
    if suffix == b"B" && suffixes.contains('B') {
        let value = if count == 0 { Some(1) } else { value };
        return value.and_then(|v| v.checked_mul(1024)).ok_or(Fault::Overflow);
    }
    if count > 0 && suffix.first().is_some_and(u8::is_ascii_digit) {
        return Err(Fault::Suffix);
    }
    let decimal = match (count, value) {
        (0, _) => Vec::new(),
        (_, Some(v)) => v.to_string().into_bytes(),
        // Whatever is too large, to have the suffix looked at.
        (_, None) => vec![b'9'; 21],
    };
    match number::unsigned(&[&decimal, suffix].concat(), suffixes) {
        Ok(v) => Ok(v),
        Err(Bad::Overflow) => Err(Fault::Overflow),
        Err(Bad::Invalid) if count == 0 => Err(Fault::Invalid),
        Err(Bad::Invalid) => Err(Fault::Suffix),
    }
}

/// Says that `option` (as written, with its hyphens) has a wrong value.
pub fn complain(name: &str, option: &str, text: &[u8], fault: Fault) {
    match fault {
        Fault::Invalid => warn!(name, "invalid ", option, " argument '", text, "'"),
        Fault::Suffix => warn!(name, "invalid suffix in ", option, " argument '", text, "'"),
        Fault::Overflow => warn!(name, option, " argument '", text, "' too large"),
    }
}
