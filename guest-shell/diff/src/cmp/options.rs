//! cmp's command line.

use crate::say;
use crate::version;
use sandshell_cli::options::{Spec, hidden, listed};

/// What to report about differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    First,
    /// `-l`
    All,
    /// `-s`
    Silent,
}

pub(super) struct Options {
    pub(super) mode: Mode,
    pub(super) print_bytes: bool,
    pub(super) limit: u64,
    pub(super) names: [Vec<u8>; 2],
    pub(super) skip: [u64; 2],
}

const SPEC: Spec = Spec {
    name: "cmp",
    options: &[listed(TEXT), hidden("b", "-c")],
    ties: &[
        "print-bytes",
        "print-chars",
        "ignore-initial",
        "verbose",
        "bytes",
        "silent",
        "quiet",
        "version",
        "help",
    ],
    failure: 2,
    ..Spec::DEFAULT
};

/// Reads the arguments (the command's name first).
///
/// # Errors
/// The exit status, after a message or the help text was printed.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Options, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut options = Options {
        mode: Mode::First,
        print_bytes: false,
        limit: u64::MAX,
        names: [Vec::new(), b"-".to_vec()],
        skip: [0, 0],
    };
    for g in &parsed.options {
        let text = g.text();
        match g.id {
            "b" => options.print_bytes = true,
            "i" => {
                let (first, second) = match text.iter().position(|b| *b == b':') {
                    Some(i) => (&text[..i], Some(&text[i + 1..])),
                    None => (text, None),
                };
                let first = number(first).map_err(|()| wrong("ignore-initial", text))?;
                let second = match second {
                    Some(s) => number(s).map_err(|()| wrong("ignore-initial", s))?,
                    None => first,
                };
                options.skip = [options.skip[0].max(first), options.skip[1].max(second)];
            }
            "l" => options.set_mode(Mode::All)?,
            "n" => {
                let n = number(text).map_err(|()| wrong("bytes", text))?;
                options.limit = options.limit.min(n);
            }
            "s" => options.set_mode(Mode::Silent)?,
            "v" => return Err(version::print("cmp")),
            "?" => return Err(say::try_help(Some(text))),
            _ => return Err(version::help(TEXT)),
        }
    }
    let mut operands = parsed.operands.into_iter();
    let Some(first) = operands.next() else {
        let last = args.last().map_or(b"cmp".as_slice(), Vec::as_slice);
        return Err(say::try_help(Some(&[b"missing operand after '", last, b"'"].concat())));
    };
    options.names[0] = first;
    if let Some(second) = operands.next() {
        options.names[1] = second;
    }
    for skip in &mut options.skip {
        if let Some(text) = operands.next() {
            *skip = number(&text).map_err(|()| wrong("ignore-initial", &text))?.max(*skip);
        }
    }
    match operands.next() {
        Some(extra) => Err(say::try_help(Some(&[b"extra operand '", extra.as_slice(), b"'"].concat()))),
        None => Ok(options),
    }
}

impl Options {
    fn set_mode(&mut self, mode: Mode) -> Result<(), i32> {
        if self.mode != Mode::First && self.mode != mode {
            return Err(say::try_help(Some(b"options -l and -s are incompatible")));
        }
        self.mode = mode;
        Ok(())
    }
}

fn wrong(option: &str, text: &[u8]) -> i32 {
    say::try_help(Some(&[b"invalid --", option.as_bytes(), b" value '", text, b"'"].concat()))
}

// Reads a number with an optional suffix: a power of 1024, or of 1000 if a `B` follows.
fn number(text: &[u8]) -> Result<u64, ()> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    // As in C, `0x` begins a hexadecimal number and `0` an octal one.
    let (radix, text) = match text {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => (16, rest),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let digits = text.iter().take_while(|b| (**b as char).is_digit(radix)).count();
    let (digits, suffix) = text.split_at(digits);
    let value = if digits.is_empty() && !suffix.is_empty() {
        1
    } else {
        u64::from_str_radix(std::str::from_utf8(digits).map_err(drop)?, radix).map_err(drop)?
    };
    let Some((letter, rest)) = suffix.split_first() else { return Ok(value) };
    let base: u64 = match rest {
        b"" | b"iB" => 1024,
        b"B" | b"D" => 1000,
        _ => return Err(()),
    };
    let power = match letter {
        b'k' | b'K' => 1,
        b'M' => 2,
        b'G' => 3,
        b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => return Err(()),
    };
    base.checked_pow(power).and_then(|b| b.checked_mul(value)).ok_or(())
}

const TEXT: &str = "\
Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Tells whether two files are equal, and where they begin to differ. Without FILE2, and for `-`, standard input is read.
SKIP1 and SKIP2 bytes at the start are left out.

  -b, --print-bytes, --print-chars   print the bytes that differ; also -c
  -i, --ignore-initial=SKIP    leave out SKIP bytes at the start of each; SKIP1:SKIP2 says it for both
  -l, --verbose                print all differences: position and octal values
  -n, --bytes=LIMIT            compare LIMIT bytes at most
  -s, --quiet, --silent        print nothing
      --help                   this text
  -v, --version                the version

Numbers may end in a letter: K for 1024, kB for 1000; M, G, T, P, E, Z and Y go on so.
The status is 0 if the files are equal, 1 if they differ, 2 if something went wrong.
";
