//! Escape sequences in strings.

use crate::diag::bytes;
use sandshell_posix::characters;

/// Replaces the escape sequences of a string constant or of a value from the command line.
pub(crate) fn string(raw: &[u8], posix: bool, warnings: &mut Vec<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(b) = raw.get(at).copied() {
        at += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(next) = raw.get(at).copied() else {
            out.push(b'\\');
            break;
        };
        at += 1;
        match next {
            b'"' | b'\\' => out.push(next),
            b'/' if posix => out.push(next),
            b'\n' => {}
            _ => match simple(next) {
                Some(c) => out.push(c),
                None => match numeric(raw, at - 1, posix) {
                    Some((c, end)) => {
                        out.push(c);
                        at = end;
                    }
                    None => {
                        if next == b'x' && !posix {
                            warnings.push(b"no hex digits in `\\x' escape sequence".to_vec());
                        } else {
                            warnings.push(bytes!(
                                "escape sequence `\\",
                                [next],
                                "' treated as plain `",
                                [next],
                                "'"
                            ));
                        }
                        out.push(next);
                    }
                },
            },
        }
    }
    out
}

/// The byte for a simple escape such as `\a` or `\b`.
pub(crate) fn simple(letter: u8) -> Option<u8> {
    let byte = characters::escape(letter);
    (byte != letter).then_some(byte)
}

/// The letter that stands for a character after a backslash.
pub(crate) fn letter(b: u8) -> Option<u8> {
    Some(match b {
        7 => b'a',
        8 => b'b',
        12 => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        11 => b'v',
        b'"' | b'\\' => b,
        _ => return None,
    })
}

/// The value and the end of an octal or hexadecimal escape. `at` is the position after the backslash.
pub(crate) fn numeric(raw: &[u8], at: usize, posix: bool) -> Option<(u8, usize)> {
    let digits = |from: usize, max: usize, base: u32| {
        let n = raw
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take(max)
            .take_while(|b| char::from(**b).is_digit(base))
            .count();
        let value = raw.get(from..from + n).unwrap_or_default().iter();
        let value = value.fold(0u32, |v, b| v * base + char::from(*b).to_digit(base).unwrap_or(0));
        (n, value)
    };
    match raw.get(at)? {
        b'0'..=b'7' => {
            let (n, value) = digits(at, 3, 8);
            Some((value as u8, at + n))
        }
        b'x' if !posix => {
            let (n, value) = digits(at + 1, 2, 16);
            (n > 0).then_some((value as u8, at + 1 + n))
        }
        _ => None,
    }
}
