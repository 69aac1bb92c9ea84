//! Characters of byte strings and the columns they take.

use crate::locale;

/// The characters of `text`: their bytes, and the character if the bytes are UTF-8 (else, and in the locale `C`, one byte
/// at a time).
pub fn characters(text: &[u8]) -> impl Iterator<Item = (&[u8], Option<char>)> {
    let mut rest = text;
    let ascii_only = locale::is_bytes();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let len = match first {
            0..=0x7f => 1,
            _ if ascii_only => 0,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 0,
        };
        let c = rest
            .get(..len)
            .filter(|b| !b.is_empty())
            .and_then(|b| std::str::from_utf8(b).ok())
            .and_then(|s| s.chars().next());
        let (head, tail) = rest.split_at(if c.is_some() { len } else { 1 });
        rest = tail;
        Some((head, c))
    })
}

/// Columns of one character: 0 for combining ones, 2 for wide ones; `None` for controls.
pub fn char_width(c: char) -> Option<usize> {
    if c.is_ascii() {
        (!c.is_ascii_control()).then_some(1)
    } else {
        unicode_width::UnicodeWidthChar::width(c)
    }
}

/// Columns that `text` takes; what cannot be printed counts 0, broken bytes 0.
pub fn columns(text: &[u8]) -> usize {
    if text.iter().all(|b| (0x20..0x7f).contains(b)) {
        return text.len();
    }
    characters(text).map(|(_, c)| c.and_then(char_width).unwrap_or(0)).sum()
}

/// Whether glibc's C.UTF-8 calls the character printable.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let n = c as u32;
    !matches!(n, 0x80..=0x9f | 0x2028 | 0x2029 | 0xfdd0..=0xfdef) && n & 0xfffe != 0xfffe
}
