//! Decimal numbers of any size with a scale, on which `bc` and `dc` calculate.
//!
//! A number has a sign, limbs of nine decimal digits, and a scale, which is the number of its fraction digits. The
//! limbs are aligned at the decimal point. Truncating to a scale and adding therefore need no shifts by single digits.

mod div;
mod limbs;
mod power;
mod sqrt;
mod text;

pub(crate) use power::PowerError;
pub(crate) use text::Digits;

use limbs::BASE;
use std::cmp::Ordering;

/// Decimal digits in a limb.
const LIMB_DIGITS: usize = 9;

/// A decimal number. Digits beyond the scale are zeros. Negative zero exists, as in GNU's library.
#[derive(Clone, Debug, Default)]
pub(crate) struct Num {
    neg: bool,
    /// The limbs, least significant first. The first `frac` of them are the fraction. The integer part has no zero
    /// limbs at its top.
    limbs: Vec<u32>,
    frac: usize,
    scale: usize,
}

impl Num {
    pub(crate) fn zero() -> Self {
        Self::default()
    }

    pub(crate) fn one() -> Self {
        Self::from(1)
    }

    /// The number of fraction digits.
    pub(crate) fn scale(&self) -> usize {
        self.scale
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.limbs.iter().all(|l| *l == 0)
    }

    /// Whether the number has a minus sign, which is also true for a negative zero.
    pub(crate) fn is_negative(&self) -> bool {
        self.neg
    }

    /// How many digits there are before the point, without leading zeros. At least 1.
    pub(crate) fn integer_digits(&self) -> usize {
        let ints = self.limbs.len() - self.frac;
        match self.limbs.last() {
            Some(top) if ints > 0 => {
                (ints - 1) * LIMB_DIGITS + top.checked_ilog10().map_or(0, |n| n as usize + 1)
            }
            _ => 1,
        }
    }

    /// The number of digits that `length()` and `Z` report: those of the integer part and of the scale, without a zero
    /// before the decimal point.
    pub(crate) fn length(&self) -> usize {
        let whole = self.integer_digits();
        if whole == 1 && self.scale > 0 && self.limbs.len() == self.frac {
            self.scale
        } else {
            whole + self.scale
        }
    }

    /// The number of digits on both sides of the decimal point, without leading zeros. At least 1.
    pub(crate) fn significant_digits(&self) -> usize {
        let Some(top) = self.limbs.iter().rposition(|l| *l != 0) else { return 1 };
        let all = top * LIMB_DIGITS + self.limbs.get(top).map_or(0, |l| l.ilog10() as usize + 1);
        all - (self.frac * LIMB_DIGITS - self.scale)
    }

    /// The integer part of the absolute value as digits in base 256, the most significant first. At least one digit.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut rest = self.limbs.get(self.frac..).unwrap_or_default().to_vec();
        let mut out = Vec::new();
        while out.is_empty() || !rest.is_empty() {
            out.push(limbs::div_small(&mut rest, 256) as u8);
            limbs::trim(&mut rest);
        }
        out.reverse();
        out
    }

    pub(crate) fn negated(mut self) -> Self {
        self.neg = !self.neg && !self.is_zero();
        self
    }

    pub(crate) fn abs(mut self) -> Self {
        self.neg = false;
        self
    }

    /// Truncates to at most `scale` fraction digits. The sign does not change.
    pub(crate) fn truncated(mut self, scale: usize) -> Self {
        if scale < self.scale {
            self.rescale(scale);
        }
        self
    }

    /// The number with exactly `scale` fraction digits.
    pub(crate) fn with_scale(mut self, scale: usize) -> Self {
        self.rescale(scale);
        self
    }

    /// The integer part as an `i64`. `None` if it does not fit.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        let mut value: i64 = 0;
        for limb in self.limbs.get(self.frac..)?.iter().rev() {
            value = value.checked_mul(i64::from(BASE))?.checked_add(i64::from(*limb))?;
        }
        Some(if self.neg { -value } else { value })
    }

    /// The sum. Its scale is the larger of both.
    pub(crate) fn add(&self, other: &Self) -> Self {
        self.combine(other, other.neg)
    }

    /// The difference. Its scale is the larger of both.
    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.combine(other, !other.neg)
    }

    /// The product. For factors of the scales `a` and `b`, its scale is `min(a + b, max(scale, a, b))`.
    pub(crate) fn mul(&self, other: &Self, scale: usize) -> Self {
        let full = self.scale + other.scale;
        let mut out = Self {
            neg: self.neg != other.neg,
            limbs: limbs::mul(&self.limbs, &other.limbs),
            frac: self.frac + other.frac,
            scale: (self.frac + other.frac) * LIMB_DIGITS,
        };
        if out.limbs.len() < out.frac {
            out.limbs.resize(out.frac, 0);
        }
        out.rescale(full.min(scale.max(self.scale).max(other.scale)));
        out.tidy_sign()
    }

    /// Compares two values. Positive and negative zero are equal.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self.neg && !self.is_zero(), other.neg && !other.is_zero()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.compare_abs(other),
            (true, true) => other.compare_abs(self),
        }
    }

    fn compare_abs(&self, other: &Self) -> Ordering {
        let ints = |n: &Self| n.limbs.len() - n.frac;
        let by_length = ints(self).cmp(&ints(other));
        if by_length != Ordering::Equal {
            return by_length;
        }
        let (mut a, mut b) = (self.limbs.iter().rev(), other.limbs.iter().rev());
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (x, y) => match x.unwrap_or(&0).cmp(y.unwrap_or(&0)) {
                    Ordering::Equal => {}
                    other => return other,
                },
            }
        }
    }

    fn combine(&self, other: &Self, other_neg: bool) -> Self {
        let frac = self.frac.max(other.frac);
        let (a, b) = (self.padded(frac), other.padded(frac));
        let (neg, limbs) = if self.neg == other_neg {
            (self.neg, limbs::add(&a, &b))
        } else {
            match self.compare_abs(other) {
                Ordering::Less => (other_neg, limbs::sub(&b, &a)),
                _ => (self.neg, limbs::sub(&a, &b)),
            }
        };
        let mut out = Self { neg, limbs, frac, scale: self.scale.max(other.scale) };
        out.tidy();
        out.tidy_sign()
    }

    // The limbs, extended so that `frac` of them are the fraction.
    fn padded(&self, frac: usize) -> std::borrow::Cow<'_, [u32]> {
        if frac <= self.frac {
            return std::borrow::Cow::Borrowed(&self.limbs);
        }
        let mut out = vec![0; frac - self.frac];
        out.extend_from_slice(&self.limbs);
        std::borrow::Cow::Owned(out)
    }

    fn rescale(&mut self, scale: usize) {
        let frac = scale.div_ceil(LIMB_DIGITS);
        if frac < self.frac {
            self.limbs.drain(..self.frac - frac);
        } else if frac > self.frac {
            self.limbs.splice(0..0, std::iter::repeat_n(0, frac - self.frac));
        }
        self.frac = frac;
        if scale < self.scale
            && let Some(first) = self.limbs.first_mut()
            && frac > 0
        {
            let cut = 10u32.pow((frac * LIMB_DIGITS - scale) as u32);
            *first -= *first % cut;
        }
        self.scale = scale;
        self.tidy();
    }

    fn tidy(&mut self) {
        while self.limbs.len() > self.frac && self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }

    fn tidy_sign(mut self) -> Self {
        self.neg = self.neg && !self.is_zero();
        self
    }
}

impl From<i64> for Num {
    fn from(value: i64) -> Self {
        let mut rest = value.unsigned_abs();
        let mut limbs = Vec::new();
        while rest > 0 {
            limbs.push((rest % u64::from(BASE)) as u32);
            rest /= u64::from(BASE);
        }
        Self { neg: value < 0, limbs, frac: 0, scale: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Num;

    fn num(text: &str) -> Num {
        Num::parse_decimal(text.as_bytes())
    }

    fn text(n: &Num) -> String {
        String::from_utf8(n.to_text(10, false)).unwrap_or_default()
    }

    #[test]
    fn arithmetic_keeps_scales() {
        assert_eq!(text(&num("1.25").add(&num("2.7"))), "3.95");
        assert_eq!(text(&num("1").sub(&num("1.001"))), "-.001");
        assert_eq!(text(&num("1.25").mul(&num("1.25"), 0)), "1.56");
        assert_eq!(text(&num("1").div(&num("3"), 12).unwrap_or_default()), ".333333333333");
        assert_eq!(text(&num("-7").div(&num("2"), 0).unwrap_or_default()), "-3");
        assert_eq!(text(&num("2").sqrt(20).unwrap_or_default()), "1.41421356237309504880");
    }

    #[test]
    fn long_products_agree_with_long_quotients() {
        let (a, b) = (num(&"123456789".repeat(200)), num(&"98765432100000001".repeat(90)));
        let product = a.mul(&b, 0);
        assert_eq!(text(&product.div(&b, 0).unwrap_or_default()), text(&a));
        assert_eq!(text(&product.div(&a, 0).unwrap_or_default()), text(&b));
        assert_eq!(text(&a.mul(&a, 0).sqrt(0).unwrap_or_default()), text(&a));
    }
}
