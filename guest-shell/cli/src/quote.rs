//! Quoting of names in messages and listings, with the same results as GNU's.

use crate::abbreviation::find;
use crate::warn;
use sandshell_posix::{characters, locale};

/// A style of quoting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Unchanged.
    Literal,
    /// For a shell, quoted only if needed.
    Shell,
    /// For a shell, always quoted.
    ShellAlways,
    /// For a shell, quoted only if needed, with `$''` for unprintable characters.
    ShellEscape,
    /// The same, always quoted.
    ShellEscapeAlways,
    /// As a C string.
    C,
    /// As a C string, but only if something must be escaped.
    CMaybe,
    /// As a C string without the quotes.
    Escape,
    /// As a C string with the locale's quotes.
    Locale,
    /// The same, with C's quotes if the locale has none of its own.
    Clocale,
}

/// The names of the styles in options and in `QUOTING_STYLE`.
pub const STYLES: &[(&str, Style)] = &[
    ("literal", Style::Literal),
    ("shell", Style::Shell),
    ("shell-always", Style::ShellAlways),
    ("shell-escape", Style::ShellEscape),
    ("shell-escape-always", Style::ShellEscapeAlways),
    ("c", Style::C),
    ("c-maybe", Style::CMaybe),
    ("escape", Style::Escape),
    ("locale", Style::Locale),
    ("clocale", Style::Clocale),
];

/// The style in `QUOTING_STYLE`. `command` reports an unknown one.
pub fn style_from_environment(command: &str) -> Option<Style> {
    let name = std::env::var_os("QUOTING_STYLE")?;
    let name = name.as_encoded_bytes();
    let found = find(name, STYLES).ok();
    if found.is_none() {
        let shown = quote(name);
        warn!(command, "ignoring invalid value of environment variable QUOTING_STYLE: ", shown);
    }
    found
}

/// Quotes with the locale's quotes: ‘x’, or 'x' in the locale `C`.
pub fn quote(name: &[u8]) -> Vec<u8> {
    quote_with(name, Style::Locale, b"")
}

/// Quotes for a shell, always in quotes: 'x'.
pub fn quoteaf(name: &[u8]) -> Vec<u8> {
    quote_with(name, Style::ShellEscapeAlways, b"")
}

/// Quotes for a shell, if needed or if there is a colon.
pub fn quotef(name: &[u8]) -> Vec<u8> {
    quote_with(name, Style::ShellEscape, b":")
}

/// Quotes `name`. `also` lists additional bytes that require quotes (in [`Style::Escape`]: a backslash).
pub fn quote_with(name: &[u8], style: Style, also: &[u8]) -> Vec<u8> {
    match style {
        Style::Literal => name.to_vec(),
        Style::Shell => shell(name, false, false, also),
        Style::ShellAlways => shell(name, true, false, also),
        Style::ShellEscape => shell(name, false, true, also),
        Style::ShellEscapeAlways => shell(name, true, true, also),
        Style::C => c_like(name, b"\"", b"\"", also),
        Style::CMaybe => {
            // Backslashes alone do not require quotes, and inside quotes only C's special characters are escaped.
            let doubled = name.iter().filter(|b| **b == b'\\').count();
            let plain = c_like(name, b"\"", b"\"", also).len() == name.len() + doubled + 2;
            if plain { name.to_vec() } else { c_like(name, b"\"", b"\"", b"") }
        }
        Style::Escape => c_like(name, b"", b"", also),
        Style::Locale if locale::is_bytes() => c_like(name, b"'", b"'", also),
        Style::Clocale if locale::is_bytes() => c_like(name, b"\"", b"\"", also),
        Style::Locale | Style::Clocale => c_like(name, "\u{2018}".as_bytes(), "\u{2019}".as_bytes(), also),
    }
}

/// The characters of `name`: the bytes, and whether the character is printable.
fn characters(name: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    characters::characters(name).map(|(bytes, c)| (bytes, c.is_some_and(characters::is_printable)))
}

fn escape_letter(byte: u8) -> Option<u8> {
    Some(match byte {
        7 => b'a',
        8 => b'b',
        12 => b'f',
        10 => b'n',
        13 => b'r',
        9 => b't',
        11 => b'v',
        _ => return None,
    })
}

fn octal(to: &mut Vec<u8>, byte: u8) {
    to.extend_from_slice(&[b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]);
}

fn c_like(name: &[u8], open: &[u8], close: &[u8], also: &[u8]) -> Vec<u8> {
    let mut out = open.to_vec();
    for (bytes, printable) in characters(name) {
        let first = bytes[0];
        if !close.is_empty() && bytes == close {
            out.push(b'\\');
            out.extend_from_slice(bytes);
        } else if first == b'\\' || (bytes.len() == 1 && also.contains(&first)) {
            out.extend_from_slice(&[b'\\', first]);
        } else if let Some(letter) = escape_letter(first) {
            out.extend_from_slice(&[b'\\', letter]);
        } else if printable {
            out.extend_from_slice(bytes);
        } else {
            bytes.iter().for_each(|b| octal(&mut out, *b));
        }
    }
    out.extend_from_slice(close);
    out
}

/// Whether a byte is written the same way in a shell's quotes and in C's.
fn c_compatible(byte: u8, at: usize, alone: bool) -> bool {
    match byte {
        b'#' | b'~' => at == 0,
        b'{' | b'}' => alone,
        b'\'' | b' ' | b'%' | b'+' | b',' | b'-' | b'.' | b'/' | b':' | b']' | b'_' => true,
        b => b.is_ascii_alphanumeric(),
    }
}

fn needs_quotes(byte: u8, at: usize, alone: bool) -> bool {
    match byte {
        b'#' | b'~' => at == 0,
        b'{' | b'}' => alone,
        b' ' | b'!' | b'"' | b'$' | b'&' | b'(' | b')' | b'*' | b';' | b'<' | b'=' | b'>' | b'[' | b'^'
        | b'`' | b'|' | b'?' | b'\'' | b'\\' => true,
        _ => false,
    }
}

fn shell(name: &[u8], always: bool, escape: bool, also: &[u8]) -> Vec<u8> {
    let alone = name.len() == 1;
    let mut quotes = always || name.is_empty();
    let mut single = false;
    let mut compatible = true;
    let mut at = 0;
    for (bytes, printable) in characters(name) {
        let b = bytes[0];
        let control = bytes.len() == 1 && escape_letter(b).is_some();
        if needs_quotes(b, at, alone) || also.contains(&b) || control && matches!(b, 9 | 10 | 13) {
            quotes = true;
        }
        if escape && (!printable || control) {
            quotes = true;
        }
        single |= b == b'\'';
        compatible &= bytes.len() == 1 && c_compatible(b, at, alone);
        at += bytes.len();
    }
    if !quotes {
        return name.to_vec();
    }
    if single && compatible {
        let mut out = vec![b'"'];
        out.extend_from_slice(name);
        out.push(b'"');
        return out;
    }
    let mut out = vec![b'\''];
    let mut in_escape = false;
    for (bytes, printable) in characters(name) {
        let b = bytes[0];
        if b == b'\'' {
            out.extend_from_slice(b"'\\''");
            in_escape = false;
            continue;
        }
        let letter = escape_letter(b).filter(|_| bytes.len() == 1);
        if escape && (letter.is_some() || !printable) {
            if !in_escape {
                out.extend_from_slice(b"'$'");
                in_escape = true;
            }
            match letter {
                Some(l) => out.extend_from_slice(&[b'\\', l]),
                None => bytes.iter().for_each(|b| octal(&mut out, *b)),
            }
            continue;
        }
        if in_escape {
            out.extend_from_slice(b"''");
            in_escape = false;
        }
        out.extend_from_slice(bytes);
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(name: &str) -> String {
        String::from_utf8(quotef(name.as_bytes())).unwrap()
    }

    #[test]
    fn shell_quotes_are_gnus() {
        assert_eq!(s("plain"), "plain");
        assert_eq!(s("a b"), "'a b'");
        assert_eq!(s("it's"), "\"it's\"");
        assert_eq!(s("it's$"), "'it'\\''s$'");
        assert_eq!(s("a\nb"), "'a'$'\\n''b'");
        assert_eq!(s(""), "''");
        assert_eq!(s("a:b"), "'a:b'");
        assert_eq!(s("a\\b"), "'a\\b'");
    }
}
