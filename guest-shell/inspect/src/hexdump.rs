//! `hexdump` and `hd`, as in util-linux.

use crate::hexdump_format::{self, Format, Group, Kind, Unit};
use crate::hexdump_input::{Blocks, Seen};
use crate::text;
use sandshell_cli::input::Input;
use sandshell_cli::options::{Given, Parsed, Spec, hidden, listed};
use sandshell_cli::warn;
use sandshell_cli::{number, out};
use sandshell_float::directive::Directive;
use sandshell_float::extended::Extended;

const HELP: &str = "
Usage:
 hexdump [options] <file>...

Shows bytes as numbers or characters; `hd` does so as with -C. Several of these are shown one below the other.

 -C, --canonical           hexadecimal, with characters beside it
 -x, --two-bytes-hex       hexadecimal numbers of two bytes; so it does without options, but closer
 -d, --two-bytes-decimal   decimal numbers of two bytes
 -o, --two-bytes-octal     octal numbers of two bytes
 -b, --one-byte-octal      octal bytes
 -c, --one-byte-char       characters
 -e, --format <format>     as the format says
 -f, --format-file <file>  as the formats in the lines of the file say

 -s, --skip <offset>       leave out so many bytes first
 -n, --length <length>     show so many bytes
 -v, --no-squeezing        also lines like the one before, in place of `*`
 -L, --color[=<mode>]      no effect
 -h, --help                this text
 -V, --version             the version

Numbers may have a unit, such as K (1024), KB (1000) or M.

Example: hexdump -e '16/1 \"%02x \" \"\\n\"' file
";

const SPEC: Spec =
    Spec { name: "hexdump", options: &[hidden("L", "-L[X], --color[=X]"), listed(HELP)], ..Spec::DEFAULT };

const END: &str = "\"%07.7_Ax\n\"";
const CANONICAL: [&str; 3] =
    ["\"%08.8_Ax\n\"", "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ", "\"  |\" 16/1 \"%_p\" \"|\\n\""];

/// Runs `hexdump` and returns its exit status. Under the name `hd` it behaves as with `-C`.
pub fn hexdump_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(args.get(1..).unwrap_or_default())?;
    let mut formats = Vec::new();
    let canonical = |formats: &mut Vec<Format>| {
        CANONICAL.iter().try_for_each(|f| hexdump_format::parse(f.as_bytes()).map(|f| formats.push(f)))
    };
    if args.first().is_some_and(|name| name == b"hd" || name.ends_with(b"/hd")) {
        canonical(&mut formats)?;
    }
    let (mut seen, mut skip, mut length) = (Seen::First, 0, None);
    for g in &options {
        let line = match g.id {
            "b" => "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\"",
            "c" => "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\"",
            "d" => "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\"",
            "o" => "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\"",
            "x" => "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"",
            "C" => {
                canonical(&mut formats)?;
                continue;
            }
            "e" => {
                formats.push(hexdump_format::parse(g.text())?);
                continue;
            }
            "f" => {
                read_formats(g.text(), &mut formats)?;
                continue;
            }
            "n" => {
                length = Some(size(g, "length")?);
                continue;
            }
            "s" => {
                skip = size(g, "offset")?;
                continue;
            }
            "v" => {
                seen = Seen::All;
                continue;
            }
            "h" => return Ok(text::print("hexdump", HELP)),
            "V" => return Ok(text::version("hexdump")),
            // `-L` only affects format strings with colours, which are not supported.
            _ => continue,
        };
        formats.push(hexdump_format::parse(END.as_bytes())?);
        formats.push(hexdump_format::parse(line.as_bytes())?);
    }
    if formats.is_empty() {
        formats.push(hexdump_format::parse(END.as_bytes())?);
        formats.push(hexdump_format::parse(b"\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"")?);
    }
    let block = hexdump_format::compile(&mut formats)?;
    if block == 0 {
        // The formats take no data, so there is nothing to show.
        return Ok(out::finish("hexdump", 0, 1));
    }
    let mut blocks = Blocks::new(operands, block, seen, skip, length);
    display(&formats, &mut blocks)?;
    Ok(out::finish("hexdump", blocks.code, 1))
}

fn size(g: &Given, what: &str) -> Result<u64, i32> {
    let text = g.text();
    let hex = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X"));
    let octal = text.len() > 1 && text.starts_with(b"0") && text.iter().all(u8::is_ascii_digit);
    let value = match hex {
        Some(digits) => std::str::from_utf8(digits).ok().and_then(|d| u64::from_str_radix(d, 16).ok()),
        None if octal => std::str::from_utf8(text).ok().and_then(|d| u64::from_str_radix(d, 8).ok()),
        None if text.first().is_some_and(u8::is_ascii_digit) => number::unsigned(text, "kKmMgGtTPEZY0").ok(),
        None => None,
    };
    value.ok_or_else(|| {
        warn!("hexdump", "failed to parse ", what, ": '", text, "': Invalid argument");
        1
    })
}

fn read_formats(name: &[u8], formats: &mut Vec<Format>) -> Result<(), i32> {
    let fd = sandshell_sys::open(name, sandshell_sys::open_flags::READ, 0);
    let text = fd.and_then(|fd| Input::of(fd).rest()).map_err(|e| {
        warn!("hexdump", "can't read ", name, ": ", e);
        1
    })?;
    for line in text.split(|b| *b == b'\n') {
        let line = line.trim_ascii_start();
        if !line.is_empty() && !line.starts_with(b"#") {
            formats.push(hexdump_format::parse(line)?);
        }
    }
    Ok(())
}

fn display(formats: &[Format], blocks: &mut Blocks) -> Result<(), i32> {
    let mut text = Vec::new();
    while blocks.next()?.is_some() {
        let (start, end) = (blocks.address, blocks.end);
        let block = blocks.block();
        for format in formats {
            let mut at = 0;
            for group in format.groups.iter().take_while(|g| !g.at_end) {
                for i in (1..=group.repeat).rev() {
                    print_group(group, i == 1, block, &mut at, start, end, &mut text);
                }
            }
        }
        out::put(&text);
        text.clear();
        if out::failure().is_some() {
            return Ok(());
        }
    }
    let end = blocks.end.unwrap_or(blocks.address);
    let last = formats.iter().flat_map(|f| &f.groups).rfind(|g| g.at_end);
    if end > 0
        && let Some(group) = last
    {
        for unit in &group.units {
            match unit.kind {
                Kind::Text => out::put(&unit.before),
                Kind::Address(letter) => {
                    out::put(&unit.before);
                    out::put(unsigned(&unit.directive, end, letter));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn print_group(
    group: &Group,
    last: bool,
    block: &[u8],
    at: &mut usize,
    start: u64,
    end: Option<u64>,
    to: &mut Vec<u8>,
) {
    for (i, unit) in group.units.iter().enumerate() {
        let address = start + *at as u64;
        let trim = last && group.trims && i + 1 == group.units.len();
        let before = &unit.before[..unit.before.len() - usize::from(trim && !unit.before.is_empty())];
        to.extend_from_slice(before);
        if unit.kind == Kind::Text {
            continue;
        }
        if end.is_some_and(|end| address >= end) {
            // After the end of the data, blanks of the same width are printed.
            let blank = Directive { width: unit.directive.width, ..Directive::default() };
            to.extend_from_slice(&blank.pad(b""));
        } else {
            let data = block.get(*at..).unwrap_or_default();
            to.extend_from_slice(&convert(unit, data, address));
        }
        *at += unit.bytes;
    }
}

fn convert(unit: &Unit, data: &[u8], address: u64) -> Vec<u8> {
    let d = &unit.directive;
    let first = data.first().copied().unwrap_or(0);
    let mut raw = [0u8; 16];
    for (to, from) in raw.iter_mut().zip(data).take(unit.bytes.min(16)) {
        *to = *from;
    }
    let value = u128::from_le_bytes(raw) as u64;
    match unit.kind {
        Kind::Text => Vec::new(),
        Kind::Address(letter) => unsigned(d, address, letter),
        Kind::Char => d.pad(&[first]),
        Kind::Signed => {
            let unused = 64 - 8 * unit.bytes.clamp(1, 8) as u32;
            let value = ((value << unused) as i64) >> unused;
            let sign = match value {
                ..0 => "-",
                _ if d.plus => "+",
                _ if d.space => " ",
                _ => "",
            };
            d.integer(value.unsigned_abs().to_string().as_bytes(), sign.as_bytes())
        }
        Kind::Unsigned(letter) => unsigned(d, value, letter),
        Kind::Float(letter) => float(d, &raw, unit.bytes, letter),
        Kind::String => {
            let length = data.iter().position(|b| *b == 0).unwrap_or(data.len());
            d.pad(&data[..length.min(d.precision.unwrap_or(length))])
        }
        Kind::Printable => d.pad(&[if (0x20..0x7f).contains(&first) { first } else { b'.' }]),
        Kind::Escaped => d.pad(&escaped(first)),
        Kind::Named => d.pad(&named(first)),
    }
}

fn unsigned(d: &Directive, value: u64, letter: u8) -> Vec<u8> {
    let (digits, prefix) = match letter {
        b'o' => (format!("{value:o}"), "0"),
        b'x' => (format!("{value:x}"), "0x"),
        b'X' => (format!("{value:X}"), "0X"),
        _ => (value.to_string(), ""),
    };
    let prefix = if d.alternate && value != 0 { prefix } else { "" };
    d.integer(digits.as_bytes(), prefix.as_bytes())
}

fn float(d: &Directive, raw: &[u8; 16], size: usize, letter: u8) -> Vec<u8> {
    let value = match size {
        4 => Extended::from_f64(f64::from(f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]))),
        16 => Extended::from_long_double(u128::from_le_bytes(*raw)),
        _ => Extended::from_f64(f64::from_bits(u128::from_le_bytes(*raw) as u64)),
    };
    d.float(value, letter)
}

fn escaped(byte: u8) -> Vec<u8> {
    let text = match byte {
        0 => "\\0",
        7 => "\\a",
        8 => "\\b",
        12 => "\\f",
        10 => "\\n",
        13 => "\\r",
        9 => "\\t",
        11 => "\\v",
        0x20..0x7f => return vec![byte],
        _ => return format!("{byte:03o}").into_bytes(),
    };
    text.as_bytes().to_vec()
}

fn named(byte: u8) -> Vec<u8> {
    const NAMES: [&str; 32] = [
        "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so",
        "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs",
        "rs", "us",
    ];
    match NAMES.get(usize::from(byte)) {
        Some(name) => name.as_bytes().to_vec(),
        None if byte == 0x7f => b"del".to_vec(),
        None if byte < 0x7f => vec![byte],
        None => format!("{byte:02x}").into_bytes(),
    }
}
