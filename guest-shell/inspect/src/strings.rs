//! `strings`, as in binutils: prints runs of printable characters in any file.

use sandshell_cli::input::Input;
use sandshell_cli::options::{Given, Parsed, Spec, hidden};
use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::collections::VecDeque;

const HELP: &str = "\
Usage: strings [option(s)] [file(s)]
Shows runs of characters in files of any kind, or in standard input.

 -n, --bytes=NUMBER           runs of at least NUMBER (4) characters; also -NUMBER
 -w, --include-all-whitespace newlines and the like are part of runs
 -e, --encoding=LETTER        s: 7 bits, S: 8 bits, b, l: 16 bits, B, L: 32 bits; b and B have the high byte first
 -t, --radix=LETTER           with the offset of each run: o octal, d decimal, x hexadecimal
 -o                           the same as -to
 -f, --print-file-name        with the file's name
 -s, --output-separator=TEXT  TEXT instead of newlines between runs
 -h, -H, --help               this text
 -v, -V, --version            the version

Files are read as a whole. Accepted without effect: -a, --all, -d, --data, -T, --target=NAME,
-U, --unicode=default.
";

const SPEC: Spec = Spec {
    name: "strings",
    usage: HELP,
    options: &[
        hidden("a", "-a, --all"),
        hidden("n", "-n, --bytes=X"),
        hidden("d", "-d, --data"),
        hidden("e", "-e, --encoding=X"),
        hidden("h", "-h, --help"),
        hidden("w", "-w, --include-all-whitespace"),
        hidden("s", "-s, --output-separator=X"),
        hidden("f", "-f, --print-file-name"),
        hidden("t", "-t, --radix=X"),
        hidden("T", "-T, --target=X"),
        hidden("U", "-U, --unicode=X"),
        hidden("V", "-V, --version"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -H, -o, -v"),
    ],
    ..Spec::DEFAULT
};

struct Strings {
    least: usize,
    encoding: u8,
    /// How many bytes a character takes.
    size: usize,
    radix: Option<u8>,
    name: bool,
    whitespace: bool,
    separator: Option<Vec<u8>>,
}

/// Runs `strings` and returns its exit status.
pub fn strings_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn usage() -> i32 {
    out::flush();
    let _ = sys::write_all(2, HELP.as_bytes());
    1
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(args.get(1..).unwrap_or_default())?;
    let s = read_options(&options)?;
    let mut code = 0;
    let mut read = false;
    for name in &operands {
        if name == b"-" {
            // The operand `-` means the same as `-a`.
            continue;
        }
        read = true;
        code |= s.file(name);
    }
    if !read {
        let all = bytes!("{standard input}");
        s.scan(&all, Input::of(0));
    }
    // Errors are ignored: those of the output do not change binutils' exit status.
    out::flush();
    Ok(code)
}

fn read_options(options: &[Given]) -> Result<Strings, i32> {
    let mut s = Strings {
        least: 4,
        encoding: b's',
        size: 1,
        radix: None,
        name: false,
        whitespace: false,
        separator: None,
    };
    let mut digits: Option<usize> = None;
    for g in options {
        let text = g.text();
        match g.id {
            "h" | "H" => return Err(crate::text::print("strings", HELP)),
            "v" | "V" => {
                return Err(crate::text::print("strings", "GNU strings (GNU Binutils for Debian) 2.40\n"));
            }
            "f" => s.name = true,
            "w" => s.whitespace = true,
            "s" => s.separator = Some(text.to_vec()),
            "o" => s.radix = Some(b'o'),
            "t" => match text {
                [radix @ (b'o' | b'd' | b'x')] => s.radix = Some(*radix),
                _ => return Err(usage()),
            },
            "e" => match text {
                [e @ (b's' | b'S' | b'b' | b'l' | b'B' | b'L')] => s.encoding = *e,
                _ => return Err(usage()),
            },
            "n" => {
                let given: &[u8] = if text.is_empty() { b"0" } else { text };
                let number = std::str::from_utf8(given).ok().and_then(|t| t.parse::<u32>().ok());
                let Some(number) = number else {
                    warn!("strings", "invalid integer argument ", text);
                    return Err(1);
                };
                s.least = number as usize;
                if number == 0 {
                    warn!("strings", "invalid minimum string length ", number);
                    return Err(1);
                }
            }
            "U" if text != b"d" && text != b"default" => {
                warn!("strings", "treating UTF-8 specially is not supported: ", text);
                return Err(1);
            }
            digit if digit.as_bytes()[0].is_ascii_digit() => {
                let value = usize::from(digit.as_bytes()[0] - b'0');
                digits = Some(digits.unwrap_or(0).saturating_mul(10).saturating_add(value));
            }
            _ => {}
        }
    }
    if let Some(number) = digits {
        s.least = number;
        if number == 0 {
            warn!("strings", "minimum string length is too small: 0");
            return Err(1);
        }
    }
    s.size = match s.encoding {
        b'b' | b'l' => 2,
        b'B' | b'L' => 4,
        _ => 1,
    };
    Ok(s)
}

/// The bytes of a file. Bytes can be put back to be read again.
struct Source {
    input: Input,
    back: VecDeque<u8>,
    /// The offset of the next byte.
    address: u64,
}

impl Source {
    fn byte(&mut self) -> Option<u8> {
        let byte = match self.back.pop_front() {
            Some(byte) => Some(byte),
            None => self.input.byte().ok().flatten(),
        };
        self.address += u64::from(byte.is_some());
        byte
    }
}

impl Strings {
    fn file(&self, name: &[u8]) -> i32 {
        match sys::stat(name, true) {
            Ok(stat) if stat.is_dir() => {
                warn!("strings", "Warning: '", name, "' is a directory");
                return 1;
            }
            Ok(_) => {}
            Err(sys::Errno::NOENT) => {
                warn!("strings", "'", name, "': No such file");
                return 1;
            }
            Err(e) => {
                warn!("strings", "Warning: could not locate '", name, "'.  reason: ", e);
                return 1;
            }
        }
        match sys::open(name, sys::open_flags::READ, 0) {
            Ok(fd) => {
                self.scan(name, Input::of(fd));
                0
            }
            Err(e) => {
                warn!("strings", name, ": ", e);
                1
            }
        }
    }

    fn scan(&self, name: &[u8], input: Input) {
        let mut source = Source { input, back: VecDeque::new(), address: 0 };
        let mut text: Vec<u8> = Vec::new();
        'search: loop {
            text.clear();
            let mut start = source.address;
            let mut count = 0;
            // A string that is long enough is printed while it is read, however long it gets.
            loop {
                let (character, raw) = match self.character(&mut source) {
                    Some(c) => c,
                    None => {
                        if count >= self.least {
                            self.end(&mut text);
                        }
                        return;
                    }
                };
                if count == 0 {
                    start = source.address - self.size as u64;
                }
                match character.filter(|c| self.is_shown(*c)) {
                    Some(c) => text.push(c),
                    None => {
                        // The next character may begin at the next byte.
                        for byte in raw.iter().take(self.size).skip(1).rev() {
                            source.back.push_front(*byte);
                            source.address -= 1;
                        }
                        if count >= self.least {
                            self.end(&mut text);
                        }
                        if out::failure().is_some() {
                            return;
                        }
                        continue 'search;
                    }
                }
                count += 1;
                if count == self.least {
                    let prefix = self.prefix(name, start);
                    text.splice(..0, prefix);
                } else if count > self.least && text.len() >= 4096 {
                    out::put(&text);
                    text.clear();
                }
            }
        }
    }

    /// The next character: its byte if it has only one significant byte, and the bytes read.
    fn character(&self, source: &mut Source) -> Option<(Option<u8>, [u8; 4])> {
        let mut raw = [0; 4];
        for byte in raw.iter_mut().take(self.size) {
            *byte = source.byte()?;
        }
        let value = match self.encoding {
            b'b' => u32::from(u16::from_be_bytes([raw[0], raw[1]])),
            b'l' => u32::from(u16::from_le_bytes([raw[0], raw[1]])),
            b'B' => u32::from_be_bytes(raw),
            b'L' => u32::from_le_bytes(raw),
            _ => u32::from(raw[0]),
        };
        Some((u8::try_from(value).ok(), raw))
    }

    fn is_shown(&self, c: u8) -> bool {
        match c {
            b'\t' | b' '..=b'~' => true,
            b'\n' | 11..=13 => self.whitespace,
            128..=255 => self.encoding == b'S',
            _ => false,
        }
    }

    fn prefix(&self, name: &[u8], start: u64) -> Vec<u8> {
        let name = if self.name { bytes!(name, ": ") } else { Vec::new() };
        let address = match self.radix {
            Some(b'o') => format!("{start:7o} "),
            Some(b'd') => format!("{start:7} "),
            Some(_) => format!("{start:7x} "),
            None => String::new(),
        };
        bytes!(name, address)
    }

    fn end(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.separator.as_deref().unwrap_or(b"\n"));
        out::put(&*text);
        text.clear();
    }
}
