//! `env -S`: splits a string into arguments.

use sandshell_cli::{bytes, warn};
use sandshell_posix::process;

/// Splits `text` in the way of `env -S`. Variables come from the environment.
///
/// # Errors
/// The exit status, after a message was printed.
pub(crate) fn split(text: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
    let environment = process::environment();
    let fail = |text: Vec<u8>| {
        warn!("env", text);
        125
    };
    let (mut words, mut word, mut single, mut double) = (Vec::new(), None::<Vec<u8>>, false, false);
    let mut i = 0;
    while let Some(&c) = text.get(i) {
        i += 1;
        match c {
            b'\'' if !double => {
                single = !single;
                word.get_or_insert_default();
            }
            b'"' if !single => {
                double = !double;
                word.get_or_insert_default();
            }
            b' ' | b'\t' | b'\n' | 11 | 12 | b'\r' if !single && !double => words.extend(word.take()),
            b'#' if word.is_none() && !single && !double => break,
            b'\\' if single && !matches!(text.get(i), Some(b'\\' | b'\'')) => {
                word.get_or_insert_default().push(c);
            }
            b'\\' => {
                let Some(&e) = text.get(i) else {
                    return Err(fail(b"invalid backslash at end of string in -S".to_vec()));
                };
                i += 1;
                let byte = match e {
                    b'"' | b'#' | b'$' | b'\'' | b'\\' => e,
                    b'_' if double => b' ',
                    b'_' => {
                        words.extend(word.take());
                        continue;
                    }
                    b'c' if double => {
                        return Err(fail(b"'\\c' must not appear in double-quoted -S string".to_vec()));
                    }
                    b'c' => break,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    other => return Err(fail(bytes!("invalid sequence '\\", [other].as_slice(), "' in -S"))),
                };
                word.get_or_insert_default().push(byte);
            }
            b'$' if !single => {
                let name = variable(&text[i..]).ok_or_else(|| {
                    let rest = &text[i - 1..];
                    fail(bytes!("only ${VARNAME} expansion is supported, error at: ", rest))
                })?;
                i += name.len() + 2;
                let value = environment.iter().find_map(|e| e.strip_prefix(name)?.strip_prefix(b"="));
                if let Some(value) = value {
                    word.get_or_insert_default().extend_from_slice(value);
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    if single || double {
        return Err(fail(b"no terminating quote in -S string".to_vec()));
    }
    words.extend(word);
    Ok(words)
}

/// The name in `{NAME}`.
fn variable(text: &[u8]) -> Option<&[u8]> {
    let inside = text.strip_prefix(b"{")?;
    let length = inside.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let good = length > 0 && !inside[0].is_ascii_digit() && inside.get(length) == Some(&b'}');
    good.then(|| &inside[..length])
}
