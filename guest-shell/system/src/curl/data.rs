//! `-d` and its relatives: what is sent as a body or a query.

use super::options::contents;
use crate::base::say;

/// The text of `-d`, `--data-binary` or `--json`, where `@FILE` is the content of a file: `None` if it cannot be read.
pub(super) fn plain(value: &[u8], keeps_lines: bool) -> Option<Vec<u8>> {
    let Some(file) = value.strip_prefix(b"@") else { return Some(value.to_vec()) };
    let mut content = contents(file)?;
    if !keeps_lines {
        content.retain(|b| !b"\r\n\0".contains(b));
    }
    Some(content)
}

/// The text of `--data-urlencode`: `TEXT`, `=TEXT`, `NAME=TEXT`, `@FILE` or `NAME@FILE`.
pub(super) fn encoded(value: &[u8]) -> Option<Vec<u8>> {
    let at = value.iter().position(|b| matches!(b, b'=' | b'@'));
    let (name, sign, rest) = match at {
        Some(at) => (value.get(..at)?, value.get(at).copied(), value.get(at + 1..)?),
        None => (&b""[..], None, value),
    };
    let content = if sign == Some(b'@') { contents(rest)? } else { rest.to_vec() };
    if sign == Some(b'@') && content.is_empty() {
        return Some(content);
    }
    let mut out = name.to_vec();
    if !name.is_empty() {
        out.push(b'=');
    }
    escape(&content, &mut out);
    Some(out)
}

/// Escapes everything but letters, digits and `-._~`; a blank is `+`, as forms have it.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    for b in text {
        match b {
            b' ' => out.push(b'+'),
            b'-' | b'.' | b'_' | b'~' => out.push(*b),
            _ if b.is_ascii_alphanumeric() => out.push(*b),
            _ => out.extend_from_slice(format!("%{b:02X}").as_bytes()),
        }
    }
}

/// Says that a file for a body could not be read.
pub(super) fn warn_unread(value: &[u8]) {
    let file = value.splitn(2, |b| *b == b'@').nth(1).unwrap_or_default();
    say::raw(
        [b"Warning: Couldn't read data from file \"", file, b"\", this makes an empty POST.\n"].concat(),
    );
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn names_are_kept() {
        let is = |text: &str, out: &str| assert_eq!(encoded(text.as_bytes()), Some(out.as_bytes().to_vec()));
        is("a=b c&d", "a=b+c%26d");
        is("\u{e9} x", "%C3%A9+x");
        is("=q=r", "q%3Dr");
        is("", "");
        assert_eq!(encoded(b"n@/no/such/file"), None);
    }
}
