//! Square roots.

use super::{LIMB_DIGITS, Num};
use std::cmp::Ordering;

impl Num {
    /// The square root, truncated to the larger of `scale` and the number's own scale. The roots of 0 and 1 have no
    /// fraction. `None` for a negative number.
    pub(crate) fn sqrt(&self, scale: usize) -> Option<Self> {
        if self.is_zero() {
            return Some(Self::zero());
        }
        if self.neg {
            return None;
        }
        if self.compare(&Self::one()) == Ordering::Equal {
            return Some(Self::one());
        }
        let scale = scale.max(self.scale);
        let mut guess = self.first_guess(scale);
        let half = Self { neg: false, limbs: vec![500_000_000], frac: 1, scale: 1 };
        // Newton's method. From above, the values decrease until they reach the root.
        loop {
            let next = guess.add(&self.div(&guess, scale + 2)?).mul(&half, scale + 2).truncated(scale + 2);
            let close = next.sub(&guess).abs().compare(&Self::unit(scale + 2)) != Ordering::Greater;
            guess = next;
            if close {
                break;
            }
        }
        let mut root = guess.with_scale(scale);
        let unit = Self::unit(scale);
        while root.mul(&root, 2 * scale).compare(self) == Ordering::Greater {
            root = root.sub(&unit);
        }
        loop {
            let more = root.add(&unit);
            if more.mul(&more, 2 * scale).compare(self) == Ordering::Greater {
                return Some(root);
            }
            root = more;
        }
    }

    /// The smallest positive number with this scale.
    pub(crate) fn unit(scale: usize) -> Self {
        let frac = scale.div_ceil(LIMB_DIGITS);
        let mut limbs = vec![0; frac.max(1)];
        if let Some(first) = limbs.first_mut() {
            *first = 10u32.pow((frac * LIMB_DIGITS - scale) as u32);
        }
        Self { neg: false, limbs, frac, scale }
    }

    // An approximation of the root. It begins with fifteen correct digits, and is refined with increasing precision.
    fn first_guess(&self, scale: usize) -> Self {
        let Some(top) = self.limbs.iter().rposition(|l| *l != 0) else { return Self::one() };
        // value = head * 10^(9 * exponent) with an even exponent.
        let mut low = top.saturating_sub(2);
        if (low as i64 - self.frac as i64) % 2 != 0 {
            low = if low > 0 { low - 1 } else { 1 };
        }
        let head = self.limbs.get(low..=top.max(low)).unwrap_or_default();
        let value = head.iter().rev().fold(0f64, |v, l| v * 1e9 + f64::from(*l));
        let at = (low as i64 - self.frac as i64) / 2;
        if value == 0.0 {
            return Self::one();
        }
        let mut root = value.sqrt();
        let mut limbs = vec![0u32; 3];
        // Three limbs of fraction, so that small values of `head` keep their digits.
        let mut fraction = root.fract();
        for limb in limbs.iter_mut().rev() {
            fraction *= 1e9;
            *limb = (fraction as u32).min(999_999_999);
            fraction = fraction.fract();
        }
        root = root.trunc();
        while root >= 1.0 {
            limbs.push((root % 1e9) as u32);
            root = (root / 1e9).trunc();
        }
        let frac = 3 - at;
        let mut out = if frac >= 0 {
            let frac = frac as usize;
            if limbs.len() < frac {
                limbs.resize(frac, 0);
            }
            Self { neg: false, limbs, frac, scale: frac * LIMB_DIGITS }
        } else {
            let mut padded = vec![0; frac.unsigned_abs() as usize];
            padded.extend_from_slice(&limbs);
            Self { neg: false, limbs: padded, frac: 0, scale: 0 }
        };
        out.tidy();
        let out = out.truncated(scale + 2);
        if out.is_zero() { Self::unit(scale + 2) } else { out }
    }
}
