//! The program `printf`.

use sandshell_cli::options::{Order, Spec, operands};
use sandshell_cli::out;
use sandshell_cli::quote::{Style, quote, quote_with};
use sandshell_cli::warn;
use sandshell_float::directive::Directive;
use sandshell_float::extended::{Extended, Range};
use sandshell_posix::characters;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "printf",
    order: Order::First,
    usage: "\
Usage: printf FORMAT [ARGUMENT]...
  or:  printf OPTION
Prints the arguments as FORMAT says. FORMAT is used again while arguments are left.
Directives are those of C's printf, %b (an argument with backslash sequences) and %q (an argument quoted for the shell).
",
    ..Spec::DEFAULT
};

/// Runs `printf` and returns its exit status.
pub fn printf_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// Ends the output: after `\c`, or because of an error.
struct Stop(i32);

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let mut args = operands(args);
    if let [only] = args.as_slice()
        && matches!(only.as_slice(), b"--help" | b"--version")
    {
        SPEC.parse(&args)?;
    }
    if args.first().is_some_and(|a| a == b"--") {
        args.remove(0);
    }
    let Some((format, arguments)) = args.split_first() else { return Err(SPEC.missing_operand()) };
    let mut printf = Printf { arguments, next: 0, code: 0 };
    loop {
        let before = printf.next;
        if let Err(Stop(code)) = printf.pass(format) {
            return Ok(out::finish("printf", code, 1));
        }
        if printf.next >= arguments.len() {
            break;
        }
        if printf.next == before {
            warn!(
                "printf",
                "warning: ignoring excess arguments, starting with ",
                quote(&arguments[printf.next])
            );
            break;
        }
    }
    Ok(out::finish("printf", printf.code, 1))
}

struct Printf<'a> {
    arguments: &'a [Vec<u8>],
    next: usize,
    code: i32,
}

impl Printf<'_> {
    fn pass(&mut self, format: &[u8]) -> Result<(), Stop> {
        let mut i = 0;
        while let Some(&b) = format.get(i) {
            i += 1;
            match b {
                b'\\' => i += self.escape(&format[i..], false)?,
                b'%' if format.get(i) == Some(&b'%') => {
                    out::put("%");
                    i += 1;
                }
                b'%' => i = self.directive(format, i)?,
                _ => out::put([b]),
            }
        }
        Ok(())
    }

    fn argument(&mut self) -> Option<&[u8]> {
        let argument = self.arguments.get(self.next)?;
        self.next += 1;
        Some(argument)
    }

    /// Prints the escape after a backslash and returns its length.
    fn escape(&mut self, text: &[u8], octal_zero: bool) -> Result<usize, Stop> {
        let Some(&letter) = text.first() else {
            out::put("\\");
            return Ok(0);
        };
        let byte = match letter {
            b'"' | b'\\' => letter,
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => characters::escape(letter),
            b'c' => return Err(Stop(self.code)),
            b'e' => 27,
            b'x' => {
                let digits = text[1..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
                if digits == 0 {
                    warn!("printf", "missing hexadecimal number in escape");
                    return Err(Stop(1));
                }
                out::put([hex(&text[1..=digits]) as u8]);
                return Ok(digits + 1);
            }
            b'0'..=b'7' => {
                let skip = usize::from(octal_zero && letter == b'0');
                let digits = text[skip..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let value = text[skip..skip + digits].iter().fold(0u32, |v, d| v * 8 + u32::from(d - b'0'));
                out::put([value as u8]);
                return Ok(skip + digits);
            }
            b'u' | b'U' => {
                let wanted = if letter == b'u' { 4 } else { 8 };
                let digits = text[1..].iter().take(wanted).take_while(|b| b.is_ascii_hexdigit()).count();
                if digits < wanted {
                    warn!("printf", "missing hexadecimal number in escape");
                    return Err(Stop(1));
                }
                let value = hex(&text[1..=digits]);
                let allowed = matches!(value, 0x24 | 0x40 | 0x60) || value >= 0xa0;
                if !allowed || (0xd800..=0xdfff).contains(&value) {
                    let letter = char::from(letter);
                    let shown = format!("invalid universal character name \\{letter}{value:0wanted$x}");
                    warn!("printf", shown);
                    return Err(Stop(1));
                }
                match char::from_u32(value) {
                    Some(c) => out::put(c.to_string()),
                    None => out::put(&text[..=digits]),
                }
                return Ok(digits + 1);
            }
            other => {
                out::put([b'\\', other]);
                return Ok(1);
            }
        };
        out::put([byte]);
        Ok(1)
    }

    /// Prints the conversion after a `%`. Returns the position in the format after it.
    fn directive(&mut self, format: &[u8], start: usize) -> Result<usize, Stop> {
        let mut i = start;
        let mut d = Directive::default();
        match format.get(i) {
            Some(b'b') => {
                let text = self.argument().unwrap_or_default().to_vec();
                let mut at = 0;
                while let Some(&b) = text.get(at) {
                    at += 1;
                    if b == b'\\' {
                        at += self.escape(&text[at..], true)?;
                    } else {
                        out::put([b]);
                    }
                }
                return Ok(i + 1);
            }
            Some(b'q') => {
                if let Some(text) = self.argument() {
                    out::put(quote_with(text, Style::ShellEscape, b""));
                }
                return Ok(i + 1);
            }
            _ => {}
        }
        let mut allowed = b"aAcdeEfFgGiosuxX".to_vec();
        let mut forbid = |letters: &[u8]| allowed.retain(|l| !letters.contains(l));
        loop {
            match format.get(i) {
                Some(b'\'') => forbid(b"aAceEosxX"),
                Some(b'-') => d.minus = true,
                Some(b'+') => d.plus = true,
                Some(b' ') => d.space = true,
                Some(b'#') => {
                    d.alternate = true;
                    forbid(b"cdisu");
                }
                Some(b'0') => {
                    d.zero = true;
                    forbid(b"cs");
                }
                Some(b'I') => forbid(b"aAceEosxX"),
                _ => break,
            }
            i += 1;
        }
        if format.get(i) == Some(&b'*') {
            i += 1;
            let width = self.star("invalid field width: ", i32::MIN.into())?;
            d.minus |= width < 0;
            d.width = width.unsigned_abs() as usize;
        } else {
            d.width = digits(format, &mut i).ok_or_else(too_wide)?;
        }
        if format.get(i) == Some(&b'.') {
            i += 1;
            forbid(b"c");
            if format.get(i) == Some(&b'*') {
                i += 1;
                // A negative precision counts as none.
                d.precision = usize::try_from(self.star("invalid precision: ", i64::MIN)?).ok();
            } else {
                d.precision = Some(digits(format, &mut i).ok_or_else(too_wide)?);
            }
        }
        while matches!(format.get(i), Some(b'l' | b'L' | b'h' | b'j' | b't' | b'z')) {
            i += 1;
        }
        let letter = format.get(i).copied().unwrap_or(0);
        if !allowed.contains(&letter) {
            let end = (i + 1).min(format.len());
            warn!("printf", &format[start - 1..end], ": invalid conversion specification");
            return Err(Stop(1));
        }
        self.convert(d, letter);
        Ok(i + 1)
    }

    fn star(&mut self, what: &str, least: i64) -> Result<i32, Stop> {
        let Some(text) = self.argument().map(<[u8]>::to_vec) else { return Ok(0) };
        let n = self.signed(&text);
        let n = if n >= least { n.max(i32::MIN.into()) } else { n };
        i32::try_from(n).map_err(|_| {
            warn!("printf", what, quote(&text));
            Stop(1)
        })
    }

    fn convert(&mut self, d: Directive, letter: u8) {
        let given = self.argument().map(<[u8]>::to_vec);
        let text = given.as_deref().unwrap_or_default();
        let shown = match letter {
            b's' => d.pad(&text[..d.precision.unwrap_or(usize::MAX).min(text.len())]),
            b'c' => d.pad(text.get(..1).unwrap_or(b"\0")),
            b'd' | b'i' => {
                let n = self.number(&given, Self::signed);
                let sign: &[u8] = match n {
                    i64::MIN..0 => b"-",
                    _ if d.plus => b"+",
                    _ if d.space => b" ",
                    _ => b"",
                };
                d.integer(n.unsigned_abs().to_string().as_bytes(), sign)
            }
            b'u' | b'o' | b'x' | b'X' => {
                let n = self.number(&given, Self::unsigned);
                let (mut text, prefix) = match letter {
                    b'u' => (n.to_string(), ""),
                    b'o' => (format!("{n:o}"), ""),
                    b'x' => (format!("{n:x}"), "0x"),
                    _ => (format!("{n:X}"), "0X"),
                };
                let mut d = d;
                if letter == b'o' && d.alternate {
                    if n == 0 {
                        d.precision = d.precision.map(|p| p.max(1));
                    } else if d.precision.unwrap_or(0) <= text.len() {
                        text.insert(0, '0');
                    }
                }
                let prefix = if d.alternate && n != 0 { prefix } else { "" };
                d.integer(text.as_bytes(), prefix.as_bytes())
            }
            _ => {
                let zero = Extended::from_integer(0);
                let value = match &given {
                    None => zero,
                    Some(text) => self.float(text),
                };
                d.float(value, letter)
            }
        };
        out::put(shown);
    }

    fn number<T: Default>(&mut self, given: &Option<Vec<u8>>, read: fn(&mut Self, &[u8]) -> T) -> T {
        given.as_ref().map_or_else(T::default, |text| read(self, text))
    }

    fn complain(&mut self, text: &[u8], what: &str) {
        warn!("printf", quote(text), ": ", what);
        self.code = 1;
    }

    /// The code of the character after a leading quote.
    fn character(&mut self, text: &[u8]) -> Option<u32> {
        let (b'\'' | b'"', rest) = text.split_first()? else { return None };
        let (bytes, c) = characters::characters(rest).next()?;
        let after = &rest[bytes.len()..];
        if !after.is_empty() && std::env::var_os("POSIXLY_CORRECT").is_none() {
            let what = ": character(s) following character constant have been ignored";
            warn!("printf", "warning: ", after, what);
        }
        Some(c.map_or(u32::from(bytes[0]), u32::from))
    }

    /// Parses an integer: magnitude, sign, and whether it is too large. Other problems are reported.
    fn integer(&mut self, text: &[u8]) -> (u64, bool, bool) {
        let mut i = text.iter().take_while(|b| b.is_ascii_whitespace() || **b == 11).count();
        let negative = text.get(i) == Some(&b'-');
        if matches!(text.get(i), Some(b'-' | b'+')) {
            i += 1;
        }
        let (radix, skip) = match &text[i..] {
            [b'0', b'x' | b'X', d, ..] if d.is_ascii_hexdigit() => (16, 2),
            [b'0', ..] => (8, 0),
            _ => (10, 0),
        };
        i += skip;
        let start = i;
        let (mut value, mut large) = (0u64, false);
        while let Some(d) = text.get(i).and_then(|b| char::from(*b).to_digit(radix)) {
            match value.checked_mul(radix.into()).and_then(|v| v.checked_add(d.into())) {
                Some(v) => value = v,
                None => large = true,
            }
            i += 1;
        }
        if i == start && i < text.len() {
            self.complain(text, "expected a numeric value");
        } else if i < text.len() && !large {
            self.complain(text, "value not completely converted");
        }
        (value, negative, large)
    }

    fn signed(&mut self, text: &[u8]) -> i64 {
        if let Some(c) = self.character(text) {
            return c.into();
        }
        let (value, negative, large) = self.integer(text);
        if large || value > i64::MAX as u64 + u64::from(negative) {
            self.complain(text, "Numerical result out of range");
            return if negative { i64::MIN } else { i64::MAX };
        }
        if negative { (value as i64).wrapping_neg() } else { value as i64 }
    }

    fn unsigned(&mut self, text: &[u8]) -> u64 {
        if let Some(c) = self.character(text) {
            return c.into();
        }
        let (value, negative, large) = self.integer(text);
        if large {
            self.complain(text, "Numerical result out of range");
            return u64::MAX;
        }
        if negative { value.wrapping_neg() } else { value }
    }

    fn float(&mut self, text: &[u8]) -> Extended {
        if let Some(c) = self.character(text) {
            return Extended::from_integer(c.into());
        }
        let (value, length, range) = Extended::parse(text);
        if length == 0 && !text.is_empty() {
            self.complain(text, "expected a numeric value");
        } else if range != Range::Fits {
            self.complain(text, "Numerical result out of range");
        } else if length < text.len() {
            self.complain(text, "value not completely converted");
        }
        value
    }
}

fn hex(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |v, d| v << 4 | char::from(*d).to_digit(16).unwrap_or(0))
}

/// Parses a width or precision; `None` if it is too large.
fn digits(format: &[u8], i: &mut usize) -> Option<usize> {
    let mut n = 0u64;
    while let Some(d) = format.get(*i).filter(|d| d.is_ascii_digit()) {
        n = n.saturating_mul(10).saturating_add(u64::from(d - b'0'));
        *i += 1;
    }
    usize::try_from(n).ok().filter(|n| *n < 1 << 28)
}

fn too_wide() -> Stop {
    warn!("printf", "write error");
    Stop(1)
}
