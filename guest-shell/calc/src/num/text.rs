//! Converts numbers to and from text.

use super::limbs::{self, BASE};
use super::{LIMB_DIGITS, Num};

/// Collects the digits of a number in some base.
pub(crate) struct Digits {
    base: u32,
    /// The integer and fraction digits as one natural number.
    all: Vec<u32>,
    /// How many digits there are in the fraction.
    behind: usize,
    // The value of the digits that are not in `all` yet, and their weight.
    part: u32,
    weight: u32,
}

impl Digits {
    pub(crate) fn new(base: u32) -> Self {
        Self { base: base.max(2), all: Vec::new(), behind: 0, part: 0, weight: 1 }
    }

    /// Adds a digit, which must be below the base. `fraction`: the decimal point has been seen.
    pub(crate) fn push(&mut self, digit: u32, fraction: bool) {
        self.part = self.part * self.base + digit;
        self.weight *= self.base;
        self.behind += usize::from(fraction);
        if self.weight > 20_000_000 {
            self.merge_part();
        }
    }

    /// The number. A fraction gets as many decimal digits as it has digits in the base.
    pub(crate) fn finish(mut self) -> Num {
        self.merge_part();
        let mut out = Num { neg: false, limbs: self.all, frac: 0, scale: 0 };
        out.tidy();
        if self.behind == 0 {
            return out;
        }
        if self.base == 10 {
            return out.shifted(self.behind);
        }
        let divisor =
            Num::from(i64::from(self.base)).raise(&Num::from(self.behind as i64), 0).unwrap_or_default();
        out.div(&divisor, self.behind).unwrap_or_default()
    }

    fn merge_part(&mut self) {
        limbs::mul_add_small(&mut self.all, self.weight, self.part);
        (self.part, self.weight) = (0, 1);
    }
}

impl Num {
    /// Parses an optional minus, digits, and an optional decimal point. Other characters are skipped.
    pub(crate) fn parse_decimal(text: &[u8]) -> Self {
        let point = text.iter().position(|b| *b == b'.');
        let digits =
            |part: &[u8]| part.iter().filter(|b| b.is_ascii_digit()).map(|b| b - b'0').collect::<Vec<u8>>();
        let whole = digits(text.get(..point.unwrap_or(text.len())).unwrap_or_default());
        let mut behind = point.map_or_else(Vec::new, |p| digits(text.get(p..).unwrap_or_default()));
        let scale = behind.len();
        let frac = scale.div_ceil(LIMB_DIGITS);
        behind.resize(frac * LIMB_DIGITS, 0);
        let limb = |part: &[u8]| part.iter().fold(0, |n, d| n * 10 + u32::from(*d));
        let mut limbs: Vec<u32> = behind.rchunks(LIMB_DIGITS).map(limb).collect();
        limbs.extend(whole.rchunks(LIMB_DIGITS).map(limb));
        let mut out = Self { neg: text.first() == Some(&b'-'), limbs, frac, scale };
        out.tidy();
        out.tidy_sign()
    }

    /// The digits in a base. Above base 16, each digit is a decimal number of fixed width after a space. A zero before
    /// the decimal point is written only with `leading_zero`.
    pub(crate) fn to_text(&self, base: u32, leading_zero: bool) -> Vec<u8> {
        let mut out = Vec::new();
        if self.neg {
            out.push(b'-');
        }
        if self.is_zero() {
            out.push(b'0');
        } else if base == 10 {
            self.decimal(leading_zero, &mut out);
        } else {
            self.other_base(base.max(2), leading_zero, &mut out);
        }
        out
    }

    // A natural number divided by 10 to the power of `digits`. The result is exact.
    fn shifted(&self, digits: usize) -> Self {
        let frac = digits.div_ceil(LIMB_DIGITS);
        let mut limbs = self.limbs.clone();
        limbs::mul_add_small(&mut limbs, 10u32.pow((frac * LIMB_DIGITS - digits) as u32), 0);
        if limbs.len() < frac {
            limbs.resize(frac, 0);
        }
        Self { neg: self.neg, limbs, frac, scale: digits }
    }

    fn decimal(&self, leading_zero: bool, out: &mut Vec<u8>) {
        let (behind, whole) = self.limbs.split_at(self.frac.min(self.limbs.len()));
        match whole.split_last() {
            Some((top, rest)) => {
                out.extend_from_slice(top.to_string().as_bytes());
                for limb in rest.iter().rev() {
                    nine_digits(*limb, out);
                }
            }
            None if leading_zero => out.push(b'0'),
            None => {}
        }
        if self.scale > 0 {
            out.push(b'.');
            let start = out.len();
            for limb in behind.iter().rev() {
                nine_digits(*limb, out);
            }
            out.truncate(start + self.scale);
        }
    }

    fn other_base(&self, base: u32, leading_zero: bool, out: &mut Vec<u8>) {
        let (behind, whole) = self.limbs.split_at(self.frac.min(self.limbs.len()));
        let width = (base - 1).ilog10() as usize + 1;
        let put = |digit: u32, space: bool, out: &mut Vec<u8>| {
            if base <= 16 {
                out.push(b"0123456789ABCDEF".get(digit as usize).copied().unwrap_or(b'?'));
            } else {
                if space {
                    out.push(b' ');
                }
                out.extend_from_slice(format!("{digit:0width$}").as_bytes());
            }
        };
        let digits = whole_digits(whole.to_vec(), base);
        if digits.is_empty() && leading_zero {
            put(0, true, out);
        }
        for digit in digits.iter().rev() {
            put(*digit, true, out);
        }
        if self.scale == 0 {
            return;
        }
        out.push(b'.');
        let mut rest = Self { neg: false, limbs: behind.to_vec(), frac: self.frac, scale: self.scale };
        let factor = Self::from(i64::from(base));
        // Digits are written until the corresponding power of the base has more digits than the scale.
        let mut reached = Self::one();
        let mut first = true;
        while reached.integer_digits() <= self.scale {
            rest = rest.mul(&factor, self.scale);
            let digit = rest.to_i64().and_then(|d| u32::try_from(d).ok()).unwrap_or_default();
            rest.limbs.truncate(rest.frac);
            put(digit, !first, out);
            first = false;
            reached = reached.mul(&factor, 0);
        }
    }
}

// The digits of a natural number in a base, the least significant first.
fn whole_digits(mut rest: Vec<u32>, base: u32) -> Vec<u32> {
    // Several digits are split off at a time.
    let (mut chunk, mut count) = (base, 1);
    while u64::from(chunk) * u64::from(base) < u64::from(BASE) {
        chunk *= base;
        count += 1;
    }
    let mut out = Vec::new();
    limbs::trim(&mut rest);
    while !rest.is_empty() {
        let mut part = limbs::div_small(&mut rest, chunk);
        limbs::trim(&mut rest);
        for _ in 0..count {
            out.push(part % base);
            part /= base;
        }
    }
    while out.last() == Some(&0) {
        out.pop();
    }
    out
}

fn nine_digits(limb: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{limb:09}").as_bytes());
}
