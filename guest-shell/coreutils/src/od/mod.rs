//! `od`.

mod format;
mod input;

use crate::od::format::Format;
use crate::od::input::Files;
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Parsed, Spec, choose, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "od",
    usage: "\
Usage: od [OPTION]... [FILE]...
  or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
  or:  od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]
Shows the bytes of its input, as octal numbers of two bytes by default.

",
    options: &[
        option("-A, --address-radix=RADIX", "offsets are d decimal, o octal, x hexadecimal, n not shown"),
        option("--endian=ORDER", "big or little"),
        named("", "-j, --skip-bytes=BYTES", "begin after so many bytes"),
        named("", "-N, --read-bytes=BYTES", "read no more than so many bytes"),
        named("", "-S BYTES, --strings[=BYTES]", "only texts before a zero byte, with BYTES (3) characters or more"),
        option("-t, --format=TYPE", "how bytes are shown"),
        option("-v, --output-duplicates", "show lines that repeat as well, not *"),
        named("", "-w[BYTES], --width[=BYTES]", "so many bytes (32) in a line; 16 by default"),
        option("--traditional", "arguments as in old versions"),
        option("-a", "as -t a: names of characters"),
        option("-b", "as -t o1"),
        option("-c", "as -t c: characters"),
        option("-d", "as -t u2"),
        option("-f", "as -t fF"),
        option("-i", "as -t dI"),
        option("-l", "as -t dL"),
        option("-o", "as -t o2"),
        option("-s", "as -t d2"),
        option("-x", "as -t x2"),
        hidden("", "-B, -D, -e, -F, -H, -h, -I, -L, -O, -X"),
    ],
    notes: "\n\
TYPE: a, c, or d signed, o octal, u unsigned, x hexadecimal, f floating point, and a size: a number of bytes, or C, S, I, L
for the types of C (F, D, L after f). A z at the end shows the characters as well. BYTES may be 0x... and end in b, K, M.
",
    ..Spec::DEFAULT
};

const SIZES: &str = "bEGKkMmPTYZ0";

struct Od {
    formats: Vec<Format>,
    big_endian: bool,
    /// The base of addresses; `None` prints no addresses.
    radix: Option<u32>,
    /// What to add to an address to get the second one, which is printed in parentheses.
    label: Option<u64>,
    only_label: bool,
    duplicates: bool,
    /// The number of bytes per line.
    block: usize,
    /// The width of a line's fields in columns.
    line: usize,
    /// The offset at which the dump ends.
    end: Option<u64>,
}

/// The options except formats.
struct Options {
    od: Od,
    traditional: bool,
    modern: bool,
    skip: u64,
    limit: Option<u64>,
    strings: Option<u64>,
    width: Option<u64>,
}

/// Runs `od` and returns its exit status.
pub fn od_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, mut operands } = SPEC.parse(&options::operands(args))?;
    let mut o = read_options(&options)?;
    if o.strings.is_some() && !o.od.formats.is_empty() {
        warn!("od", "no type may be specified when dumping strings");
        return Err(1);
    }
    let mut label = None;
    if !o.modern || o.traditional {
        label = old_offsets(&mut operands, &mut o.skip, o.traditional)?;
    }
    if let Some(label) = label {
        o.od.only_label = o.od.radix.is_none();
        o.od.radix = o.od.radix.or(Some(8));
        o.od.label = Some(label.wrapping_sub(o.skip));
    }
    if let Some(limit) = o.limit {
        let Some(end) = o.skip.checked_add(limit) else {
            warn!("od", "skip-bytes + read-bytes is too large");
            return Err(1);
        };
        o.od.end = Some(end);
    }
    if o.od.formats.is_empty() {
        format::parse(b"oS", &mut o.od.formats)?;
    }
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    let mut files = Files::new(operands, o.limit.is_some() && o.strings.is_none());
    if files.ended() {
        return Ok(1);
    }
    if !files.skip(o.skip) {
        warn!("od", "cannot skip past end of combined input");
        return Err(1);
    }
    o.od.lay_out(o.width)?;
    match o.strings {
        Some(least) => o.od.dump_strings(&mut files, o.skip, least),
        None => o.od.dump(&mut files, o.skip)?,
    }
    Ok(out::finish("od", i32::from(!files.ok), 1))
}

fn read_options(options: &[options::Given]) -> Result<Options, i32> {
    let od = Od {
        formats: Vec::new(),
        big_endian: false,
        radix: Some(8),
        label: None,
        only_label: false,
        duplicates: false,
        block: 0,
        line: 0,
        end: None,
    };
    let mut o =
        Options { od, traditional: false, modern: false, skip: 0, limit: None, strings: None, width: None };
    let mut ok = true;
    for g in options {
        let text = g.text();
        let number = |base, suffixes| {
            let option = if g.id.len() == 1 { format!("-{}", g.id) } else { format!("--{}", g.id) };
            number::in_base(text, base, suffixes).map_err(|fault: Fault| {
                number::complain("od", &option, text, fault);
                1
            })
        };
        o.modern |= matches!(
            g.id,
            "A" | "j" | "skip-bytes" | "N" | "read-bytes" | "S" | "strings" | "t" | "v" | "w" | "width"
        );
        let format: &[u8] = match g.id {
            "A" => {
                o.od.radix = match text.first() {
                    Some(b'd') => Some(10),
                    Some(b'o') => Some(8),
                    Some(b'x') => Some(16),
                    Some(b'n') => None,
                    other => {
                        let letter: &[u8] = &[other.copied().unwrap_or(0)];
                        warn!(
                            "od",
                            "invalid output address radix '",
                            letter,
                            "'; it must be one character from [doxn]"
                        );
                        return Err(1);
                    }
                };
                continue;
            }
            "j" | "skip-bytes" => {
                o.skip = number(0, SIZES)?;
                continue;
            }
            "N" | "read-bytes" => {
                o.limit = Some(number(0, SIZES)?);
                continue;
            }
            "S" | "strings" => {
                let least = if g.value.is_some() { number(0, SIZES)? } else { 3 };
                if least > isize::MAX as u64 {
                    warn!("od", quote(text), " is too large");
                    return Err(1);
                }
                o.strings = Some(least);
                continue;
            }
            "w" | "width" => {
                o.width = Some(if g.value.is_some() { number(10, "")? } else { 32 });
                continue;
            }
            "v" => {
                o.od.duplicates = true;
                continue;
            }
            "traditional" => {
                o.traditional = true;
                continue;
            }
            "endian" => {
                o.od.big_endian = choose(&SPEC, "--endian", text, &[("little", false), ("big", true)])?;
                continue;
            }
            "t" => text,
            "a" => b"a",
            "b" => b"o1",
            "c" => b"c",
            "D" => b"u4",
            "d" => b"u2",
            "F" | "e" => b"fD",
            "f" => b"fF",
            "H" | "X" => b"x4",
            "i" => b"dI",
            "I" | "L" | "l" => b"dL",
            "O" => b"o4",
            "B" | "o" => b"o2",
            "s" => b"d2",
            _ => b"x2",
        };
        ok &= format::parse(format, &mut o.od.formats).is_ok();
    }
    if ok { Ok(o) } else { Err(1) }
}

/// Removes the offset and the label from the operands, if they are given in the old form.
fn old_offsets(operands: &mut Vec<Vec<u8>>, skip: &mut u64, traditional: bool) -> Result<Option<u64>, i32> {
    let mut label = None;
    let marked = |text: &[u8], digit: bool| {
        traditional || text.first().is_some_and(|b| *b == b'+' || digit && b.is_ascii_digit())
    };
    match operands.as_slice() {
        [one] if marked(one, false) => {
            if let Some(offset) = old_offset(one) {
                *skip = offset;
                operands.clear();
            }
        }
        [one, two] if marked(two, true) => {
            if let Some(second) = old_offset(two) {
                match old_offset(one).filter(|_| traditional) {
                    Some(first) => {
                        *skip = first;
                        label = Some(second);
                        operands.clear();
                    }
                    None => {
                        *skip = second;
                        operands.truncate(1);
                    }
                }
            }
        }
        [_, two, three] if traditional => {
            if let (Some(second), Some(third)) = (old_offset(two), old_offset(three)) {
                *skip = second;
                label = Some(third);
                operands.truncate(1);
            }
        }
        _ => {}
    }
    match operands.get(1) {
        Some(extra) if traditional => {
            warn!("od", "extra operand ", quote(extra));
            Err(SPEC.usage("compatibility mode supports at most one file"))
        }
        _ => Ok(label),
    }
}

/// Parses `[+]OFFSET[b]`, which is octal by default.
fn old_offset(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let hex = text.starts_with(b"0x") || text.starts_with(b"0X");
    let base = if text.contains(&b'.') {
        10
    } else if hex {
        16
    } else {
        8
    };
    number::in_base(text, base, "Bb").ok()
}

impl Od {
    /// The smallest number of bytes that is a multiple of all formats' sizes.
    fn unit(&self) -> usize {
        // All sizes are powers of two.
        self.formats.iter().map(|f| f.size).max().unwrap_or(1)
    }

    fn lay_out(&mut self, width: Option<u64>) -> Result<(), i32> {
        let unit = self.unit();
        self.block = match width {
            Some(w) if w != 0 && w.is_multiple_of(unit as u64) => usize::try_from(w).unwrap_or(usize::MAX),
            Some(w) => {
                warn!("od", "warning: invalid width ", w, "; using ", unit, " instead");
                unit
            }
            None => 16,
        };
        let widest = self.formats.iter().map(|f| (f.width() + 1).checked_mul(self.block / f.size));
        let widest: Option<Vec<usize>> = widest.collect();
        match widest.and_then(|w| w.into_iter().max()).filter(|w| *w < isize::MAX as usize / 4) {
            Some(w) => self.line = w,
            None => return Err(exhausted()),
        }
        Ok(())
    }

    fn dump(&self, files: &mut Files, start: u64) -> Result<(), i32> {
        let (mut block, mut previous) = (self.buffer()?, self.buffer()?);
        let mut offset = start;
        let (mut first, mut starred) = (true, false);
        loop {
            let want = match self.end {
                Some(end) => end.saturating_sub(offset).min(self.block as u64) as usize,
                None => self.block,
            };
            let got = files.read(&mut block[..want]);
            if got < self.block {
                if got > 0 {
                    block[got..].fill(0);
                    self.write(offset, got, &block);
                }
                self.address(offset.wrapping_add(got as u64), Some(b'\n'));
                return Ok(());
            }
            if !self.duplicates && !first && block == previous {
                if !starred {
                    out::put("*\n");
                }
                starred = true;
            } else {
                starred = false;
                self.write(offset, got, &block);
            }
            first = false;
            if out::failure().is_some() {
                return Ok(());
            }
            std::mem::swap(&mut block, &mut previous);
            offset = offset.wrapping_add(got as u64);
        }
    }

    fn buffer(&self) -> Result<Vec<u8>, i32> {
        let mut buffer = Vec::new();
        // A line of output needs several times as much memory as its bytes.
        buffer.try_reserve_exact(self.line).map_err(|_| exhausted())?;
        buffer.resize(self.block, 0);
        Ok(buffer)
    }

    fn write(&self, offset: u64, used: usize, block: &[u8]) {
        // An incomplete value at the end is padded with zeros.
        for (i, format) in self.formats.iter().enumerate() {
            if i == 0 {
                self.address(offset, None);
            } else if let Some(radix) = self.radix {
                out::put(vec![b' '; if radix == 16 { 6 } else { 7 }]);
            }
            format.print(block, used, self.line, self.big_endian);
        }
    }

    /// Prints an address, and the byte `then` after it. Prints nothing if there are no addresses.
    fn address(&self, offset: u64, then: Option<u8>) {
        let number = |n: u64| match self.radix {
            Some(10) => format!("{n:07}"),
            Some(8) => format!("{n:07o}"),
            Some(_) => format!("{n:06x}"),
            None => String::new(),
        };
        if self.radix.is_none() {
            return;
        }
        match self.label {
            Some(_) if self.only_label => out::put(format!("({})", number(offset))),
            Some(label) => {
                out::put(format!("{} ({})", number(offset), number(offset.wrapping_add(label))));
            }
            None => out::put(number(offset)),
        }
        if let Some(byte) = then {
            out::put([byte]);
        }
    }

    /// Prints NUL-terminated strings of at least `least` printable characters.
    fn dump_strings(&self, files: &mut Files, start: u64, least: u64) {
        let mut address = start;
        let mut text: Vec<u8> = Vec::new();
        'search: loop {
            text.clear();
            if self.end.is_some_and(|end| end < least || end - least <= address) {
                return;
            }
            loop {
                if text.len() as u64 >= least && self.end.is_some_and(|end| address >= end) {
                    break;
                }
                let Some(byte) = files.byte() else { return };
                address = address.wrapping_add(1);
                match byte {
                    0 if text.len() as u64 >= least => break,
                    0x20..0x7f => text.push(byte),
                    _ => continue 'search,
                }
            }
            self.address(address.wrapping_sub(text.len() as u64 + 1), Some(b' '));
            text.push(b'\n');
            out::put(&text);
        }
    }
}

fn exhausted() -> i32 {
    warn!("od", "memory exhausted");
    1
}
