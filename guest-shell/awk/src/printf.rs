//! `printf` and `sprintf`.

use crate::diag::bytes;
use crate::float::{self, Spec};
use crate::number;
use crate::text::{char_len, count_chars};
use crate::value::Value;
use std::cell::RefCell;

/// Settings for formatting.
pub(crate) struct Context<'a> {
    /// Appends the text of a value.
    pub(crate) push: &'a dyn Fn(&Value, &mut Vec<u8>),
    /// Whether each byte is a character.
    pub(crate) bytes: bool,
    /// Whether only POSIX conversions are allowed.
    pub(crate) posix: bool,
    /// Collects warnings for `--lint`, if they are wanted.
    pub(crate) notes: Option<&'a RefCell<Vec<Vec<u8>>>>,
}

/// The maximum width and precision. Larger ones are refused.
const WIDTH_MAX: usize = 1 << 28;

// The message for a width. gawk prints the word "fatal" twice.
const MIXED: &[u8] = b"fatal: must use `count$' on all formats or none";

/// Formats `args`.
///
/// # Errors
/// The text of the fatal message.
pub(crate) fn format(
    out: &mut Vec<u8>,
    format: &[u8],
    args: &[Value],
    cx: &Context<'_>,
) -> Result<(), Vec<u8>> {
    let mut at = 0;
    let mut next_arg = 0;
    // Whether arguments are selected by number.
    let mut numbered: Option<bool> = None;
    let mut dollar = false;
    while at < format.len() {
        let rest = format.get(at..).unwrap_or_default();
        let Some(plain) = memchr::memchr(b'%', rest) else {
            out.extend_from_slice(rest);
            break;
        };
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        let begin = at + plain;
        at = begin + 1;
        let mut spec = Spec::default();
        let mut arg: Option<usize> = None;
        let digits = |at: &mut usize| {
            let mut n: usize = 0;
            while let Some(d) = format.get(*at).filter(|b| b.is_ascii_digit()) {
                n = n.saturating_mul(10).saturating_add(usize::from(d - b'0'));
                *at += 1;
            }
            n
        };
        let mut in_precision = false;
        let mut modifiers = Vec::new();
        // Flags, widths and modifiers are accepted in any order.
        let conversion = loop {
            let Some(c) = format.get(at).copied() else { break None };
            at += 1;
            match c {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alt = true,
                b'\'' => spec.quote = true,
                b'0' if !in_precision => spec.zero = true,
                b'.' => {
                    in_precision = true;
                    spec.precision = Some(0);
                }
                b'0'..=b'9' => {
                    at -= 1;
                    let n = digits(&mut at);
                    if format.get(at) == Some(&b'$') && !in_precision {
                        at += 1;
                        if n == 0 {
                            return Err(b"argument index with `$' must be > 0".to_vec());
                        }
                        if n > args.len() {
                            return Err(bytes!(
                                "argument index ",
                                n.to_string(),
                                " greater than total number of supplied arguments"
                            ));
                        }
                        arg = Some(n - 1);
                        dollar = true;
                    } else if in_precision {
                        spec.precision = Some(n);
                    } else {
                        spec.width = n;
                    }
                }
                b'*' => {
                    let mut ahead = at;
                    let n = digits(&mut ahead);
                    let value = if ahead > at && format.get(ahead) == Some(&b'$') {
                        at = ahead + 1;
                        args.get(n.wrapping_sub(1))
                    } else if dollar {
                        return Err(MIXED.to_vec());
                    } else {
                        next_arg += 1;
                        args.get(next_arg - 1)
                    };
                    let Some(value) = value else { return Err(too_few(format, at - 1)) };
                    let n = value.num();
                    if in_precision {
                        spec.precision = (n >= 0.0).then_some(n as usize);
                    } else {
                        spec.left |= n < 0.0;
                        spec.width = n.abs() as usize;
                    }
                }
                b'h' | b'l' | b'L' | b'j' | b'z' | b't' if !modifiers.contains(&c) => {
                    note(cx, &bytes!("`", [c], "' is meaningless in awk formats; ignored"));
                    if cx.posix {
                        return Err(bytes!("`", [c], "' is not permitted in POSIX awk formats"));
                    }
                    modifiers.push(c);
                }
                c => break Some(c),
            }
        };
        let digits = spec.precision.filter(|_| conversion != Some(b's')).unwrap_or(0);
        let widest = spec.width.max(digits);
        if widest > WIDTH_MAX {
            let most = WIDTH_MAX.to_string();
            return Err(bytes!("[s]printf: field of ", widest.to_string(), " is too wide: at most ", most));
        }
        spec.precision = spec.precision.map(|p| p.min(WIDTH_MAX));
        let Some(conversion) = conversion else {
            note(cx, b"[s]printf: format specifier does not have control letter");
            out.extend_from_slice(format.get(begin..).unwrap_or_default());
            break;
        };
        if conversion == b'%' {
            if spec.width > 0 {
                note(cx, b"field width is ignored for `%%' specifier");
            }
            if spec.precision.is_some() {
                note(cx, b"precision is ignored for `%%' specifier");
            }
            out.push(b'%');
            continue;
        }
        if !b"csdiouxXeEfFgGaA".contains(&conversion) {
            if conversion == b'\n' {
                note(cx, b"[s]printf: format specifier does not have control letter");
            } else {
                let text = "': no argument converted";
                note(cx, &bytes!("ignoring unknown format specifier character `", [conversion], text));
            }
            out.extend_from_slice(format.get(begin..at).unwrap_or_default());
            continue;
        }
        if numbered.is_some_and(|n| n != arg.is_some()) {
            return Err(MIXED.strip_prefix(b"fatal: ").unwrap_or(MIXED).to_vec());
        }
        numbered = Some(arg.is_some());
        let index = arg.unwrap_or_else(|| {
            next_arg += 1;
            next_arg - 1
        });
        let Some(value) = args.get(index) else { return Err(too_few(format, at - 1)) };
        convert(out, conversion, spec, value, cx);
    }
    if next_arg < args.len() && numbered != Some(true) {
        note(cx, b"too many arguments supplied for format string");
    }
    Ok(())
}

fn note(cx: &Context<'_>, text: &[u8]) {
    if let Some(notes) = cx.notes {
        notes.borrow_mut().push(text.to_vec());
    }
}

// The message if there is no argument for the conversion at `at`.
fn too_few(format: &[u8], at: usize) -> Vec<u8> {
    bytes!(
        "not enough arguments to satisfy format string\n\t`",
        format,
        "'\n\t",
        vec![b' '; at],
        "^ ran out for this one"
    )
}

fn convert(out: &mut Vec<u8>, conversion: u8, mut spec: Spec, value: &Value, cx: &Context<'_>) {
    match conversion {
        b's' => {
            let mut text = Vec::new();
            (cx.push)(value, &mut text);
            push_text(out, &text, spec, cx.bytes);
        }
        b'c' => {
            let mut text = Vec::new();
            // The index of a loop counts as a string.
            if (value.is_number() && !matches!(value, Value::Index(_))) || value.is_unset() {
                push_char(&mut text, value.num(), cx.bytes);
            } else {
                (cx.push)(value, &mut text);
                let n = if cx.bytes { text.len().min(1) } else { char_len(&text, 0) };
                text.truncate(n);
                if text.is_empty() {
                    text.push(0);
                }
            }
            spec.precision = None;
            push_text(out, &text, spec, cx.bytes);
        }
        _ => {
            let n = value.num();
            if let Some(word) = float::special(n) {
                // gawk ignores the width here.
                let begin = out.len();
                out.extend_from_slice(word.as_bytes());
                if conversion.is_ascii_uppercase() {
                    out.get_mut(begin..).unwrap_or_default().make_ascii_uppercase();
                }
                return;
            }
            match conversion {
                b'd' | b'i' => push_signed(out, n, spec),
                b'o' | b'u' | b'x' | b'X' => push_unsigned(out, n, conversion, spec),
                _ => float::push(out, n, conversion, spec),
            }
        }
    }
}

fn push_text(out: &mut Vec<u8>, text: &[u8], spec: Spec, bytes: bool) {
    let mut end = text.len();
    if let Some(p) = spec.precision {
        end = if bytes { p.min(end) } else { crate::text::char_offset(text, p) };
    }
    let text = text.get(..end).unwrap_or_default();
    let len = if bytes { text.len() } else { count_chars(text) };
    let fill = spec.width.saturating_sub(len);
    if !spec.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

// Appends the character for a number. If there is no such character, appends a byte.
fn push_char(out: &mut Vec<u8>, n: f64, bytes: bool) {
    let code = if n.is_finite() { n as i64 as u32 } else { 0 };
    match char::from_u32(code) {
        Some(c) if !bytes => {
            let mut buf = [0; 4];
            out.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
        }
        // Codes beyond Unicode use the original, longer form of UTF-8.
        None if !bytes && code > 0x10_ffff && code <= 0x7fff_ffff => push_long(out, code),
        _ => out.push(code as u8),
    }
}

fn push_long(out: &mut Vec<u8>, code: u32) {
    let more = match code {
        0..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        _ => 5,
    };
    let lead = !(0xff_u32 >> (more + 1)) & 0xff;
    out.push((lead | code >> (6 * more)) as u8);
    out.extend((0..more).rev().map(|i| (0x80 | (code >> (6 * i)) & 0x3f) as u8));
}

fn push_signed(out: &mut Vec<u8>, n: f64, mut spec: Spec) {
    let n = n.trunc();
    let mut digits = Vec::new();
    if n.abs() < 9e15 {
        number::push_int(&mut digits, n.abs() as i64);
    } else {
        digits.extend_from_slice(format!("{:.0}", n.abs()).as_bytes());
    }
    let sign: &[u8] = if n < 0.0 {
        b"-"
    } else if spec.plus {
        b"+"
    } else if spec.space {
        b" "
    } else {
        b""
    };
    integer(out, sign, digits, n == 0.0, &mut spec);
}

fn integer(out: &mut Vec<u8>, sign: &[u8], mut digits: Vec<u8>, zero: bool, spec: &mut Spec) {
    if let Some(p) = spec.precision {
        spec.zero = false;
        if p == 0 && zero {
            digits.clear();
        }
        if digits.len() < p {
            let missing = p - digits.len();
            digits.splice(0..0, std::iter::repeat_n(b'0', missing));
        }
    }
    float::pad(out, sign, &digits, *spec);
}

fn push_unsigned(out: &mut Vec<u8>, n: f64, conversion: u8, mut spec: Spec) {
    let n = n.trunc();
    let value = if n < 0.0 {
        let i = n as i64;
        if i as f64 != n {
            return float::push(out, n, b'g', spec);
        }
        i as u64
    } else if n < 18_446_744_073_709_551_616.0 {
        n as u64
    } else {
        return float::push(out, n, b'g', spec);
    };
    let mut digits = match conversion {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    }
    .into_bytes();
    if let Some(p) = spec.precision {
        spec.zero = false;
        // `%#.0o` and `%#.0x` still show a zero.
        if p == 0 && value == 0 && !spec.alt {
            digits.clear();
        }
        if digits.len() < p {
            let missing = p - digits.len();
            digits.splice(0..0, std::iter::repeat_n(b'0', missing));
        }
    }
    if spec.alt && value != 0 {
        match conversion {
            b'x' => digits.splice(0..0, *b"0x").for_each(drop),
            b'X' => digits.splice(0..0, *b"0X").for_each(drop),
            b'o' if digits.first() != Some(&b'0') => digits.insert(0, b'0'),
            _ => {}
        }
    }
    float::pad(out, b"", &digits, spec);
}
