//! `printf`: formats arguments as bash does.

use crate::text::{needs_ansi, quote_ansi};
use sandshell_float::extended::{Extended, Kind, Range};
use sandshell_float::notation::{exponential, general, hexadecimal};
use sandshell_posix::characters;

/// What `printf` needs from the shell.
pub(crate) trait PrintfHost {
    /// `strftime` in the shell's time zone.
    fn format_time(&mut self, format: &[u8], seconds: i64) -> Vec<u8>;
    /// Seconds since 1970.
    fn now(&mut self) -> i64;
    /// When the shell was started.
    fn started(&mut self) -> i64;
    /// `%n`: assigns the number of bytes written so far. False if the name is not an identifier.
    fn set_count(&mut self, name: &[u8], count: usize) -> bool;
}

/// The result of `printf`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    /// The output: it is written, or assigned with `-v`.
    pub(crate) output: Vec<u8>,
    /// 0 or 1.
    pub(crate) status: i32,
    /// Messages, to be printed as `bash: line N: printf: TEXT`. Each has the length that `output` had at that point.
    /// bash writes its output by lines: the complete lines up to there are printed before the message.
    pub(crate) messages: Vec<(usize, Vec<u8>)>,
}

/// Wider fields are refused, because each is built in memory.
const MAX_WIDTH: usize = 1 << 28;
/// The widest field that the C library prints.
const MAX_C_WIDTH: usize = i32::MAX as usize;

/// Formats `arguments`. The format is repeated while arguments remain.
pub(crate) fn printf(format: &[u8], arguments: &[&[u8]], host: &mut dyn PrintfHost) -> Printed {
    let mut printf = Printf { arguments, next: 0, printed: Printed::default(), host };
    loop {
        let before = printf.next;
        if !printf.pass(format) || printf.next >= arguments.len() || printf.next == before {
            return printf.printed;
        }
    }
}

/// Quotes `text` so that the shell reads it back as one word: `%q`, and `${x@Q}`-like output of `declare`.
pub(crate) fn quote(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_ansi(text) {
        return quote_ansi(text);
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    for (index, &byte) in text.iter().enumerate() {
        let special = match byte {
            b' ' | b'\t' | b'\n' | b'!' | b'"' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b',' | b';'
            | b'<' | b'>' | b'?' | b'[' | b'\\' | b']' | b'^' | b'`' | b'{' | b'|' | b'}' => true,
            b'#' => index == 0,
            b'~' => index == 0 || matches!(text.get(index - 1), Some(b':' | b'=')),
            _ => false,
        };
        if special {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

/// Decodes the escapes of `%b` and `echo -e` (`\0nnn` octal, `\c` ends all output). The second result is false after
/// `\c`. `messages` get complaints about missing digits.
pub(crate) fn expand_escapes(text: &[u8], messages: &mut Vec<Vec<u8>>) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        if text.get(at) == Some(&b'c') {
            return (out, false);
        }
        at += escape(text.get(at..).unwrap_or_default(), true, &mut out, messages);
    }
    (out, true)
}

/// Decodes the escape that follows a backslash. Returns how many bytes it takes.
fn escape(text: &[u8], in_argument: bool, out: &mut Vec<u8>, messages: &mut Vec<Vec<u8>>) -> usize {
    let Some(&letter) = text.first() else {
        out.push(b'\\');
        return 0;
    };
    let byte = match letter {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => characters::escape(letter),
        b'e' | b'E' => 27,
        b'\\' => b'\\',
        b'\'' | b'"' | b'?' if !in_argument => letter,
        b'0'..=b'7' => {
            let limit = if in_argument && letter == b'0' { 4 } else { 3 };
            let digits = text.iter().take(limit).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let value =
                text.iter().take(digits).fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            out.push(value as u8);
            return digits;
        }
        b'x' | b'u' | b'U' => {
            let limit = match letter {
                b'x' => 2,
                b'u' => 4,
                _ => 8,
            };
            let mut value = 0u32;
            let mut count = 0;
            while count < limit
                && let Some(digit) = text.get(count + 1).and_then(|&byte| char::from(byte).to_digit(16))
            {
                value = value << 4 | digit;
                count += 1;
            }
            if count == 0 {
                let what: &[u8] = if letter == b'x' { b"hex" } else { b"unicode" };
                messages.push([b"missing ".as_slice(), what, b" digit for \\", &[letter]].concat());
                out.extend_from_slice(&[b'\\', letter]);
            } else if letter == b'x' {
                out.push(value as u8);
            } else {
                push_code_point(value, out);
            }
            return count + 1;
        }
        _ => {
            out.extend_from_slice(&[b'\\', letter]);
            return 1;
        }
    };
    out.push(byte);
    1
}

/// Appends a code point in UTF-8's form, also one beyond Unicode.
pub(crate) fn push_code_point(value: u32, out: &mut Vec<u8>) {
    let extra: u32 = match value {
        0..0x80 => {
            out.push(value as u8);
            return;
        }
        0x80..0x800 => 1,
        0x800..0x1_0000 => 2,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        0x400_0000..0x8000_0000 => 5,
        _ => return,
    };
    out.push((((0xffu32 << (7 - extra)) & 0xff) | (value >> (6 * extra))) as u8);
    for index in (0..extra).rev() {
        out.push((0x80 | ((value >> (6 * index)) & 0x3f)) as u8);
    }
}

/// Flags, width and precision of a conversion.
#[derive(Debug, Clone, Copy, Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The precision is a period without digits.
    bare_point: bool,
}

struct Printf<'a> {
    arguments: &'a [&'a [u8]],
    next: usize,
    printed: Printed,
    host: &'a mut dyn PrintfHost,
}

impl Printf<'_> {
    /// Processes the format once. Returns false if nothing more is to be printed.
    fn pass(&mut self, format: &[u8]) -> bool {
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            at += 1;
            match byte {
                b'\\' => {
                    let mut messages = Vec::new();
                    let output = &mut self.printed.output;
                    at += escape(format.get(at..).unwrap_or_default(), false, output, &mut messages);
                    messages.into_iter().for_each(|message| self.message(message));
                }
                b'%' if format.get(at) == Some(&b'%') => {
                    self.printed.output.push(b'%');
                    at += 1;
                }
                b'%' => match self.conversion(format, at) {
                    Some(next) => at = next,
                    None => return false,
                },
                _ => self.printed.output.push(byte),
            }
        }
        true
    }

    fn message(&mut self, text: Vec<u8>) {
        self.printed.messages.push((self.printed.output.len(), text));
    }

    fn failure(&mut self, text: Vec<u8>) {
        self.message(text);
        self.printed.status = 1;
    }

    fn argument(&mut self) -> Option<&[u8]> {
        let argument = self.arguments.get(self.next).copied();
        self.next += usize::from(argument.is_some());
        argument
    }

    /// Reads flags, width and precision. Returns where they end.
    fn spec(&mut self, format: &[u8], mut at: usize) -> (Spec, usize) {
        let mut spec = Spec::default();
        loop {
            match format.get(at) {
                Some(b'-') => spec.minus = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternate = true,
                Some(b'0') => spec.zero = true,
                Some(b'\'') => {}
                _ => break,
            }
            at += 1;
        }
        if format.get(at) == Some(&b'*') {
            at += 1;
            let width = self.signed();
            spec.minus |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            (spec.width, at) = digits(format, at);
        }
        if format.get(at) == Some(&b'.') {
            at += 1;
            if format.get(at) == Some(&b'*') {
                at += 1;
                spec.precision = usize::try_from(self.signed()).ok();
            } else {
                let negative = format.get(at) == Some(&b'-');
                let (precision, end) = digits(format, at + usize::from(negative));
                spec.bare_point = end == at;
                at = end;
                spec.precision = (!negative).then_some(precision);
            }
        }
        while matches!(format.get(at), Some(b'h' | b'j' | b'l' | b'L' | b't' | b'z')) {
            at += 1;
        }
        (spec, at)
    }

    /// Formats one conversion; `start` is after its `%`. Returns where the format continues.
    fn conversion(&mut self, format: &[u8], start: usize) -> Option<usize> {
        let (spec, mut at) = self.spec(format, start);
        let Some(&letter) = format.get(at) else {
            let text = [
                b"`".as_slice(),
                format.get(start - 1..).unwrap_or_default(),
                b"': missing format character",
            ];
            self.failure(text.concat());
            return None;
        };
        at += 1;
        let widest = spec.width.max(spec.precision.unwrap_or(0));
        let too_wide = widest > MAX_WIDTH;
        // bash prints nothing for a width that the C library cannot represent. Widths that it could represent but we
        // cannot are refused.
        if too_wide && widest <= MAX_C_WIDTH {
            let text = format!("{widest}: field too wide: at most {MAX_WIDTH} bytes are possible");
            self.failure(text.into_bytes());
            return None;
        }
        match letter {
            b's' | b'b' | b'q' | b'Q' | b'c' => {
                if !self.text(letter, spec, too_wide) {
                    return None;
                }
            }
            b'd' | b'i' => self.decimal(spec, too_wide),
            b'u' | b'o' | b'x' | b'X' => self.natural(letter, spec, too_wide),
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let value = self.float();
                if !too_wide {
                    self.floating(value, letter, spec);
                }
            }
            b'n' => {
                let count = self.printed.output.len();
                if let Some(name) = self.arguments.get(self.next).copied() {
                    self.next += 1;
                    if !self.host.set_count(name, count) {
                        let text = [b"`".as_slice(), name, b"': not a valid identifier"].concat();
                        self.failure(text);
                        return None;
                    }
                }
            }
            b'(' => return Some(self.time(format, at, spec)),
            _ => {
                self.failure([b"`".as_slice(), &[letter], b"': invalid format character"].concat());
                return None;
            }
        }
        Some(at)
    }

    fn decimal(&mut self, spec: Spec, too_wide: bool) {
        let value = self.signed();
        let sign: &[u8] = match value {
            ..0 => b"-",
            _ if spec.plus => b"+",
            _ if spec.space => b" ",
            _ => b"",
        };
        if !too_wide {
            self.number(value.unsigned_abs().to_string().into_bytes(), sign, spec);
        }
    }

    fn natural(&mut self, letter: u8, mut spec: Spec, too_wide: bool) {
        let value = self.unsigned();
        let (digits, prefix): (String, &[u8]) = match letter {
            b'u' => (value.to_string(), b""),
            b'o' => (format!("{value:o}"), b""),
            b'x' => (format!("{value:x}"), b"0x"),
            _ => (format!("{value:X}"), b"0X"),
        };
        let mut digits = digits.into_bytes();
        if letter == b'o' && spec.alternate {
            if value == 0 {
                spec.precision = spec.precision.map(|precision| precision.max(1));
            } else if spec.precision.unwrap_or(0) <= digits.len() {
                digits.insert(0, b'0');
            }
        }
        let prefix = if spec.alternate && value != 0 { prefix } else { b"" };
        if !too_wide {
            self.number(digits, prefix, spec);
        }
    }

    /// `%s %b %q %Q %c`. Returns false after `\c`.
    fn text(&mut self, letter: u8, spec: Spec, too_wide: bool) -> bool {
        let argument = self.argument().unwrap_or_default().to_vec();
        let mut more = true;
        let mut spec = spec;
        let text = match letter {
            b's' => argument,
            b'b' => {
                let mut messages = Vec::new();
                let (text, goes_on) = expand_escapes(&argument, &mut messages);
                messages.into_iter().for_each(|message| self.message(message));
                more = goes_on;
                text
            }
            b'q' => quote(&argument),
            b'Q' => {
                // A period without digits leaves nothing of the result; with digits the argument is cut first.
                if !spec.bare_point {
                    let length = spec.precision.take().unwrap_or(usize::MAX).min(argument.len());
                    quote(argument.get(..length).unwrap_or_default())
                } else {
                    Vec::new()
                }
            }
            _ => {
                spec.precision = None;
                vec![argument.first().copied().unwrap_or(0)]
            }
        };
        if !too_wide {
            let length = spec.precision.unwrap_or(usize::MAX).min(text.len());
            self.pad(text.get(..length).unwrap_or_default(), spec.width, spec.minus);
        }
        more
    }

    fn pad(&mut self, text: &[u8], width: usize, left: bool) {
        let out = &mut self.printed.output;
        let blanks = width.saturating_sub(text.len());
        if !left {
            out.resize(out.len() + blanks, b' ');
        }
        out.extend_from_slice(text);
        if left {
            out.resize(out.len() + blanks, b' ');
        }
    }

    /// Prints an integer's digits with its sign or prefix.
    fn number(&mut self, digits: Vec<u8>, prefix: &[u8], spec: Spec) {
        let mut text = prefix.to_vec();
        let zeros = match spec.precision {
            Some(precision) => precision.saturating_sub(digits.len()),
            None if spec.zero && !spec.minus => spec.width.saturating_sub(digits.len() + prefix.len()),
            None => 0,
        };
        text.resize(text.len() + zeros, b'0');
        // Zero with precision zero has no digits.
        if spec.precision != Some(0) || digits != b"0" {
            text.extend_from_slice(&digits);
        }
        self.pad(&text, spec.width, spec.minus);
    }

    fn floating(&mut self, value: Extended, letter: u8, spec: Spec) {
        let mut text = Vec::new();
        if value.negative {
            text.push(b'-');
        } else if spec.plus {
            text.push(b'+');
        } else if spec.space {
            text.push(b' ');
        }
        let mut spec = spec;
        let body = if matches!(value.kind, Kind::Finite { .. }) {
            match letter.to_ascii_lowercase() {
                b'f' => {
                    let mut body = value.fixed(spec.precision.unwrap_or(6));
                    if spec.alternate && spec.precision == Some(0) {
                        body.push(b'.');
                    }
                    body
                }
                b'e' => exponential(value, spec.precision.unwrap_or(6), spec.alternate),
                b'g' => general(value, spec.precision.unwrap_or(6).max(1), spec.alternate),
                _ => {
                    text.extend_from_slice(b"0x");
                    hexadecimal(value, spec.precision, spec.alternate)
                }
            }
        } else {
            spec.zero = false;
            value.name()
        };
        if spec.zero && !spec.minus {
            let zeros = spec.width.saturating_sub(text.len() + body.len());
            text.resize(text.len() + zeros, b'0');
        }
        text.extend_from_slice(&body);
        if letter.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        self.pad(&text, spec.width, spec.minus);
    }

    /// `%(format)T`, after the parenthesis.
    fn time(&mut self, format: &[u8], start: usize, spec: Spec) -> usize {
        let mut depth = 1;
        let mut end = start;
        while let Some(&byte) = format.get(end) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            end += 1;
        }
        let letter = format.get(end + 1).copied().unwrap_or(0);
        if depth > 0 || letter != b'T' {
            self.message(
                [b"warning: `".as_slice(), &[letter], b"': invalid time format specification"].concat(),
            );
            // Without a valid end, the `%` sequence is plain text.
            self.printed.output.extend_from_slice(b"%(");
            return start;
        }
        let text = format.get(start..end).unwrap_or_default();
        let text = if text.is_empty() { b"%X" } else { text };
        let seconds = if self.next < self.arguments.len() { self.signed() } else { -1 };
        let seconds = match seconds {
            -1 => self.host.now(),
            -2 => self.host.started(),
            seconds => seconds,
        };
        let text = self.host.format_time(text, seconds);
        let length = spec.precision.unwrap_or(usize::MAX).min(text.len());
        self.pad(text.get(..length).unwrap_or_default(), spec.width.min(MAX_WIDTH), spec.minus);
        end + 2
    }

    // Numeric arguments.

    fn signed(&mut self) -> i64 {
        let (value, negative, range) = self.integer();
        let limit = i64::MAX as u64 + u64::from(negative);
        if range || value > limit {
            self.out_of_range();
            return if negative { i64::MIN } else { i64::MAX };
        }
        if negative { (value as i64).wrapping_neg() } else { value as i64 }
    }

    fn unsigned(&mut self) -> u64 {
        let (value, negative, range) = self.integer();
        if range {
            self.out_of_range();
            return u64::MAX;
        }
        if negative { value.wrapping_neg() } else { value }
    }

    fn out_of_range(&mut self) {
        let argument = self.arguments.get(self.next.wrapping_sub(1)).copied().unwrap_or_default();
        self.message([b"warning: ".as_slice(), argument, b": Numerical result out of range"].concat());
    }

    fn invalid(&mut self) {
        let argument = self.arguments.get(self.next.wrapping_sub(1)).copied().unwrap_or_default();
        let what: &[u8] = match argument {
            [b'0', b'x' | b'X', ..] => b": invalid hex number",
            [b'0', b'0'..=b'9', ..] => b": invalid octal number",
            _ => b": invalid number",
        };
        self.failure([argument, what].concat());
    }

    /// The code of the character after a leading quote.
    fn character(argument: &[u8]) -> Option<u32> {
        let (b'\'' | b'"', rest) = argument.split_first()? else { return None };
        let chunk = rest.utf8_chunks().next();
        let first = chunk.and_then(|chunk| chunk.valid().chars().next()).map(u32::from);
        Some(first.or(rest.first().map(|&byte| u32::from(byte))).unwrap_or(0))
    }

    /// The next argument as an integer: magnitude, whether it is negative, and whether it is out of range.
    fn integer(&mut self) -> (u64, bool, bool) {
        let Some(argument) = self.argument() else { return (0, false, false) };
        if argument.is_empty() {
            return (0, false, false);
        }
        if let Some(code) = Self::character(argument) {
            return (u64::from(code), false, false);
        }
        let mut at = argument.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 11).count();
        let negative = argument.get(at) == Some(&b'-');
        if matches!(argument.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let (radix, skip) = match argument.get(at..).unwrap_or_default() {
            [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, 2),
            [b'0', ..] => (8, 0),
            _ => (10, 0),
        };
        at += skip;
        let start = at;
        let (mut value, mut range) = (0u64, false);
        while let Some(digit) = argument.get(at).and_then(|&byte| char::from(byte).to_digit(radix)) {
            match value.checked_mul(u64::from(radix)).and_then(|value| value.checked_add(u64::from(digit))) {
                Some(next) => value = next,
                None => range = true,
            }
            at += 1;
        }
        let whole = at == argument.len() && at > start;
        if !whole {
            self.invalid();
        }
        (value, negative, range)
    }

    fn float(&mut self) -> Extended {
        let zero = Extended::from_integer(0);
        let Some(argument) = self.argument() else { return zero };
        if argument.is_empty() {
            return zero;
        }
        if let Some(code) = Self::character(argument) {
            return Extended::from_integer(i128::from(code));
        }
        let (value, length, range) = Extended::parse(argument);
        let whole = length == argument.len();
        if !whole {
            self.invalid();
        } else if range != Range::Fits {
            self.out_of_range();
        }
        value
    }
}

fn digits(format: &[u8], start: usize) -> (usize, usize) {
    let mut value = 0usize;
    let mut at = start;
    while let Some(digit) = format.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        at += 1;
    }
    (value, at)
}
