//! Quotients and remainders.

use super::{LIMB_DIGITS, Num, limbs};

impl Num {
    /// The quotient, truncated to exactly `scale` digits. `None` for a division by zero.
    pub(crate) fn div(&self, by: &Self, scale: usize) -> Option<Self> {
        if by.is_zero() {
            return None;
        }
        let frac = scale.div_ceil(LIMB_DIGITS);
        // The integer quotient has `frac` limbs after the point if the dividend has that many more such limbs than the
        // divisor.
        let wanted = frac + by.frac;
        let rows = if wanted >= self.frac {
            let mut padded = vec![0; wanted - self.frac];
            padded.extend_from_slice(&self.limbs);
            limbs::div(&padded, &by.limbs)
        } else {
            limbs::div(self.limbs.get(self.frac - wanted..).unwrap_or_default(), &by.limbs)
        };
        let mut out = Self { neg: self.neg != by.neg, limbs: rows, frac, scale: frac * LIMB_DIGITS };
        if out.limbs.len() < frac {
            out.limbs.resize(frac, 0);
        }
        out.rescale(scale);
        Some(out.tidy_sign())
    }

    /// The quotient at `scale` and the remainder, whose scale is `max(self, by + scale)`. `None` for a division by
    /// zero.
    pub(crate) fn div_rem(&self, by: &Self, scale: usize) -> Option<(Self, Self)> {
        let quotient = self.div(by, scale)?;
        let rest_scale = self.scale.max(by.scale + scale);
        let rest = self.sub(&quotient.mul(by, rest_scale)).with_scale(rest_scale);
        Some((quotient, rest))
    }

    /// The remainder of [`div_rem`](Self::div_rem).
    pub(crate) fn rem(&self, by: &Self, scale: usize) -> Option<Self> {
        Some(self.div_rem(by, scale)?.1)
    }
}
