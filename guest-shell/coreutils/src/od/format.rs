//! Parses the types of `-t` and formats the bytes of a line.

use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_float::directive::Directive;
use sandshell_float::extended::{Extended, Kind};

/// The types of `-t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kinds {
    Named,
    Char,
    Signed,
    Unsigned,
    Octal,
    Hex,
    Float,
}

/// A type and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    kind: Kinds,
    /// The size of one value in bytes.
    pub(crate) size: usize,
    /// Whether the printable characters follow at the end of the line.
    trailer: bool,
}

/// Parses the types of one `-t`. Errors are reported.
pub(crate) fn parse(text: &[u8], to: &mut Vec<Format>) -> Result<(), i32> {
    let mut rest = text;
    while let Some((letter, after)) = rest.split_first() {
        let kind = match letter {
            b'a' => Kinds::Named,
            b'c' => Kinds::Char,
            b'd' => Kinds::Signed,
            b'u' => Kinds::Unsigned,
            b'o' => Kinds::Octal,
            b'x' => Kinds::Hex,
            b'f' => Kinds::Float,
            other => {
                warn!("od", "invalid character '", &[*other][..], "' in type string ", quote(text));
                return Err(1);
            }
        };
        let (size, after) = match kind {
            Kinds::Named | Kinds::Char => (1, after),
            _ => size(kind, text, after)?,
        };
        let trailer = after.first() == Some(&b'z');
        rest = if trailer { &after[1..] } else { after };
        to.push(Format { kind, size, trailer });
    }
    Ok(())
}

/// Parses the size at the start of `text`. Returns the rest too.
fn size<'a>(kind: Kinds, whole: &[u8], text: &'a [u8]) -> Result<(usize, &'a [u8]), i32> {
    let float = kind == Kinds::Float;
    let named = match text.first() {
        Some(b'F') if float => 4,
        Some(b'D') if float => 8,
        Some(b'L') if float => 16,
        Some(b'C') if !float => 1,
        Some(b'S') if !float => 2,
        Some(b'I') if !float => 4,
        Some(b'L') if !float => 8,
        _ => 0,
    };
    if named > 0 {
        return Ok((named, &text[1..]));
    }
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return Ok((if float { 8 } else { 4 }, text));
    }
    let (digits, after) = text.split_at(count);
    let Some(size) = std::str::from_utf8(digits).ok().and_then(|d| d.parse::<i64>().ok()) else {
        warn!("od", "invalid type string ", quote(whole));
        return Err(1);
    };
    let known: &[i64] = if float { &[4, 8, 16] } else { &[1, 2, 4, 8] };
    if !known.contains(&size) {
        let what = if float { "floating point" } else { "integral" };
        warn!(
            "od",
            "invalid type string ",
            quote(whole),
            ";\nthis system doesn't provide a ",
            size,
            "-byte ",
            what,
            " type"
        );
        return Err(1);
    }
    Ok((size as usize, after))
}

impl Format {
    /// The width of one value in columns, without the space before it.
    pub(crate) fn width(&self) -> usize {
        match (self.kind, self.size) {
            (Kinds::Named | Kinds::Char, _) => 3,
            (Kinds::Signed, 1) => 4,
            (Kinds::Signed, 2) => 6,
            (Kinds::Signed, 4) => 11,
            (Kinds::Signed, _) => 20,
            (Kinds::Unsigned, 1) => 3,
            (Kinds::Unsigned, 2) => 5,
            (Kinds::Unsigned, 4) => 10,
            (Kinds::Unsigned, _) => 20,
            (Kinds::Octal, 1) => 3,
            (Kinds::Octal, 2) => 6,
            (Kinds::Octal, 4) => 11,
            (Kinds::Octal, _) => 22,
            (Kinds::Hex, size) => 2 * size,
            (Kinds::Float, 4) => 15,
            (Kinds::Float, 8) => 24,
            (Kinds::Float, _) => 29,
        }
    }

    /// Prints the first `used` bytes of a block (the rest is zeros) in fields that fill a line of `line` columns.
    pub(crate) fn print(&self, block: &[u8], used: usize, line: usize, big_endian: bool) {
        let fields = block.len() / self.size;
        let blank = (block.len() - used) / self.size;
        let pad = line.saturating_sub(self.width() * fields);
        let mut left = pad;
        let mut text = Vec::with_capacity(line);
        for (i, datum) in block.chunks_exact(self.size).take(fields - blank).enumerate() {
            // The padding is distributed over the fields as evenly as possible.
            let next = (pad as u128 * (fields - i - 1) as u128 / fields as u128) as usize;
            let cell = self.text(datum, big_endian);
            let width = left - next + self.width();
            text.resize(text.len() + width.saturating_sub(cell.len()), b' ');
            text.extend_from_slice(&cell);
            left = next;
        }
        if self.trailer {
            let fill = blank * self.width() + (pad as u128 * blank as u128 / fields as u128) as usize;
            text.resize(text.len() + fill, b' ');
            text.extend_from_slice(b"  >");
            let shown = block.iter().take(used);
            text.extend(shown.map(|b| if (0x20..0x7f).contains(b) { *b } else { b'.' }));
            text.push(b'<');
        }
        text.push(b'\n');
        out::put(&text);
    }

    fn text(&self, datum: &[u8], big_endian: bool) -> Vec<u8> {
        let mut raw = [0u8; 16];
        for (to, from) in raw.iter_mut().zip(datum) {
            *to = *from;
        }
        if big_endian {
            raw[..self.size.min(16)].reverse();
        }
        let wide = u128::from_le_bytes(raw);
        let value = wide as u64;
        let unused = 64 - 8 * self.size.min(8) as u32;
        match self.kind {
            Kinds::Named => named(raw[0] & 0x7f),
            Kinds::Char => character(raw[0]),
            Kinds::Signed => (((value << unused) as i64) >> unused).to_string().into_bytes(),
            Kinds::Unsigned => value.to_string().into_bytes(),
            Kinds::Octal => {
                let width = self.width();
                format!("{value:0width$o}").into_bytes()
            }
            Kinds::Hex => {
                let width = self.width();
                format!("{value:0width$x}").into_bytes()
            }
            Kinds::Float => float(wide, self.size),
        }
    }
}

fn named(byte: u8) -> Vec<u8> {
    const NAMES: [&str; 33] = [
        "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so",
        "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs",
        "rs", "us", "sp",
    ];
    match NAMES.get(usize::from(byte)) {
        Some(name) => name.as_bytes().to_vec(),
        None if byte == 0x7f => b"del".to_vec(),
        None => vec![byte],
    }
}

fn character(byte: u8) -> Vec<u8> {
    let letter = match byte {
        0 => b'0',
        7 => b'a',
        8 => b'b',
        12 => b'f',
        10 => b'n',
        13 => b'r',
        9 => b't',
        11 => b'v',
        0x20..0x7f => return vec![byte],
        _ => return format!("{byte:03o}").into_bytes(),
    };
    vec![b'\\', letter]
}

/// The shortest `%g` that reads back as the same number, with at least as many digits as every number of this size can
/// represent.
fn float(bits: u128, size: usize) -> Vec<u8> {
    let (fraction, exponent, least, most) = match size {
        4 => (23, 8, 6, 9),
        8 => (52, 11, 15, 17),
        _ => (63, 15, 18, 21),
    };
    let value = Extended::from_bits(bits, fraction, exponent, size == 16);
    // Subnormal numbers need fewer digits.
    let tiny = matches!(value.kind, Kind::Finite { mantissa, .. } if mantissa >> fraction == 0);
    for precision in (if tiny { 1 } else { least })..=most {
        let directive = Directive { precision: Some(precision), ..Directive::default() };
        let text = directive.float(value, b'g');
        if precision == most || !matches!(value.kind, Kind::Finite { .. }) || same(&text, bits, value, size) {
            return text;
        }
    }
    bytes!("nan")
}

fn same(text: &[u8], bits: u128, value: Extended, size: usize) -> bool {
    let word = std::str::from_utf8(text).unwrap_or_default();
    match size {
        4 => word.parse::<f32>().is_ok_and(|f| f.to_bits() == bits as u32),
        8 => word.parse::<f64>().is_ok_and(|f| f.to_bits() == bits as u64),
        _ => Extended::parse(text).0.compare(value).is_eq(),
    }
}
