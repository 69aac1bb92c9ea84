//! `@name` formats.

use crate::builtins::operators::type_error;
use crate::builtins::to_string;
use crate::dump;
use crate::text::Text;
use crate::value::Val;

type ValResult = Result<Val, Val>;

/// Applies a format.
pub(crate) fn format(name: &str, v: Val) -> ValResult {
    Ok(Val::Str(match name {
        "json" => dump::to_text(&v),
        "text" => to_string(v),
        "csv" => row(&v, b",", "cannot be csv-formatted, only array", |out, s| {
            out.push(b'"');
            escape(out, s, |b| (b == b'"').then_some(b"\"\""));
            out.push(b'"');
        })?,
        "tsv" => row(&v, b"\t", "cannot be tsv-formatted, only array", |out, s| {
            escape(out, s, |b| match b {
                b'\t' => Some(b"\\t"),
                b'\r' => Some(b"\\r"),
                b'\n' => Some(b"\\n"),
                b'\\' => Some(b"\\\\"),
                0 => Some(b"\\0"),
                _ => None,
            });
        })?,
        "html" => {
            let mut out = Vec::new();
            escape(&mut out, to_string(v).bytes(), |b| match b {
                b'&' => Some(b"&amp;"),
                b'<' => Some(b"&lt;"),
                b'>' => Some(b"&gt;"),
                b'\'' => Some(b"&apos;"),
                b'"' => Some(b"&quot;"),
                0 => Some(b"\\0"),
                _ => None,
            });
            Text::from_valid_vec(out)
        }
        "uri" => {
            let mut out = Vec::new();
            for &b in to_string(v).bytes() {
                if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                    out.push(b);
                } else {
                    out.extend_from_slice(format!("%{b:02X}").as_bytes());
                }
            }
            Text::from_valid_vec(out)
        }
        "sh" => shell(&v)?,
        "base64" => Text::from_valid_vec(base64(to_string(v).bytes())),
        "base64d" => {
            let text = to_string(v);
            Text::lossy(&base64_decode(&text)?)
        }
        other => return Err(Val::from_string(format!("{other} is not a valid format"))),
    }))
}

fn row(v: &Val, separator: &[u8], refusal: &str, quote: impl Fn(&mut Vec<u8>, &[u8])) -> Result<Text, Val> {
    let Val::Arr(list) = v else { return Err(type_error(v, refusal)) };
    let mut out = Vec::new();
    for (i, field) in list.0.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(separator);
        }
        match field {
            Val::Null => {}
            Val::Num(n) if n.is_nan() => {}
            Val::Bool(_) | Val::Num(_) | Val::Literal(_) => dump::dump(&mut out, field, &dump::COMPACT),
            Val::Str(s) => quote(&mut out, s.bytes()),
            other => return Err(type_error(other, "is not valid in a csv row")),
        }
    }
    Ok(Text::from_valid_vec(out))
}

fn shell(v: &Val) -> Result<Text, Val> {
    let single = std::slice::from_ref(v);
    let words = if let Val::Arr(list) = v { &list.0 } else { single };
    let mut out = Vec::new();
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        match word {
            Val::Str(s) => {
                out.push(b'\'');
                escape(&mut out, s.bytes(), |b| match b {
                    b'\'' => Some(b"'\\''"),
                    0 => Some(b"\\0"),
                    _ => None,
                });
                out.push(b'\'');
            }
            Val::Arr(_) | Val::Obj(_) => return Err(type_error(word, "can not be escaped for shell")),
            plain => dump::dump(&mut out, plain, &dump::COMPACT),
        }
    }
    Ok(Text::from_valid_vec(out))
}

fn escape(out: &mut Vec<u8>, text: &[u8], f: impl Fn(u8) -> Option<&'static [u8]>) {
    for &b in text {
        match f(b) {
            Some(replacement) => out.extend_from_slice(replacement),
            None => out.push(b),
        }
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let code = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = ALPHABET[(code >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { letter } else { b'=' });
        }
    }
    out
}

fn base64_decode(text: &Text) -> Result<Vec<u8>, Val> {
    let invalid = |message| type_error(&Val::Str(text.clone()), message);
    let mut out = Vec::with_capacity(text.bytes().len() / 4 * 3 + 3);
    let (mut code, mut count) = (0u32, 0);
    for &b in text.bytes().iter().take_while(|b| **b != b'=') {
        let Some(value) = ALPHABET.iter().position(|a| *a == b) else {
            return Err(invalid("is not valid base64 data"));
        };
        code = code << 6 | value as u32;
        count += 1;
        if count == 4 {
            out.extend_from_slice(&[(code >> 16) as u8, (code >> 8) as u8, code as u8]);
            (code, count) = (0, 0);
        }
    }
    match count {
        3 => out.extend_from_slice(&[(code >> 10) as u8, (code >> 2) as u8]),
        2 => out.push((code >> 4) as u8),
        1 => return Err(invalid("trailing base64 byte found")),
        _ => {}
    }
    Ok(out)
}
