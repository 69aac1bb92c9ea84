//! The command line.

use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::options::{Given, Order, Spec, listed};
use sandshell_posix::{characters, process};
use sandshell_sys as sys;

/// Linux's default limit for arguments and environment.
pub(crate) const ARG_MAX: usize = 2 * 1024 * 1024;
/// The part of it that findutils uses by default.
const DEFAULT_MAX: usize = 128 * 1024;

pub(crate) struct Options {
    pub(crate) command: Vec<Vec<u8>>,
    pub(crate) file: Option<Vec<u8>>,
    /// The byte that ends items, instead of blanks and newlines.
    pub(crate) delimiter: Option<u8>,
    pub(crate) eof: Option<Vec<u8>>,
    pub(crate) replace: Option<Vec<u8>>,
    pub(crate) max_lines: Option<usize>,
    pub(crate) max_args: Option<usize>,
    pub(crate) max_chars: usize,
    /// 0 means no limit.
    pub(crate) max_procs: usize,
    pub(crate) no_run_if_empty: bool,
    pub(crate) verbose: bool,
    pub(crate) ask: bool,
    pub(crate) exit_if_long: bool,
    pub(crate) tty: bool,
    pub(crate) slot_var: Option<Vec<u8>>,
    pub(crate) show_limits: bool,
}

pub(crate) enum Parsed {
    Run(Box<Options>),
    Text(&'static str),
}

const SPEC: Spec = Spec {
    name: "xargs",
    options: &[listed(HELP)],
    ties: &[
        "null",
        "arg-file",
        "delimiter",
        "eof",
        "replace",
        "max-lines",
        "max-args",
        "open-tty",
        "interactive",
        "no-run-if-empty",
        "max-chars",
        "verbose",
        "show-limits",
        "exit",
        "max-procs",
        "process-slot-var",
        "version",
        "help",
    ],
    order: Order::First,
    ..Spec::DEFAULT
};

/// The size of the environment as the kernel counts it.
pub(crate) fn environment_size() -> usize {
    process::environment().iter().map(|v| v.len() + 1).sum()
}

fn usage() -> i32 {
    let _ = sys::write_all(2, b"Try 'xargs --help' for more information.\n");
    1
}

/// Parses the command line. On errors the message is printed, and the error is the exit status.
pub(crate) fn parse(argv: &[Vec<u8>]) -> Result<Parsed, i32> {
    let parsed = SPEC.parse_all(argv)?;
    let most = (ARG_MAX - 2048).saturating_sub(environment_size()).max(4096);
    let mut o = Options {
        command: parsed.operands,
        file: None,
        delimiter: None,
        eof: None,
        replace: None,
        max_lines: None,
        max_args: None,
        max_chars: DEFAULT_MAX.min(most),
        max_procs: 1,
        no_run_if_empty: false,
        verbose: false,
        ask: false,
        exit_if_long: false,
        tty: false,
        slot_var: None,
        show_limits: false,
    };
    for g in &parsed.options {
        if let Some(text) = option(&mut o, g, most)? {
            return Ok(Parsed::Text(text));
        }
    }
    if o.eof.is_some() && o.delimiter.is_some() {
        message("xargs", b"warning: the -E option has no effect if -0 or -d is used.\n");
    }
    if o.command.is_empty() {
        o.command.push(b"echo".to_vec());
    }
    Ok(Parsed::Run(Box::new(o)))
}

fn option(o: &mut Options, g: &Given, most: usize) -> Result<Option<&'static str>, i32> {
    let text = g.text();
    match g.id {
        "0" => o.delimiter = Some(0),
        "a" => o.file = Some(text.to_vec()),
        "d" => o.delimiter = Some(delimiter(text)?),
        "E" => o.eof = g.value.clone().filter(|t| !t.is_empty()),
        "I" => {
            exclusive(o.max_args.take().is_some(), "--max-args", "--replace/-I/-i");
            exclusive(o.max_lines.take().is_some(), "--max-lines", "--replace/-I/-i");
            o.replace = Some(g.value.clone().unwrap_or_else(|| b"{}".to_vec()));
        }
        "L" | "l" => {
            let (name, letter) = if g.id == "L" { ("-L", 'L') } else { ("--max-lines/-l", 'l') };
            let n = if g.value.is_some() { number(text, letter, 1)? } else { 1 };
            exclusive(o.max_args.take().is_some(), "--max-args", name);
            exclusive(o.replace.take().is_some(), "--replace", name);
            o.max_lines = Some(n);
        }
        "n" => {
            let n = number(text, 'n', 1)?;
            exclusive(o.max_lines.take().is_some(), "--max-lines", "--max-args/-n");
            if o.replace.is_some() && n == 1 {
                return Ok(None);
            }
            exclusive(o.replace.take().is_some(), "--replace", "--max-args/-n");
            o.max_args = Some(n);
        }
        "o" => o.tty = true,
        "p" => {
            o.ask = true;
            o.verbose = true;
        }
        "r" => o.no_run_if_empty = true,
        "s" => {
            o.max_chars = max_chars(text, most)?;
        }
        "t" => o.verbose = true,
        "x" => o.exit_if_long = true,
        "P" => o.max_procs = number(text, 'P', 0)?,
        "show-limits" => o.show_limits = true,
        "process-slot-var" => {
            if text.contains(&b'=') {
                message("xargs", b"option --process-slot-var may not be set to a value which includes '='");
                return Err(1);
            }
            o.slot_var = Some(text.to_vec());
        }
        "version" => return Ok(Some(VERSION)),
        "help" => return Ok(Some(HELP)),
        _ => {
            message("xargs", text);
            return Err(usage());
        }
    }
    Ok(None)
}

fn exclusive(both: bool, previous: &str, option: &str) {
    if both {
        message(
            "xargs",
            format!(
                "warning: options {previous} and {option} are mutually exclusive, ignoring previous {previous} value"
            )
            .as_bytes(),
        );
    }
}

// A value out of range is reported and adjusted.
fn max_chars(text: &[u8], most: usize) -> Result<usize, i32> {
    let shown = String::from_utf8_lossy(text).into_owned();
    let out_of_range = |limit: usize, relation: &str| {
        message("xargs", format!("value {shown} for -s option should be {relation} {limit}").as_bytes());
        limit
    };
    Ok(match shown.trim_start().parse::<i64>() {
        Ok(v) if v < 1 => out_of_range(1, ">="),
        Ok(v) => {
            let v = usize::try_from(v).unwrap_or(usize::MAX);
            if v > most { out_of_range(most, "<=") } else { v }
        }
        Err(_) => number(text, 's', 1)?,
    })
}

fn number(text: &[u8], option: char, min: i64) -> Result<usize, i32> {
    let shown = String::from_utf8_lossy(text).into_owned();
    let value: i64 = match shown.trim_start().parse() {
        Ok(v) => v,
        Err(_) => {
            message("xargs", format!("invalid number \"{shown}\" for -{option} option").as_bytes());
            return Err(usage());
        }
    };
    if value < min {
        message("xargs", format!("value {shown} for -{option} option should be >= {min}").as_bytes());
        return Err(usage());
    }
    Ok(usize::try_from(value).unwrap_or(usize::MAX))
}

fn delimiter(text: &[u8]) -> Result<u8, i32> {
    match text {
        [c] => Ok(*c),
        [b'\\', rest @ ..] if !rest.is_empty() => escape(rest).ok_or_else(|| {
            let too_large = match rest {
                [b'x', hex @ ..] if hex.iter().all(u8::is_ascii_hexdigit) => {
                    "; character values must not exceed ff"
                }
                [b'0'..=b'7', ..] if rest.iter().all(|b| (b'0'..=b'7').contains(b)) => {
                    "; character values must not exceed 377"
                }
                _ => "",
            };
            let rest = match rest {
                [b'x', rest @ ..] => after_digits(rest, u8::is_ascii_hexdigit),
                [b'0'..=b'9', ..] => after_digits(rest, |b| (b'0'..=b'7').contains(b)),
                _ => b"",
            };
            let trailing = match rest {
                b"" => Vec::new(),
                rest => bytes!("; trailing characters ", rest, " not recognised"),
            };
            let text = bytes!(
                "Invalid escape sequence ",
                text,
                " in input delimiter specification",
                too_large,
                trailing,
                "."
            );
            message("xargs", &text);
            1
        }),
        _ => {
            let text = bytes!(
                "Invalid input delimiter specification ",
                text,
                ": the delimiter must be either a single character or an escape sequence starting with \\."
            );
            message("xargs", &text);
            Err(1)
        }
    }
}

// The text after the leading digits.
fn after_digits(text: &[u8], is_digit: impl Fn(&u8) -> bool) -> &[u8] {
    let digits = text.iter().take_while(|b| is_digit(b)).count();
    text.get(digits..).unwrap_or_default()
}

fn escape(text: &[u8]) -> Option<u8> {
    let number = |digits: &[u8], radix| {
        std::str::from_utf8(digits).ok().and_then(|d| u8::from_str_radix(d, radix).ok())
    };
    match text {
        [c @ (b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v')] => Some(characters::escape(*c)),
        b"\\" => Some(b'\\'),
        b"x" => Some(0),
        [b'x', hex @ ..] => number(hex, 16),
        [b'0'..=b'7', ..] => number(text, 8),
        _ => None,
    }
}

const VERSION: &str =
    "xargs (GNU findutils) 4.9.0\nThis is sandshell's own xargs, which behaves as that version does.\n";

const HELP: &str = "\
Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
Reads words and calls COMMAND, which is echo if it is missing, with as many at a time as fit.

What is read:
  -a, --arg-file=FILE          FILE, and COMMAND keeps standard input
  -0, --null                   words with zero bytes behind them
  -d, --delimiter=CHARACTER    words with CHARACTER behind them, which may be an escape such as \\n
  -E END, -e[END], --eof[=END]  all before the word END

How COMMAND is called:
  -n, --max-args=N             with N words
  -L N                         with the words of N lines
  -l[N], --max-lines[=N]       the same; N is 1 if it is not given
  -s, --max-chars=N            with no more than N bytes in all
  -x, --exit                   or not at all if they do not fit
  -I R, -i[R], --replace[=R]   once for each line, which stands in for R, else {}, in its arguments
  -P, --max-procs=N            N at the same time, 0 for all
      --process-slot-var=VAR   with VAR telling these apart
  -r, --no-run-if-empty        not without words
  -o, --open-tty               with the terminal as its input
  -p, --interactive            if the user says yes
  -t, --verbose                after showing the call

      --show-limits            say how long calls may be
      --help                   this text
      --version                the version

Example: find . -name '*.o' -print0 | xargs -0 rm
";
