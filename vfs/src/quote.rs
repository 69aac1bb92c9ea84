//! File names for display.

use std::fmt::Write as _;

/// A name or path as git prints it: unchanged if it is plain printable ASCII, otherwise in double quotes with C's
/// escapes. The result is always a single line and safe to print on a terminal.
///
/// ```
/// use sandshell_vfs::quoted;
/// assert_eq!(quoted(b"src/a b.rs"), "src/a b.rs");
/// assert_eq!(quoted(b"a\nb\x1b[2J"), r#""a\nb\033[2J""#);
/// assert_eq!(quoted("é".as_bytes()), r#""\303\251""#);
/// ```
pub fn quoted(path: &[u8]) -> String {
    let plain = |byte: &u8| matches!(byte, 0x20..0x7f) && *byte != b'"' && *byte != b'\\';
    let mut quoted = String::with_capacity(path.len() + 2);
    if path.iter().all(plain) {
        quoted.extend(path.iter().map(|byte| char::from(*byte)));
        return quoted;
    }
    quoted.push('"');
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            0x07 => quoted.push_str("\\a"),
            0x08 => quoted.push_str("\\b"),
            b'\t' => quoted.push_str("\\t"),
            b'\n' => quoted.push_str("\\n"),
            0x0b => quoted.push_str("\\v"),
            0x0c => quoted.push_str("\\f"),
            b'\r' => quoted.push_str("\\r"),
            0x20..0x7f => quoted.push(char::from(*byte)),
            _ => {
                // Writing into a string does not fail.
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted.push('"');
    quoted
}
