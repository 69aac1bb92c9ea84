//! The characters of byte strings, and the columns that they take.

use crate::locale;

/// The control character that a letter after a backslash stands for, as in C; other bytes as they are.
pub fn escape(letter: u8) -> u8 {
    match letter {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        other => other,
    }
}

/// The length of the first UTF-8 character. 1 for an invalid byte, 0 for an empty text.
pub fn length(text: &[u8]) -> usize {
    let length = match text.first() {
        None => return 0,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        Some(_) => return 1,
    };
    let is_one = text.get(..length).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok());
    if is_one { length } else { 1 }
}

/// The characters of `text`: the bytes, and the character if they are valid UTF-8. Invalid bytes, and all bytes in the
/// locale `C`, come one at a time.
pub fn characters(text: &[u8]) -> impl Iterator<Item = (&[u8], Option<char>)> {
    let mut rest = text;
    let is_bytes = locale::is_bytes();
    std::iter::from_fn(move || {
        let (head, tail) = rest.split_at(if is_bytes { rest.len().min(1) } else { length(rest) });
        rest = tail;
        let character = std::str::from_utf8(head).ok().and_then(|text| text.chars().next());
        (!head.is_empty()).then_some((head, character))
    })
}

/// The columns of one character: 0 for combining ones, 2 for wide ones. `None` for control characters.
pub fn char_width(c: char) -> Option<usize> {
    if c.is_ascii() {
        (!c.is_ascii_control()).then_some(1)
    } else {
        unicode_width::UnicodeWidthChar::width(c)
    }
}

/// The columns of `text`. Unprintable characters and invalid bytes count as 0.
pub fn columns(text: &[u8]) -> usize {
    if text.iter().all(|b| (0x20..0x7f).contains(b)) {
        return text.len();
    }
    characters(text).map(|(_, c)| c.and_then(char_width).unwrap_or(0)).sum()
}

/// Whether the character is printable in glibc's C.UTF-8 locale.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let n = c as u32;
    !matches!(n, 0x80..=0x9f | 0x2028 | 0x2029 | 0xfdd0..=0xfdef) && n & 0xfffe != 0xfffe
}
