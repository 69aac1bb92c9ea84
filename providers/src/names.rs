//! Represents names that are not UTF-8 as text.
//!
//! File names are bytes in Linux and text in this crate. In a local sandbox, each character from U+10FF80 to
//! U+10FFFF represents one byte, given by its last two hexadecimal digits: the name `caf\xe9` is `"caf\u{10ffe9}"`.
//! These characters are for private use and in no font. So a path from `ls`, `glob` or `grep` can be read, written,
//! downloaded and executed. Python's `surrogateescape` does the same with surrogates, which are not valid
//! characters in Rust.
//!
//! ```
//! use sandshell_providers::names;
//!
//! let name = names::text(b"caf\xe9");
//! assert_eq!(name, "caf\u{10ffe9}");
//! assert_eq!(&*names::bytes(&name), b"caf\xe9");
//! ```

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// The characters that represent bytes.
const ESCAPES: RangeInclusive<char> = '\u{10ff80}'..='\u{10ffff}';
/// The first byte of all these characters in UTF-8. Few other characters begin with it.
const LEAD: u8 = 0xf4;

/// A name as text. UTF-8 stays as it is; every other byte becomes the character that represents it. If the name
/// contains one of these characters, its bytes are represented in this way too, so that [`bytes()`] restores every
/// name.
pub fn text(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) if !is_escaped(text) => Cow::Borrowed(text),
        _ => {
            let mut text = String::with_capacity(name.len() * 4);
            for chunk in name.utf8_chunks() {
                for letter in chunk.valid().chars() {
                    if ESCAPES.contains(&letter) {
                        text.extend(letter.encode_utf8(&mut [0; 4]).bytes().map(escape));
                    } else {
                        text.push(letter);
                    }
                }
                text.extend(chunk.invalid().iter().copied().map(escape));
            }
            Cow::Owned(text)
        }
    }
}

/// The bytes that a text represents.
pub fn bytes(text: &str) -> Cow<'_, [u8]> {
    if !is_escaped(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        if ESCAPES.contains(&letter) {
            bytes.push((u32::from(letter) & 0xff) as u8);
        } else {
            bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Cow::Owned(bytes)
}

/// Whether a text represents bytes that are not UTF-8. Only local sandboxes support this.
pub fn is_escaped(text: &str) -> bool {
    memchr::memchr(LEAD, text.as_bytes()).is_some() && text.contains(|letter: char| ESCAPES.contains(&letter))
}

/// The character that represents a byte from 0x80 on.
fn escape(byte: u8) -> char {
    char::from_u32(0x0010_ff00 | u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        let names: [&[u8]; 8] = [
            b"",
            b"plain",
            "größe 👋 \u{f8ff}".as_bytes(),
            b"\x80",
            b"a\xff\xfeb\xc3",
            "\u{10ff80} and \u{10ffff}".as_bytes(),
            b"\xf4\x8f\xbf",
            "\u{100000}".as_bytes(),
        ];
        for name in names {
            assert_eq!(&*bytes(&text(name)), name, "{name:?}");
        }
        for high in 0..=u8::MAX {
            for low in [0, 0x7f, 0x80, 0xbf, 0xc3, 0xff] {
                assert_eq!(&*bytes(&text(&[high, low])), [high, low]);
            }
        }
    }

    #[test]
    fn ordinary_text_is_itself() {
        assert!(matches!(text("größe".as_bytes()), Cow::Borrowed("größe")));
        assert!(matches!(bytes("größe \u{100000}"), Cow::Borrowed(_)));
        assert_eq!(text(b"\xc3("), "\u{10ffc3}(");
    }
}
