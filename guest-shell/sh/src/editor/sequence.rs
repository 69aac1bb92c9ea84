//! Key sequences as `bind` and `inputrc` write them.

/// The bytes that a text between quotes stands for: `\C-x`, `\M-x`, `\e`, `\n`, `\101`, `\x41` and their like.
pub(crate) fn parse(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (mut control, mut meta) = (false, false);
        loop {
            match rest {
                [b'C', b'-', after @ ..] if !after.is_empty() => (control, rest) = (true, after),
                [b'M', b'-', after @ ..] if !after.is_empty() => (meta, rest) = (true, after),
                _ => break,
            }
            // A further `\C-` or `\M-` may follow.
            match rest {
                [b'\\', b'C' | b'M', b'-', _, ..] => rest = rest.get(1..).unwrap_or_default(),
                _ => break,
            }
        }
        let byte = if control || meta { plain_or_escaped(&mut rest) } else { escaped(&mut rest) };
        let Some(mut byte) = byte else { continue };
        if control {
            byte = to_control(byte);
        }
        if meta {
            byte |= 0x80;
        }
        out.push(byte);
    }
    out
}

/// The byte of a letter with the control key.
pub(crate) fn to_control(byte: u8) -> u8 {
    if byte == b'?' { 0x7f } else { byte.to_ascii_uppercase() & 0x1f }
}

fn plain_or_escaped(rest: &mut &[u8]) -> Option<u8> {
    let (&byte, after) = rest.split_first()?;
    *rest = after;
    if byte == b'\\' { escaped(rest) } else { Some(byte) }
}

/// What stands after a backslash.
fn escaped(rest: &mut &[u8]) -> Option<u8> {
    let (&byte, after) = rest.split_first()?;
    *rest = after;
    Some(match byte {
        b'a' => 7,
        b'b' => 8,
        b'd' => 0x7f,
        b'e' => 0x1b,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'0'..=b'7' => number(byte - b'0', rest, 8, 2),
        b'x' if rest.first().is_some_and(u8::is_ascii_hexdigit) => number(0, rest, 16, 2),
        other => other,
    })
}

fn number(first: u8, rest: &mut &[u8], base: u32, digits: usize) -> u8 {
    let mut value = first;
    for _ in 0..digits {
        let Some((digit, after)) =
            rest.split_first().and_then(|(b, after)| Some((char::from(*b).to_digit(base)?, after)))
        else {
            break;
        };
        value = value.wrapping_mul(base as u8).wrapping_add(digit as u8);
        *rest = after;
    }
    value
}

/// A key sequence as `bind -p` writes it, without quotes.
pub(crate) fn shown(keys: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in keys {
        match byte {
            0x80.. => out.extend(format!("\\{byte:03o}").bytes()),
            _ => ascii(*byte, &mut out),
        }
    }
    out
}

/// A macro as `bind -s` writes it, without quotes. Bytes that are not ASCII stay as they are.
pub(crate) fn shown_macro(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        match byte {
            0x80.. => out.push(*byte),
            _ => ascii(*byte, &mut out),
        }
    }
    out
}

fn ascii(byte: u8, out: &mut Vec<u8>) {
    match byte {
        0x1b => out.extend(b"\\e"),
        0x7f => out.extend(b"\\C-?"),
        b'"' | b'\\' => out.extend([b'\\', byte]),
        0x1c => out.extend(b"\\C-\\\\"),
        0..0x20 => out.extend([b'\\', b'C', b'-', (byte | 0x40).to_ascii_lowercase()]),
        _ => out.push(byte),
    }
}

/// The key that a name without quotes stands for, such as `Control-u`, `Meta-Rubout` or `TAB`.
pub(super) fn named(name: &[u8]) -> Option<u8> {
    let (mut control, mut meta) = (false, false);
    let mut rest = name;
    loop {
        let start = |prefix: &str| {
            let (head, tail) = rest.split_at_checked(prefix.len())?;
            (head.eq_ignore_ascii_case(prefix.as_bytes()) && !tail.is_empty()).then_some(tail)
        };
        if let Some(tail) = start("control-").or_else(|| start("c-")) {
            (control, rest) = (true, tail);
        } else if let Some(tail) = start("meta-").or_else(|| start("m-")) {
            (meta, rest) = (true, tail);
        } else {
            break;
        }
    }
    const NAMES: [(&str, u8); 11] = [
        ("del", 0x7f),
        ("esc", 0x1b),
        ("escape", 0x1b),
        ("lfd", b'\n'),
        ("newline", b'\n'),
        ("ret", b'\r'),
        ("return", b'\r'),
        ("rubout", 0x7f),
        ("space", b' '),
        ("spc", b' '),
        ("tab", b'\t'),
    ];
    let found = NAMES.iter().find(|(name, _)| rest.eq_ignore_ascii_case(name.as_bytes()));
    let mut byte = found.map(|(_, byte)| *byte).or_else(|| rest.first().copied())?;
    if control {
        byte = to_control(byte);
    }
    Some(if meta { byte | 0x80 } else { byte })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_read_and_shown() {
        let text = br#"\C-x\C-r\e[A\C-\M-q\\\"\101\x7f\d\C-?"#;
        let keys = parse(text);
        assert_eq!(keys, b"\x18\x12\x1b[A\x91\\\"A\x7f\x7f\x7f");
        assert_eq!(shown(&keys), br#"\C-x\C-r\e[A\221\\\"A\C-?\C-?\C-?"#);
        assert_eq!(parse(b"\\"), b"");
        assert_eq!(parse(b"\\C-"), b"C-");
        assert_eq!(shown(b"\x1c\x00"), br"\C-\\\C-@");
    }

    #[test]
    fn keys_have_names() {
        assert_eq!(named(b"Control-u"), Some(0x15));
        assert_eq!(named(b"C-M-q"), Some(0x91));
        assert_eq!(named(b"Meta-Rubout"), Some(0xff));
        assert_eq!(named(b"TAB"), Some(9));
    }
}
