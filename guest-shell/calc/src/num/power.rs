//! Powers.

use super::Num;

/// Why a power cannot be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PowerError {
    /// The exponent, or the power, is too large.
    TooLarge,
    /// A negative power of zero.
    DivideByZero,
}

/// The largest exponent.
const MOST: i64 = 2_147_483_649;

/// The maximum number of digits in a power. More would not fit into memory.
const MOST_DIGITS: u64 = 400_000_000;

impl Num {
    /// The power with the integer part of `exponent`. For a base with the scale `s`, its scale is `min(s * exponent,
    /// max(scale, s))`; for a negative exponent, it is `scale`.
    ///
    /// # Errors
    /// The power cannot be computed.
    pub(crate) fn raise(&self, exponent: &Self, scale: usize) -> Result<Self, PowerError> {
        let exponent = exponent.to_i64().filter(|e| e.abs() <= MOST).ok_or(PowerError::TooLarge)?;
        if exponent == 0 {
            return Ok(Self::one());
        }
        let mut left = exponent.unsigned_abs();
        let rscale = if exponent < 0 {
            scale
        } else {
            let full = u64::try_from(self.scale).unwrap_or(u64::MAX).saturating_mul(left);
            usize::try_from(full).unwrap_or(usize::MAX).min(scale.max(self.scale))
        };
        let whole = self.limbs.get(self.frac..).unwrap_or_default();
        let tiny = self.scale == 0 && (whole.is_empty() || whole == [1]);
        if tiny {
            // For 0, 1 and -1, only the parity of the exponent matters.
            left = if left % 2 == 1 { 1 } else { 2 };
        } else if (self.length() as u64).saturating_mul(left) > MOST_DIGITS {
            return Err(PowerError::TooLarge);
        }
        let mut power = self.clone();
        while left.is_multiple_of(2) {
            power = power.squared();
            left /= 2;
        }
        let mut result = power.clone();
        left /= 2;
        while left > 0 {
            power = power.squared();
            if left % 2 == 1 {
                result = result.mul(&power, result.scale + power.scale);
            }
            left /= 2;
        }
        if exponent < 0 {
            return Self::one().div(&result, rscale).ok_or(PowerError::DivideByZero);
        }
        Ok(result.truncated(rscale))
    }

    fn squared(&self) -> Self {
        self.mul(self, 2 * self.scale)
    }
}
