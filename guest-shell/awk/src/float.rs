//! Floating-point numbers in the formats of C's `printf`.

use crate::number;

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spec {
    pub(crate) left: bool,
    pub(crate) plus: bool,
    pub(crate) space: bool,
    pub(crate) alt: bool,
    pub(crate) zero: bool,
    pub(crate) quote: bool,
    pub(crate) width: usize,
    pub(crate) precision: Option<usize>,
}

/// The text `+inf`, `-nan` and so on, if the number is infinite or NaN.
pub(crate) fn special(n: f64) -> Option<&'static str> {
    if n.is_nan() {
        return Some(if n.is_sign_negative() { "-nan" } else { "+nan" });
    }
    if n.is_infinite() {
        return Some(if n < 0.0 { "-inf" } else { "+inf" });
    }
    None
}

/// Appends a number as `%g` with a precision and no other flags.
pub(crate) fn push_g(out: &mut Vec<u8>, n: f64, precision: usize) {
    if let Some(s) = special(n) {
        out.extend_from_slice(s.as_bytes());
        return;
    }
    if n.is_sign_negative() {
        out.push(b'-');
    }
    general(out, n.abs(), precision, false, false);
}

/// Appends a finite number in one of the conversions `e E f F g G a A`.
pub(crate) fn push(out: &mut Vec<u8>, n: f64, conversion: u8, spec: Spec) {
    let upper = conversion.is_ascii_uppercase();
    let mut body = Vec::new();
    let a = n.abs();
    match conversion.to_ascii_lowercase() {
        b'f' => fixed(&mut body, a, spec.precision.unwrap_or(6), spec.alt),
        b'e' => exponent(&mut body, a, spec.precision.unwrap_or(6), spec.alt),
        b'a' => hexadecimal(&mut body, a, spec.precision, spec.alt),
        _ => general(&mut body, a, spec.precision.unwrap_or(6), spec.alt, false),
    }
    if upper {
        body.make_ascii_uppercase();
    }
    let sign: &[u8] = if n.is_sign_negative() {
        b"-"
    } else if spec.plus {
        b"+"
    } else if spec.space {
        b" "
    } else {
        b""
    };
    pad(out, sign, &body, spec);
}

/// Appends a sign and digits, padded to the width.
pub(crate) fn pad(out: &mut Vec<u8>, sign: &[u8], body: &[u8], spec: Spec) {
    let fill = spec.width.saturating_sub(sign.len() + body.len());
    if spec.left {
        out.extend_from_slice(sign);
        out.extend_from_slice(body);
        out.resize(out.len() + fill, b' ');
    } else if spec.zero {
        out.extend_from_slice(sign);
        // `0x` precedes the zeros of the padding.
        let head = if body.starts_with(b"0x") || body.starts_with(b"0X") { 2 } else { 0 };
        out.extend_from_slice(body.get(..head).unwrap_or_default());
        out.resize(out.len() + fill, b'0');
        out.extend_from_slice(body.get(head..).unwrap_or_default());
    } else {
        out.resize(out.len() + fill, b' ');
        out.extend_from_slice(sign);
        out.extend_from_slice(body);
    }
}

fn fixed(out: &mut Vec<u8>, a: f64, precision: usize, alt: bool) {
    // Digits beyond this count are zeros.
    let kept = precision.min(1100);
    out.extend_from_slice(format!("{a:.kept$}").as_bytes());
    out.resize(out.len() + (precision - kept), b'0');
    if alt && precision == 0 {
        out.push(b'.');
    }
}

// The digits and the decimal exponent of a number, rounded to `count` digits.
fn digits(a: f64, count: usize) -> (Vec<u8>, i32) {
    let kept = count.clamp(1, 1100);
    let text = format!("{a:.*e}", kept - 1);
    let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    digits.resize(count.max(1), b'0');
    (digits, exp.parse().unwrap_or(0))
}

fn exponent(out: &mut Vec<u8>, a: f64, precision: usize, alt: bool) {
    let (digits, exp) = digits(a, precision + 1);
    push_exponent(out, &digits, exp, alt);
}

fn push_exponent(out: &mut Vec<u8>, digits: &[u8], exp: i32, alt: bool) {
    let (first, rest) = digits.split_at(1);
    out.extend_from_slice(first);
    if !rest.is_empty() || alt {
        out.push(b'.');
        out.extend_from_slice(rest);
    }
    out.extend_from_slice(if exp < 0 { b"e-" } else { b"e+" });
    if exp.abs() < 10 {
        out.push(b'0');
    }
    number::push_int(out, exp.abs().into());
}

fn general(out: &mut Vec<u8>, a: f64, precision: usize, alt: bool, _upper: bool) {
    let precision = precision.max(1);
    let (mut digits, exp) = digits(a, precision);
    let exp = if a == 0.0 { 0 } else { exp };
    if !alt {
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
        }
    }
    if exp < -4 || exp >= precision.min(i32::MAX as usize) as i32 {
        push_exponent(out, &digits, exp, alt);
        return;
    }
    if exp < 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + (-exp - 1) as usize, b'0');
        out.extend_from_slice(&digits);
        return;
    }
    let whole = exp as usize + 1;
    if digits.len() < whole {
        digits.resize(whole, b'0');
    }
    let (head, tail) = digits.split_at(whole);
    out.extend_from_slice(head);
    if !tail.is_empty() || alt {
        out.push(b'.');
        out.extend_from_slice(tail);
    }
}

fn hexadecimal(out: &mut Vec<u8>, a: f64, precision: Option<usize>, alt: bool) {
    let bits = a.to_bits();
    let mut mantissa = bits & ((1 << 52) - 1);
    let biased = (bits >> 52) as i64;
    let (mut lead, exp) =
        if biased == 0 { (0u64, if mantissa == 0 { 0 } else { -1022 }) } else { (1, biased - 1023) };
    let mut count = 13;
    match precision {
        Some(p) if p < 13 => {
            // Round half to even.
            let drop = (13 - p) * 4;
            let all = (lead << 52) | mantissa;
            let kept = all >> drop;
            let rest = all & ((1 << drop) - 1);
            let half = 1u64 << (drop - 1);
            let kept = if rest > half || (rest == half && kept & 1 == 1) { kept + 1 } else { kept };
            let all = kept << drop;
            lead = all >> 52;
            mantissa = all & ((1 << 52) - 1);
            count = p;
        }
        Some(p) => count = p,
        None => {
            while count > 0 && (mantissa >> ((13 - count) * 4)) & 15 == 0 {
                count -= 1;
            }
        }
    }
    out.extend_from_slice(b"0x");
    out.push(b'0' + lead as u8);
    if count > 0 || alt {
        out.push(b'.');
    }
    let text = format!("{mantissa:013x}");
    let shown: Vec<u8> = text.bytes().chain(std::iter::repeat(b'0')).take(count).collect();
    out.extend_from_slice(&shown);
    out.extend_from_slice(if exp < 0 { b"p-" } else { b"p+" });
    number::push_int(out, exp.abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(n: f64, conversion: u8, spec: Spec) -> String {
        let mut out = Vec::new();
        push(&mut out, n, conversion, spec);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn numbers_are_written_as_in_c() {
        let with = |precision| Spec { precision: Some(precision), ..Spec::default() };
        assert_eq!(formatted(2.5, b'f', with(0)), "2");
        assert_eq!(formatted(1e-5, b'g', Spec::default()), "1e-05");
        assert_eq!(formatted(1e6, b'g', Spec::default()), "1e+06");
        assert_eq!(formatted(123_456.0, b'g', Spec::default()), "123456");
        assert_eq!(formatted(-0.0, b'g', Spec::default()), "-0");
        assert_eq!(formatted(0.1, b'a', Spec::default()), "0x1.999999999999ap-4");
        assert_eq!(formatted(5.0, b'e', Spec { width: 14, zero: true, ..with(2) }), "0000005.00e+00");
    }
}
