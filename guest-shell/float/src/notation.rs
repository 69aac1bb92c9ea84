//! The notations of `printf`: `%e`, `%g` and `%a` for a number's absolute value. `%f` is [`Extended::fixed`].

use crate::extended::{Extended, Kind};

/// `%e` of the absolute value. `alternate` keeps the decimal point.
pub fn exponential(value: Extended, precision: usize, alternate: bool) -> Vec<u8> {
    let (digits, power) = value.digits(precision + 1);
    with_exponent(&digits, power, alternate)
}

/// `%g` of the absolute value. `alternate` keeps trailing zeros and the decimal point.
pub fn general(value: Extended, precision: usize, alternate: bool) -> Vec<u8> {
    let (mut digits, power) = value.digits(precision);
    if power < -4 || power >= i32::try_from(precision).unwrap_or(i32::MAX) {
        if !alternate {
            trim_zeros(&mut digits, 1);
        }
        return with_exponent(&digits, power, alternate);
    }
    if power < 0 {
        let mut padded = vec![b'0'; power.unsigned_abs() as usize];
        padded.extend_from_slice(&digits);
        digits = padded;
    }
    let whole = power.max(0) as usize + 1;
    if !alternate {
        trim_zeros(&mut digits, whole);
    }
    if digits.len() > whole || alternate {
        digits.insert(whole.min(digits.len()), b'.');
    }
    digits
}

/// `%a` of the absolute value without `0x`. As for x86's long double, four bits are before the point.
pub fn hexadecimal(value: Extended, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    let Kind::Finite { mantissa, exponent } = value.kind else { return value.name() };
    let mut power = if mantissa == 0 { 0 } else { exponent + 60 };
    let mut digits = u128::from(mantissa);
    let mut places = 15;
    if let Some(p) = precision.filter(|p| *p < 15) {
        let drop = 4 * (15 - p) as u32;
        let half = 1u128 << (drop - 1);
        let rest = digits & ((1 << drop) - 1);
        digits >>= drop;
        if rest > half || rest == half && digits & 1 == 1 {
            digits += 1;
        }
        places = p;
        if digits >> (4 * places) > 15 {
            digits >>= 4;
            power += 4;
        }
    }
    let all = format!("{digits:0width$x}", width = places + 1);
    let mut fraction = all.as_bytes().get(1..).unwrap_or_default().to_vec();
    match precision {
        None => trim_zeros(&mut fraction, 0),
        Some(p) => fraction.resize(p, b'0'),
    }
    let mut text = all.as_bytes().get(..1).unwrap_or_default().to_vec();
    if !fraction.is_empty() || alternate {
        text.push(b'.');
    }
    text.extend_from_slice(&fraction);
    text.extend_from_slice(format!("p{power:+}").as_bytes());
    text
}

fn with_exponent(digits: &[u8], power: i32, alternate: bool) -> Vec<u8> {
    let mut text = digits.get(..1).unwrap_or_default().to_vec();
    if digits.len() > 1 || alternate {
        text.push(b'.');
    }
    text.extend_from_slice(digits.get(1..).unwrap_or_default());
    let sign = if power < 0 { '-' } else { '+' };
    text.extend_from_slice(format!("e{sign}{:02}", power.unsigned_abs()).as_bytes());
    text
}

fn trim_zeros(digits: &mut Vec<u8>, least: usize) {
    while digits.len() > least && digits.last() == Some(&b'0') {
        digits.pop();
    }
}
