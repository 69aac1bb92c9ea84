//! Sizes as printed by `-h`, `--si` and `--block-size`. They are always rounded up.

use crate::{number, options};
use std::fmt::Write;

const LETTERS: [char; 9] = ['\0', 'K', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];

/// The unit in which sizes are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Multiples of this many bytes, with a suffix.
    Blocks {
        /// Bytes of a block, at least 1.
        size: u64,
        /// The suffix of each number.
        suffix: String,
    },
    /// Scaled so that few digits remain.
    Human {
        /// 1024 or 1000.
        base: u64,
    },
}

impl Unit {
    /// Blocks of `size` bytes, no suffix.
    pub fn blocks(size: u64) -> Self {
        Self::Blocks { size: size.max(1), suffix: String::new() }
    }

    /// The text for a size of `bytes`.
    pub fn format(&self, bytes: u64) -> String {
        match self {
            Self::Blocks { size, suffix } => format!("{}{suffix}", bytes.div_ceil(*size)),
            Self::Human { base } => human(u128::from(bytes), u128::from(*base)),
        }
    }

    /// Parses the value of `--block-size`. `None` if it is not a size.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let text = text.strip_prefix('\'').unwrap_or(text);
        const NAMES: [(&str, u64); 2] = [("human-readable", 1024), ("si", 1000)];
        if let Ok(base) = options::find(text.as_bytes(), &NAMES) {
            return Some(Self::Human { base });
        }
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let factor = multiplier(unit)?;
        let count: u64 = if number.is_empty() { 1 } else { number.parse().ok()? };
        if number.is_empty() && unit.is_empty() {
            return None;
        }
        let size = count.checked_mul(factor).filter(|s| *s > 0)?;
        let suffix = if number.is_empty() { unit.to_string() } else { String::new() };
        // The prefix for 1000 is a lower case k, the one for 1024 an upper case K.
        let suffix = match suffix.as_str() {
            "KB" => "kB".into(),
            "k" => "K".into(),
            "kiB" => "KiB".into(),
            _ => suffix,
        };
        Some(Self::Blocks { size, suffix })
    }

    /// As [`parse`](Self::parse), with a message. `option` is given as it is written, with its hyphens.
    pub fn given(command: &str, option: &str, text: &[u8]) -> Option<Self> {
        let unit = Self::parse(text);
        if unit.is_none() {
            let fault = number::in_base(text, 0, number::SIZES).err().unwrap_or(number::Fault::Invalid);
            number::complain(command, option, text, fault);
        }
        unit
    }

    /// The unit from the environment: from `variable`, `BLOCK_SIZE` or `BLOCKSIZE`, in this order.
    pub fn from_environment(variable: &str) -> Option<Self> {
        [variable, "BLOCK_SIZE", "BLOCKSIZE"]
            .iter()
            .find_map(std::env::var_os)
            .and_then(|v| Self::parse(v.as_encoded_bytes()))
    }
}

/// The factor of a size suffix: empty, `c`, `b`, `K`, `KB`, `KiB`, `M`…
pub fn multiplier(unit: &str) -> Option<u64> {
    let mut chars = unit.chars();
    let Some(letter) = chars.next() else { return Some(1) };
    let rest = chars.as_str();
    let exponent = match letter {
        'c' if rest.is_empty() => return Some(1),
        'w' if rest.is_empty() => return Some(2),
        'b' if rest.is_empty() => return Some(512),
        'B' if rest.is_empty() => return Some(1),
        'k' => 1,
        l => LETTERS.iter().position(|x| *x == l && l != '\0')?,
    };
    let base: u64 = match rest {
        "" | "iB" => 1024,
        "B" | "D" => 1000,
        _ => return None,
    };
    base.checked_pow(u32::try_from(exponent).ok()?)
}

fn human(bytes: u128, base: u128) -> String {
    let mut exponent = 0;
    let mut unit = 1u128;
    while bytes >= unit * base && exponent < LETTERS.len() - 1 {
        unit *= base;
        exponent += 1;
    }
    let mut out = String::new();
    if exponent == 0 {
        let _ = write!(out, "{bytes}");
        return out;
    }
    let tenths = (bytes * 10).div_ceil(unit);
    if tenths < 100 {
        let _ = write!(out, "{}.{}", tenths / 10, tenths % 10);
    } else {
        let whole = bytes.div_ceil(unit);
        if whole >= base && exponent < LETTERS.len() - 1 {
            exponent += 1;
            out.push_str("1.0");
        } else {
            let _ = write!(out, "{whole}");
        }
    }
    let letter = LETTERS[exponent];
    out.push(if base == 1000 && letter == 'K' { 'k' } else { letter });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn human_sizes_round_up() {
        let h = |n| Unit::Human { base: 1024 }.format(n);
        assert_eq!(h(1023), "1023");
        assert_eq!(h(1024), "1.0K");
        assert_eq!(h(1025), "1.1K");
        assert_eq!(h(10240), "10K");
        assert_eq!(h(10241), "11K");
        assert_eq!(h(1024 * 1024 - 1), "1.0M");
        assert_eq!(Unit::Human { base: 1000 }.format(1500), "1.5k");
        assert_eq!(Unit::parse(b"M").unwrap().format(1), "1M");
        assert_eq!(Unit::parse(b"1K").unwrap().format(2048), "2");
    }
}
