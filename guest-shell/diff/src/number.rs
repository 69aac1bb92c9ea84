//! Numbers on command lines.

/// Reads a decimal number that is the whole text. A number that is too large becomes `usize::MAX`. `None` if it is
/// negative or not a number.
pub(crate) fn whole(text: &[u8]) -> Option<usize> {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0usize, |n, d| n.saturating_mul(10).saturating_add(usize::from(d - b'0'))))
}
