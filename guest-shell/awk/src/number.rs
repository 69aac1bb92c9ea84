//! Conversions of text to numbers, and of integers to text.

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The value of the longest numeric prefix of `text`, 0 if there is none. As in gawk, leading blanks are skipped,
/// hexadecimal numbers are not recognised, and infinities and NaNs must be `+inf`, `-inf`, `+nan` or `-nan`.
pub(crate) fn prefix(text: &[u8]) -> f64 {
    scan(text).0
}

/// The value of a text that as a whole looks like a number, with optional blanks around it.
pub(crate) fn whole(text: &[u8]) -> Option<f64> {
    // For most fields that are not numbers, the first byte shows this.
    let first = *text.first()?;
    if first > b'9' {
        return None;
    }
    let (value, end) = scan(text);
    if end == 0 {
        return None;
    }
    text.get(end..)?.iter().all(|b| is_space(*b)).then_some(value)
}

/// Value and length of the numeric prefix. The length is 0 if there is none.
pub(crate) fn scan(text: &[u8]) -> (f64, usize) {
    let mut at = 0;
    while text.get(at).is_some_and(|b| is_space(*b)) {
        at += 1;
    }
    let start = at;
    let negative = match text.get(at) {
        Some(b'-') => true,
        Some(b'+') => false,
        _ => false,
    };
    let signed = matches!(text.get(at), Some(b'-' | b'+'));
    if signed {
        at += 1;
    }
    let digits = at;
    let mut n: u64 = 0;
    while let Some(d) = text.get(at).filter(|b| b.is_ascii_digit()) {
        n = n.wrapping_mul(10).wrapping_add(u64::from(d - b'0'));
        at += 1;
    }
    let whole_digits = at - digits;
    if whole_digits > 0 && whole_digits <= 15 && !matches!(text.get(at), Some(b'.' | b'e' | b'E')) {
        let v = n as f64;
        return (if negative { -v } else { v }, at);
    }
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        let dot = at;
        at += 1;
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
            fraction += 1;
        }
        if whole_digits + fraction == 0 {
            at = dot;
        }
    }
    if whole_digits + fraction == 0 {
        if signed && let Some(word) = text.get(at..at + 3) {
            let sign = if negative { -1.0 } else { 1.0 };
            let ends = !text.get(at + 3).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
            if ends && word.eq_ignore_ascii_case(b"inf") {
                return (f64::INFINITY * sign, at + 3);
            }
            if ends && word.eq_ignore_ascii_case(b"nan") {
                return (f64::NAN.copysign(sign), at + 3);
            }
        }
        return (0.0, 0);
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let mut e = at + 1;
        if matches!(text.get(e), Some(b'+' | b'-')) {
            e += 1;
        }
        if text.get(e).is_some_and(u8::is_ascii_digit) {
            while text.get(e).is_some_and(u8::is_ascii_digit) {
                e += 1;
            }
            at = e;
        }
    }
    let body = text.get(start..at).and_then(|t| std::str::from_utf8(t).ok()).unwrap_or("0");
    (body.parse().unwrap_or(0.0), at)
}

/// Value and length of a constant in the program, or of data with `--non-decimal-data`: `0x` begins a hexadecimal
/// number, and a leading 0 an octal one if all its digits are octal.
pub(crate) fn scan_any_base(text: &[u8]) -> (f64, usize) {
    if let Some(rest) = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")) {
        let n = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if n > 0 {
            return (digits_to_f64(rest.get(..n).unwrap_or_default(), 16), n + 2);
        }
        return (0.0, 1);
    }
    if text.first() == Some(&b'0') {
        let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let body = text.get(..n).unwrap_or_default();
        let decimal = matches!(text.get(n), Some(b'.' | b'e' | b'E'));
        if n > 1 && !decimal && body.iter().all(|b| *b < b'8') {
            return (digits_to_f64(body, 8), n);
        }
    }
    scan(text)
}

/// The value of digits in a base.
pub(crate) fn digits_to_f64(digits: &[u8], base: u32) -> f64 {
    digits
        .iter()
        .map_while(|b| char::from(*b).to_digit(base))
        .fold(0.0, |n, d| n * f64::from(base) + f64::from(d))
}

/// Appends an integer in decimal.
pub(crate) fn push_int(out: &mut Vec<u8>, n: i64) {
    let mut buf = [0u8; 20];
    out.extend_from_slice(format_int(&mut buf, n));
}

/// An integer in decimal.
pub(crate) fn format_int(buf: &mut [u8; 20], n: i64) -> &[u8] {
    let mut at = buf.len();
    let mut rest = n.unsigned_abs();
    loop {
        at -= 1;
        buf[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        at -= 1;
        buf[at] = b'-';
    }
    &buf[at..]
}

/// The integer for `f`, if it is one of at most 53 bits. Negative zero becomes 0.
pub(crate) fn as_int(f: f64) -> Option<i64> {
    let n = f as i64;
    (n as f64 == f && n.unsigned_abs() <= 1 << 53).then_some(n)
}
