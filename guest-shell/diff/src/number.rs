//! Numbers on command lines.

/// A decimal number and nothing else; what is too large is the largest there is. `None` if it is none or negative.
pub(crate) fn whole(text: &[u8]) -> Option<usize> {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0usize, |n, d| n.saturating_mul(10).saturating_add(usize::from(d - b'0'))))
}
