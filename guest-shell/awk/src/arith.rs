//! Arithmetic.

/// `base ** exponent`. As in gawk, integer exponents use repeated squaring.
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    let n = exponent as i64;
    if n as f64 != exponent || n.unsigned_abs() > 1 << 40 {
        return base.powf(exponent);
    }
    let mut rest = n.unsigned_abs();
    let (mut square, mut result) = (base, 1.0);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= square;
        }
        square *= square;
        rest >>= 1;
    }
    if n < 0 { 1.0 / result } else { result }
}
