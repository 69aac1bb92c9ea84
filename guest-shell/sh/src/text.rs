//! Helpers for text that is UTF-8 where possible, but may contain any bytes.

/// The length of the first character: that of a valid UTF-8 sequence, or else one byte. 0 for an empty text.
pub(crate) fn char_len(text: &[u8]) -> usize {
    if sandshell_syntax::locale::is_bytes() {
        text.len().min(1)
    } else {
        sandshell_posix::characters::length(text)
    }
}

/// The characters of a text.
pub(crate) fn chars(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (first, tail) = rest.split_at_checked(char_len(rest))?;
        rest = tail;
        (!first.is_empty()).then_some(first)
    })
}

/// Whether a character of [`chars`] is printable in glibc's C.UTF-8 locale.
pub(crate) fn is_printable(character: &[u8]) -> bool {
    if let [byte] = character {
        return (0x20..0x7f).contains(byte);
    }
    let Some(c) = std::str::from_utf8(character).ok().and_then(|s| s.chars().next()) else { return false };
    let n = c as u32;
    !matches!(n, 0x80..=0x9f | 0x2028 | 0x2029 | 0xfdd0..=0xfdef) && n & 0xfffe != 0xfffe
}

/// Whether a text has unprintable characters, or bytes that are not part of a UTF-8 sequence.
pub(crate) fn needs_ansi(text: &[u8]) -> bool {
    !chars(text).all(is_printable)
}

/// Quotes as `$'...'`.
pub(crate) fn quote_ansi(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for c in chars(text) {
        let [b] = c else {
            if is_printable(c) {
                out.extend_from_slice(c);
            } else {
                c.iter().for_each(|b| out.extend_from_slice(format!("\\{b:03o}").as_bytes()));
            }
            continue;
        };
        match b {
            0x07 => out.extend_from_slice(b"\\a"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x09 => out.extend_from_slice(b"\\t"),
            0x0a => out.extend_from_slice(b"\\n"),
            0x0b => out.extend_from_slice(b"\\v"),
            0x0c => out.extend_from_slice(b"\\f"),
            0x0d => out.extend_from_slice(b"\\r"),
            0x1b => out.extend_from_slice(b"\\E"),
            b'\\' | b'\'' => out.extend_from_slice(&[b'\\', *b]),
            0x20..=0x7e => out.push(*b),
            _ => out.extend_from_slice(format!("\\{b:03o}").as_bytes()),
        }
    }
    out.push(b'\'');
    out
}

/// The number of characters.
pub(crate) fn char_count(text: &[u8]) -> usize {
    if text.is_ascii() { text.len() } else { chars(text).count() }
}

/// The byte offset of character `n`, or the length if there are fewer.
pub(crate) fn char_offset(text: &[u8], n: usize) -> usize {
    if text.is_ascii() { n.min(text.len()) } else { chars(text).take(n).map(<[u8]>::len).sum() }
}

/// Appends a number.
pub(crate) fn push_number(out: &mut Vec<u8>, n: i64) {
    let mut buf = [0u8; 20];
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
        out.push(b'-');
    }
    out.extend_from_slice(&buf[at..]);
}

/// A number as text.
pub(crate) fn number(n: i64) -> Vec<u8> {
    let mut out = Vec::with_capacity(4);
    push_number(&mut out, n);
    out
}

/// Parses a decimal integer with optional sign and white space around it, as bash's builtins do.
pub(crate) fn parse_integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let text = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']).trim_end_matches([' ', '\t']);
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.starts_with(['+', '-']) && digits.len() < text.len() {
        return None;
    }
    digits.parse().ok()
}

/// Whether the text is one or more digits.
pub(crate) fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Converts the case of one character. `None` if there is no single character of the other case.
pub(crate) fn change_case(c: &[u8], upper: bool) -> Option<Vec<u8>> {
    if sandshell_syntax::locale::is_bytes() && !c.is_ascii() {
        return None;
    }
    let ch = std::str::from_utf8(c).ok()?.chars().next()?;
    if ch == '\u{130}' && !upper {
        return Some(b"i".to_vec());
    }
    let mut changed: Vec<char> =
        if upper { ch.to_uppercase().collect() } else { ch.to_lowercase().collect() };
    if changed.len() != 1 {
        changed = vec![ch];
    }
    Some(changed.into_iter().collect::<String>().into_bytes())
}

/// Converts a text to upper or lower case.
pub(crate) fn to_case(text: &[u8], upper: bool) -> Vec<u8> {
    if text.is_ascii() {
        return if upper { text.to_ascii_uppercase() } else { text.to_ascii_lowercase() };
    }
    chars(text).flat_map(|c| change_case(c, upper).unwrap_or_else(|| c.to_vec())).collect()
}

/// The text for messages, with invalid bytes replaced.
pub(crate) fn show(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}
