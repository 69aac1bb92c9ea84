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
    let mut walk = Walk { format, args, cx, at: 0, next: 0, numbered: None, dollar: false };
    while let Some(rest) = format.get(walk.at..).filter(|rest| !rest.is_empty()) {
        let Some(plain) = memchr::memchr(b'%', rest) else {
            out.extend_from_slice(rest);
            break;
        };
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        let begin = walk.at + plain;
        walk.at = begin + 1;
        let mut directive = walk.directive()?;
        let Some(conversion) = directive.conversion else {
            note(cx, b"[s]printf: format specifier does not have control letter");
            out.extend_from_slice(format.get(begin..).unwrap_or_default());
            break;
        };
        if conversion == b'%' {
            if directive.spec.width > 0 {
                note(cx, b"field width is ignored for `%%' specifier");
            }
            if directive.spec.precision.is_some() {
                note(cx, b"precision is ignored for `%%' specifier");
            }
            out.push(b'%');
        } else if b"csdiouxXeEfFgGaA".contains(&conversion) {
            let value = walk.value(directive.arg.take())?;
            convert(out, conversion, directive.spec, value, cx);
        } else {
            if conversion == b'\n' {
                note(cx, b"[s]printf: format specifier does not have control letter");
            } else {
                let text = "': no argument converted";
                note(cx, &bytes!("ignoring unknown format specifier character `", [conversion], text));
            }
            out.extend_from_slice(format.get(begin..walk.at).unwrap_or_default());
        }
    }
    if walk.next < args.len() && walk.numbered != Some(true) {
        note(cx, b"too many arguments supplied for format string");
    }
    Ok(())
}

/// Where in the format and in the arguments it is.
struct Walk<'a> {
    format: &'a [u8],
    args: &'a [Value],
    cx: &'a Context<'a>,
    at: usize,
    /// The next argument.
    next: usize,
    /// Whether arguments are selected by number.
    numbered: Option<bool>,
    /// A number has selected one.
    dollar: bool,
}

/// What follows a `%`.
#[derive(Default)]
struct Directive {
    spec: Spec,
    /// The argument that is selected by number.
    arg: Option<usize>,
    /// The letter, if the format does not end before it.
    conversion: Option<u8>,
}

impl<'a> Walk<'a> {
    /// Flags, widths and modifiers are accepted in any order.
    fn directive(&mut self) -> Result<Directive, Vec<u8>> {
        let mut d = Directive::default();
        let mut in_precision = false;
        let mut modifiers = Vec::new();
        while let Some(c) = self.format.get(self.at).copied() {
            self.at += 1;
            match c {
                b'-' => d.spec.left = true,
                b'+' => d.spec.plus = true,
                b' ' => d.spec.space = true,
                b'#' => d.spec.alt = true,
                b'\'' => d.spec.quote = true,
                b'0' if !in_precision => d.spec.zero = true,
                b'.' => {
                    in_precision = true;
                    d.spec.precision = Some(0);
                }
                b'0'..=b'9' => self.number(&mut d, in_precision)?,
                b'*' => self.star(&mut d, in_precision)?,
                b'h' | b'l' | b'L' | b'j' | b'z' | b't' if !modifiers.contains(&c) => {
                    note(self.cx, &bytes!("`", [c], "' is meaningless in awk formats; ignored"));
                    if self.cx.posix {
                        return Err(bytes!("`", [c], "' is not permitted in POSIX awk formats"));
                    }
                    modifiers.push(c);
                }
                c => {
                    d.conversion = Some(c);
                    break;
                }
            }
        }
        let digits = d.spec.precision.filter(|_| d.conversion != Some(b's')).unwrap_or(0);
        let widest = d.spec.width.max(digits);
        if widest > WIDTH_MAX {
            let most = WIDTH_MAX.to_string();
            return Err(bytes!("[s]printf: field of ", widest.to_string(), " is too wide: at most ", most));
        }
        d.spec.precision = d.spec.precision.map(|p| p.min(WIDTH_MAX));
        Ok(d)
    }

    fn digits(&mut self) -> usize {
        let mut n: usize = 0;
        while let Some(d) = self.format.get(self.at).filter(|b| b.is_ascii_digit()) {
            n = n.saturating_mul(10).saturating_add(usize::from(d - b'0'));
            self.at += 1;
        }
        n
    }

    /// A width, a precision, or with `$` the number of an argument.
    fn number(&mut self, d: &mut Directive, in_precision: bool) -> Result<(), Vec<u8>> {
        self.at -= 1;
        let n = self.digits();
        if self.format.get(self.at) == Some(&b'$') && !in_precision {
            self.at += 1;
            if n == 0 {
                return Err(b"argument index with `$' must be > 0".to_vec());
            }
            if n > self.args.len() {
                let text = " greater than total number of supplied arguments";
                return Err(bytes!("argument index ", n.to_string(), text));
            }
            d.arg = Some(n - 1);
            self.dollar = true;
        } else if in_precision {
            d.spec.precision = Some(n);
        } else {
            d.spec.width = n;
        }
        Ok(())
    }

    /// A width or precision that is an argument.
    fn star(&mut self, d: &mut Directive, in_precision: bool) -> Result<(), Vec<u8>> {
        let begin = self.at;
        let n = self.digits();
        let value = if self.at > begin && self.format.get(self.at) == Some(&b'$') {
            self.at += 1;
            self.args.get(n.wrapping_sub(1))
        } else if self.dollar {
            return Err(MIXED.to_vec());
        } else {
            self.at = begin;
            self.next += 1;
            self.args.get(self.next - 1)
        };
        let n = value.ok_or_else(|| too_few(self.format, self.at - 1))?.num();
        if in_precision {
            d.spec.precision = (n >= 0.0).then_some(n as usize);
        } else {
            d.spec.left |= n < 0.0;
            d.spec.width = n.abs() as usize;
        }
        Ok(())
    }

    /// The argument to convert.
    fn value(&mut self, selected: Option<usize>) -> Result<&'a Value, Vec<u8>> {
        if self.numbered.is_some_and(|n| n != selected.is_some()) {
            return Err(MIXED.strip_prefix(b"fatal: ").unwrap_or(MIXED).to_vec());
        }
        self.numbered = Some(selected.is_some());
        let index = selected.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        self.args.get(index).ok_or_else(|| too_few(self.format, self.at - 1))
    }
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
