//! Escape sequences for bytes.

/// The message for [`Escape::Recursive`].
pub(crate) const RECURSIVE: &str = "recursive escaping after \\c not allowed";

/// The meaning of an escape sequence.
pub(crate) enum Escape {
    /// A byte, and the length of the sequence without the backslash.
    Byte(u8, usize),
    /// `\c` before a backslash that escapes another character.
    Recursive,
    /// `\c` at the end of the text.
    Cut,
    /// Not an escape sequence for a byte.
    None,
}

/// Parses the escape after a backslash: `\a \f
///  \r \t \v \cX \dNNN \oNNN \xHH`. `text` begins after the backslash.
pub(crate) fn escape(text: &[u8]) -> Escape {
    let byte = |b| Escape::Byte(b, 1);
    match text.first() {
        Some(b'a') => byte(7),
        Some(b'f') => byte(12),
        Some(b'n') => byte(b'\n'),
        Some(b'r') => byte(b'\r'),
        Some(b't') => byte(b'\t'),
        Some(b'v') => byte(11),
        Some(b'c') => match text.get(1) {
            None => Escape::Cut,
            Some(b'\\') if text.get(2) == Some(&b'\\') => Escape::Byte(b'\\' ^ 0x40, 3),
            Some(b'\\') => Escape::Recursive,
            Some(c) => Escape::Byte(c.to_ascii_uppercase() ^ 0x40, 2),
        },
        Some(b'd') => digits(text, 10, 3),
        Some(b'o') => digits(text, 8, 3),
        Some(b'x') => digits(text, 16, 2),
        _ => Escape::None,
    }
}

fn digits(text: &[u8], base: u32, most: usize) -> Escape {
    let mut value = 0;
    let mut used = 0;
    for b in text.iter().skip(1).take(most) {
        match char::from(*b).to_digit(base) {
            Some(digit) => value = value * base + digit,
            None => break,
        }
        used += 1;
    }
    // As in GNU sed, the value is truncated to a byte.
    if used == 0 { Escape::None } else { Escape::Byte((value & 0xff) as u8, used + 1) }
}
