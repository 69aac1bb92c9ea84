//! `echo`.

use crate::true_false::help_only;
use sandshell_cli::options::operands;
use sandshell_cli::out;
use sandshell_posix::characters;
use std::ffi::OsString;

/// Runs `echo` and returns its exit status.
pub fn echo_main(args: Vec<OsString>) -> i32 {
    let args = operands(args);
    // POSIX allows no options except an initial `-n`, and always interprets escapes.
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    if !posix
        && let [only] = args.as_slice()
        && let Some(code) = help_only("echo", only)
    {
        return code;
    }
    let (mut newline, mut escapes) = (true, posix);
    let mut words = args.as_slice();
    while let Some((first, rest)) = words.split_first() {
        if posix && args.first().is_none_or(|a| a != b"-n") {
            break;
        }
        let Some(letters) = first.strip_prefix(b"-").filter(|l| !l.is_empty()) else { break };
        if !letters.iter().all(|l| b"neE".contains(l)) {
            break;
        }
        for letter in letters {
            match letter {
                b'n' => newline = false,
                b'e' => escapes = true,
                _ => escapes = false,
            }
        }
        words = rest;
    }
    let text = words.join(&b' ');
    if escapes || posix {
        let (text, more) = unescape(&text);
        out::put(text);
        newline &= more;
    } else {
        out::put(text);
    }
    if newline {
        out::put("\n");
    }
    out::finish("echo", 0, 1)
}

/// Decodes the escapes of `echo -e`. Returns false if `\c` ends the output.
fn unescape(text: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while let Some(&b) = text.get(i) {
        i += 1;
        let Some(&e) = text.get(i).filter(|_| b == b'\\') else {
            out.push(b);
            continue;
        };
        i += 1;
        match e {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => out.push(characters::escape(e)),
            b'c' => return (out, false),
            b'e' => out.push(27),
            b'\\' => out.push(b'\\'),
            b'x' if text.get(i).is_some_and(u8::is_ascii_hexdigit) => {
                let mut value = 0u8;
                for _ in 0..2 {
                    let Some(d) = text.get(i).and_then(|d| char::from(*d).to_digit(16)) else { break };
                    value = value << 4 | d as u8;
                    i += 1;
                }
                out.push(value);
            }
            b'0'..=b'7' => {
                // Three more digits may follow `\0`; `\1` to `\7` are the first digit of up to three.
                let mut value = u32::from(e - b'0');
                for _ in 0..if e == b'0' { 3 } else { 2 } {
                    let Some(d @ b'0'..=b'7') = text.get(i) else { break };
                    value = value * 8 + u32::from(d - b'0');
                    i += 1;
                }
                out.push(value as u8);
            }
            other => out.extend_from_slice(&[b'\\', other]),
        }
    }
    (out, true)
}
