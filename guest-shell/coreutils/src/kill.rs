//! The program `kill`, with the behaviour of procps-ng as on Debian.

use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_sys::{self as sys, signal};
use std::ffi::OsString;

const USAGE: &str = "
Usage:
 kill [options] <pid> [...]

Sends a signal to processes: TERM if no other is named.

Options:
 -<signal>, -s, --signal <signal>  this signal, by name or number
 -q, --queue <value>               a number that goes with the signal
 -l, --list=[<signal>]             all signals by name; of one the number for a name, and the reverse
 -L, --table                       names and numbers of all signals
 -h, --help                        this text
 -V, --version                     the version
";

/// Runs `kill` and returns its exit status.
pub fn kill_main(args: Vec<OsString>) -> i32 {
    let mut args: Vec<Vec<u8>> = args.into_iter().map(OsString::into_encoded_bytes).collect();
    let name = if args.is_empty() { b"kill".to_vec() } else { args.remove(0) };
    run(&name, &args).unwrap_or_else(|code| code)
}

fn run(name: &[u8], args: &[Vec<u8>]) -> Result<i32, i32> {
    let mut sent = signal::SIGTERM;
    let mut targets: Vec<&[u8]> = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = arg.as_slice();
        match text {
            b"--" => {
                targets.extend(rest.by_ref().map(Vec::as_slice));
            }
            b"-h" | b"--help" => {
                out::put(USAGE);
                return Ok(out::finish("kill", 0, 1));
            }
            b"-V" | b"--version" => {
                out::put("kill from procps-ng 4.0.2\n");
                return Ok(out::finish("kill", 0, 1));
            }
            b"-l" | b"--list" => return list(name, rest.next().map(Vec::as_slice)),
            b"-L" | b"--table" => return Ok(table()),
            b"-s" | b"--signal" => match rest.next() {
                Some(which) => sent = number(which),
                None => {
                    tell(name, b"invalid argument s");
                    return Err(usage());
                }
            },
            b"-q" | b"--queue" => {
                rest.next();
            }
            _ => {
                if let Some(which) = text.strip_prefix(b"--signal=").or(text.strip_prefix(b"-s")) {
                    sent = number(which);
                } else if let Some(which) = text.strip_prefix(b"--list=").or(text.strip_prefix(b"-l")) {
                    return list(name, Some(which));
                } else if text.len() > 1 && text.starts_with(b"-") {
                    let first = targets.is_empty();
                    match signal_of(&text[1..]) {
                        Some(n) => sent = n,
                        None if !first || text[1..].iter().all(u8::is_ascii_digit) => targets.push(text),
                        None => {
                            let letter = &text[1..2];
                            tell(name, &bytes!("invalid argument ", letter));
                            return Err(usage());
                        }
                    }
                } else {
                    targets.push(text);
                }
            }
        }
    }
    if targets.is_empty() {
        return Err(usage());
    }
    let mut code = 0;
    for target in targets {
        let pid: Option<sys::Pid> = std::str::from_utf8(target).ok().and_then(|t| t.parse().ok());
        let Some(pid) = pid else {
            tell(name, &bytes!("failed to parse argument: '", target, "'"));
            return Err(1);
        };
        if let Err(e) = sys::kill(pid, sent) {
            tell(name, &bytes!("(", target, "): ", e));
            code = 1;
        }
    }
    Ok(code)
}

fn tell(name: &[u8], text: &[u8]) {
    out::flush();
    let _ = sys::write_all(2, &bytes!(name, ": ", text, "\n"));
}

fn usage() -> i32 {
    out::flush();
    let _ = sys::write_all(2, USAGE.as_bytes());
    1
}

/// The signal for a name (with or without `SIG`) or a number.
fn signal_of(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(n) = text.parse::<u8>() {
        return (n <= 64).then_some(n);
    }
    let upper = text.to_ascii_uppercase();
    match upper.strip_prefix("SIG").unwrap_or(&upper) {
        "EXIT" => Some(0),
        other => signal::number(other),
    }
}

/// The signal for a number or name. For an invalid one it is a number that the kernel refuses.
fn number(text: &[u8]) -> u8 {
    signal_of(text).unwrap_or(u8::MAX)
}

/// The name of a signal in procps and GNU.
pub(super) fn name_of(n: u8) -> Option<&'static str> {
    if n == 29 { Some("POLL") } else { signal::name(n) }
}

fn list(name: &[u8], which: Option<&[u8]>) -> Result<i32, i32> {
    let Some(which) = which else {
        // The list has lines of at most 80 columns.
        let mut column = 0;
        for (i, (n, _)) in signal::SIGNALS.iter().enumerate() {
            let text = name_of(*n).unwrap_or_default();
            if i > 0 {
                let wraps = column + text.len() + 1 > 77;
                out::put(if wraps { "\n" } else { " " });
                column = if wraps { 0 } else { column + 1 };
            }
            out::put(text);
            column += text.len();
        }
        out::put("\n");
        return Ok(out::finish("kill", 0, 1));
    };
    let digits = !which.is_empty() && which.iter().all(u8::is_ascii_digit);
    let n = signal_of(which).filter(|n| (1..=31).contains(n));
    match n {
        Some(n) if digits => out::put(bytes!(name_of(n).unwrap_or("0"), "\n")),
        Some(n) => out::put(bytes!(n, "\n")),
        None => {
            tell(name, &bytes!("unknown signal name ", which));
        }
    }
    Ok(out::finish("kill", 0, 1))
}

fn table() -> i32 {
    for (i, (n, _)) in signal::SIGNALS.iter().enumerate() {
        let text = name_of(*n).unwrap_or_default();
        let last = i % 7 == 6 || i + 1 == signal::SIGNALS.len();
        let end = if last && i % 7 == 6 {
            format!("{text}\n")
        } else if last {
            format!("{text:<7} \n")
        } else {
            format!("{text:<7} ")
        };
        out::put(format!("{n:2} {end}"));
    }
    out::finish("kill", 0, 1)
}
