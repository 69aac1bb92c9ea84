//! Numbers: parsing, literal forms, and printing.

use crate::value::Val;
use std::cmp::Ordering;
use std::rc::Rc;

/// A decimal number in its original form: `digits * 10^exponent`.
pub(crate) struct Literal {
    negative: bool,
    /// The digits without leading zeros, except for zero itself.
    digits: Vec<u8>,
    exponent: i64,
    /// The nearest double.
    pub(crate) value: f64,
}

/// Parses a number as jq's JSON parser does: `-1.5e3`, but also `+1`, `.5`, `5.`, `nan`, `infinity`. `None` if it is
/// not one.
pub(crate) fn parse(token: &[u8]) -> Option<Val> {
    if let Some(n) = parse_simple(token) {
        return Some(Val::Num(n));
    }
    let (negative, rest) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if let Some(n) = parse_special(rest) {
        return Some(Val::Num(if negative { -n } else { n }));
    }
    let literal = parse_decimal(negative, rest)?;
    Some(literal.into_val())
}

/// Appends a double as jq prints it: with at most 17 significant digits. Infinities are printed as the largest doubles.
pub(crate) fn print(out: &mut Vec<u8>, n: f64) {
    if n.is_nan() {
        out.extend_from_slice(b"null");
        return;
    }
    if n.fract() == 0.0 && n.abs() < 1e15 {
        return print_integer(out, n);
    }
    let n = n.clamp(f64::MIN, f64::MAX);
    let text = format!("{n:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: Vec<u8> = mantissa.bytes().filter(|b| *b != b'.').collect();
    out.extend_from_slice(sign.as_bytes());
    let point = exponent + 1;
    let count = digits.len() as i64;
    if point <= -4 || point > count + 15 {
        print_scientific(out, &digits, exponent, b'e', 2);
    } else {
        print_plain(out, &digits, point);
    }
}

/// Appends a number value.
pub(crate) fn print_val(out: &mut Vec<u8>, v: &Val) {
    match v {
        Val::Num(n) => print(out, *n),
        Val::Literal(l) => l.print(out),
        _ => {}
    }
}

/// Compares two numbers: literals by their original values, others as doubles. NaN comes first.
pub(crate) fn compare(a: &Val, b: &Val) -> Ordering {
    if let (Val::Literal(x), Val::Literal(y)) = (a, b) {
        return x.compare(y);
    }
    let (x, y) = (a.num().unwrap_or(0.0), b.num().unwrap_or(0.0));
    x.partial_cmp(&y).unwrap_or(if x.is_nan() { Ordering::Less } else { Ordering::Greater })
}

impl Literal {
    /// A double if it prints the same text and has few enough digits to be exact; otherwise the literal.
    fn into_val(self) -> Val {
        if self.digits.len() > 15 {
            return Val::Literal(Rc::new(self));
        }
        let mut double = Vec::new();
        print(&mut double, self.value);
        let mut own = Vec::new();
        self.print(&mut own);
        if double == own { Val::Num(self.value) } else { Val::Literal(Rc::new(self)) }
    }

    /// The to-scientific-string conversion of the General Decimal Arithmetic specification.
    fn print(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        let adjusted = self.exponent + self.digits.len() as i64 - 1;
        if self.exponent <= 0 && adjusted >= -6 {
            print_plain(out, &self.digits, self.digits.len() as i64 + self.exponent);
        } else {
            print_scientific(out, &self.digits, adjusted, b'E', 1);
        }
    }

    fn is_zero(&self) -> bool {
        self.digits == b"0"
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |l: &Self| if l.is_zero() { 0 } else { if l.negative { -1 } else { 1 } };
        let (a, b) = (sign(self), sign(other));
        if a != b || a == 0 {
            return a.cmp(&b);
        }
        let adjusted = |l: &Self| l.exponent + l.digits.len() as i64;
        let magnitude = adjusted(self).cmp(&adjusted(other)).then_with(|| {
            let trim = |d: &[u8]| d.iter().rposition(|b| *b != b'0').map_or(0, |i| i + 1);
            self.digits[..trim(&self.digits)].cmp(&other.digits[..trim(&other.digits)])
        });
        if self.negative { magnitude.reverse() } else { magnitude }
    }
}

/// Parses a number that a double represents and prints exactly: up to 15 digits, no exponent, no redundant zeros.
fn parse_simple(token: &[u8]) -> Option<f64> {
    let (negative, digits) = match token {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (i, &b) in digits.iter().enumerate() {
        match b {
            b'0'..=b'9' => mantissa = mantissa * 10 + u64::from(b - b'0'),
            b'.' if point.is_none() => point = Some(i),
            _ => return None,
        }
    }
    let count = digits.len() - usize::from(point.is_some());
    let value = match point {
        None if count <= 15 => mantissa as f64,
        Some(at) if at > 0 && count <= 15 => {
            let places = count - at;
            let small = mantissa == 0 || digits.ends_with(b"0") || (places > 3 && digits.starts_with(b"0."));
            if places == 0 || small {
                return None;
            }
            mantissa as f64 / POWERS.get(places)?
        }
        _ => return None,
    };
    Some(if negative { -value } else { value })
}

const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

fn parse_special(rest: &[u8]) -> Option<f64> {
    let lower = rest.to_ascii_lowercase();
    match lower.as_slice() {
        b"inf" | b"infinity" => Some(f64::INFINITY),
        _ => {
            let payload =
                lower.strip_prefix(b"nan".as_slice()).or_else(|| lower.strip_prefix(b"snan".as_slice()))?;
            payload.iter().all(u8::is_ascii_digit).then_some(f64::NAN)
        }
    }
}

fn parse_decimal(negative: bool, rest: &[u8]) -> Option<Literal> {
    let at = rest.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(at);
    let mut scale = 0i64;
    let mut digits = Vec::new();
    let mut point = false;
    for &b in mantissa {
        match b {
            b'0'..=b'9' => {
                digits.push(b);
                scale -= i64::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if digits.is_empty() {
        return None;
    }
    let exponent = match exponent {
        [] => 0,
        [_, text @ ..] => parse_exponent(text)?,
    };
    let zeros = digits.iter().take_while(|b| **b == b'0').count().min(digits.len() - 1);
    digits.drain(..zeros);
    let text = std::str::from_utf8(rest).ok()?;
    let value: f64 = text.parse().ok()?;
    Some(Literal {
        negative,
        digits,
        exponent: exponent + scale,
        value: if negative { -value } else { value },
    })
}

fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let n = digits.iter().fold(0i64, |n, b| (n * 10 + i64::from(b - b'0')).min(999_999_999));
    Some(sign * n)
}

fn print_integer(out: &mut Vec<u8>, n: f64) {
    if n.is_sign_negative() {
        out.push(b'-');
    }
    let mut rest = n.abs() as u64;
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// `point` is the position of the decimal point, counted from the first digit.
fn print_plain(out: &mut Vec<u8>, digits: &[u8], point: i64) {
    let count = digits.len() as i64;
    if point <= 0 {
        out.extend_from_slice(b"0.");
        out.extend((point..0).map(|_| b'0'));
        out.extend_from_slice(digits);
    } else if point >= count {
        out.extend_from_slice(digits);
        out.extend((count..point).map(|_| b'0'));
    } else {
        out.extend_from_slice(&digits[..point as usize]);
        out.push(b'.');
        out.extend_from_slice(&digits[point as usize..]);
    }
}

fn print_scientific(out: &mut Vec<u8>, digits: &[u8], exponent: i64, letter: u8, width: usize) {
    let (first, rest) = digits.split_first().map_or((b'0', &[][..]), |(f, r)| (*f, r));
    out.push(first);
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest);
    }
    out.push(letter);
    out.push(if exponent < 0 { b'-' } else { b'+' });
    out.extend_from_slice(format!("{:0width$}", exponent.unsigned_abs()).as_bytes());
}
