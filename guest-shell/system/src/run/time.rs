//! GNU `time` 1.9: runs a command and reports how long it took. Values that the sandbox does not measure are 0.

use crate::base::options::{Order, Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, WaitStatus, open_flags};

const TROUBLE: i32 = 125;
const DEFAULT: &str = "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
const POSIX: &str = "real %e\nuser %U\nsys %S";
const VERBOSE: &str = "\tCommand being timed: \"%C\"\n\tUser time (seconds): %U\n\tSystem time (seconds): %S\n\tPercent of CPU this job got: %P\n\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n\tAverage shared text size (kbytes): %X\n\tAverage unshared data size (kbytes): %D\n\tAverage stack size (kbytes): %p\n\tAverage total size (kbytes): %K\n\tMaximum resident set size (kbytes): %M\n\tAverage resident set size (kbytes): %t\n\tMajor (requiring I/O) page faults: %F\n\tMinor (reclaiming a frame) page faults: %R\n\tVoluntary context switches: %w\n\tInvoluntary context switches: %c\n\tSwaps: %W\n\tFile system inputs: %I\n\tFile system outputs: %O\n\tSocket messages sent: %s\n\tSocket messages received: %r\n\tSignals delivered: %k\n\tPage size (bytes): %Z\n\tExit status: %x";

struct Measured {
    /// In nanoseconds.
    elapsed: u64,
    user: u64,
    system: u64,
    code: i32,
}

const SPEC: Spec =
    Spec { name: "time", options: &[listed(HELP)], order: Order::First, failure: TROUBLE, ..Spec::DEFAULT };

/// Runs `time` on its arguments (its own name first). The exit status is the command's.
pub fn time_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::flush();
    code
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let name = say::full_name(args);
    let bad_use = |text: &[u8]| {
        say::raw([name, b": ", text, b"\nTry '", name, b" --help' for more information.\n"].concat());
        TROUBLE
    };
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut format =
        std::env::var_os("TIME").map_or_else(|| DEFAULT.as_bytes().to_vec(), |t| t.into_encoded_bytes());
    let (mut appends, mut output, mut quiet) = (false, None, false);
    for g in &parsed.options {
        match g.id {
            "a" => appends = true,
            "f" => format = g.text().to_vec(),
            "o" => output = g.value.clone(),
            "p" => format = POSIX.as_bytes().to_vec(),
            "q" => quiet = true,
            "v" => format = VERBOSE.as_bytes().to_vec(),
            "V" => {
                out::put(
                    "time (GNU Time) 1.9\nThis is sandshell's own program with the behaviour of that version.\n",
                );
                return Ok(0);
            }
            "help" => {
                let help = SPEC.help();
                out::put([b"Usage: ", name, b" [OPTIONS] COMMAND [ARG]...\n", help.as_bytes()].concat());
                return Ok(0);
            }
            _ => return Err(bad_use(g.text())),
        }
    }
    if parsed.operands.is_empty() {
        return Err(bad_use(b"missing program to run"));
    }
    let mut fd = 2;
    if let Some(path) = &output {
        let mode = open_flags::WRITE
            | open_flags::CREATE
            | open_flags::CLOEXEC
            | if appends { open_flags::APPEND } else { open_flags::TRUNC };
        fd = sys::open(path, mode, 0o666).map_err(|e| {
            say::raw([name, b": cannot open '", path, b"': ", e.to_string().as_bytes(), b"\n"].concat());
            TROUBLE
        })?;
    }
    let begin = sys::monotonic();
    let command = &parsed.operands;
    let spawned = process::start(command);
    let (status, user, system) = match spawned {
        Ok(child) => match super::wait(child) {
            Some((status, waited)) => (status, waited.utime, waited.stime),
            None => return Err(TROUBLE),
        },
        Err(e) => {
            let program = command.first().map(Vec::as_slice).unwrap_or_default();
            say::raw([name, b": cannot run ", program, b": ", e.to_string().as_bytes(), b"\n"].concat());
            (WaitStatus::Exited(u8::try_from(process::failure_status(e)).unwrap_or(127)), 0, 0)
        }
    };
    let mut text = Vec::new();
    let code = status.code();
    if !quiet {
        match status {
            WaitStatus::Signaled(n) => {
                text.extend_from_slice(format!("Command terminated by signal {n}\n").as_bytes())
            }
            WaitStatus::Exited(n @ 1..) => {
                text.extend_from_slice(format!("Command exited with non-zero status {n}\n").as_bytes());
            }
            _ => {}
        }
    }
    let exited = if let WaitStatus::Exited(n) = status { i32::from(n) } else { 0 };
    let measured = Measured { elapsed: sys::monotonic().saturating_sub(begin), user, system, code: exited };
    fill(&mut text, &format, command, &measured);
    text.push(b'\n');
    let _ = sys::write_all(fd, &text);
    Ok(code)
}

/// Appends the format, filled in with the measured values.
fn fill(text: &mut Vec<u8>, format: &[u8], command: &[Vec<u8>], m: &Measured) {
    const HUNDREDTH: u64 = 10_000_000;
    let seconds = |nanos: u64| format!("{}.{:02}", nanos / (100 * HUNDREDTH), nanos / HUNDREDTH % 100);
    let mut bytes = format.iter();
    while let Some(b) = bytes.next() {
        match b {
            b'%' => {
                let filled = match bytes.next() {
                    Some(b'%') => "%".to_owned(),
                    Some(b'C') => {
                        text.extend_from_slice(&command.join(&b' '));
                        continue;
                    }
                    Some(b'e') => seconds(m.elapsed),
                    Some(b'E') => {
                        let (whole, part) = (m.elapsed / (100 * HUNDREDTH), m.elapsed / HUNDREDTH % 100);
                        if whole >= 3600 {
                            format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                        } else {
                            format!("{}:{:02}.{part:02}", whole / 60, whole % 60)
                        }
                    }
                    Some(b'U') => seconds(m.user),
                    Some(b'S') => seconds(m.system),
                    Some(b'P') => match ((m.user + m.system) * 100).checked_div(m.elapsed) {
                        Some(percent) => format!("{percent}%"),
                        None => "?%".to_owned(),
                    },
                    Some(b'x') => m.code.to_string(),
                    Some(b'Z') => "65536".to_owned(),
                    Some(
                        b'D' | b'F' | b'I' | b'K' | b'M' | b'O' | b'R' | b'W' | b'X' | b'c' | b'k' | b'p'
                        | b'r' | b's' | b't' | b'w',
                    ) => "0".to_owned(),
                    Some(other) => {
                        text.extend_from_slice(&[b'?', *other]);
                        continue;
                    }
                    None => "?".to_owned(),
                };
                text.extend_from_slice(filled.as_bytes());
            }
            b'\\' => match bytes.next() {
                Some(b't') => text.push(b'\t'),
                Some(b'n') => text.push(b'\n'),
                Some(b'\\') => text.push(b'\\'),
                Some(other) => text.extend_from_slice(&[b'?', b'\\', *other]),
                None => text.extend_from_slice(b"?\\"),
            },
            _ => text.push(*b),
        }
    }
}

const HELP: &str = "\
Runs COMMAND, and tells how long it took. What a sandbox does not measure is 0.

  -p, --portability    three lines, as POSIX has them
  -v, --verbose        all there is, one on a line
  -f, --format=FORMAT  as FORMAT says: %e, %U and %S are seconds of time, of work, of the system's work; also TIME
  -o, --output=FILE    into FILE
  -a, --append         at its end
  -q, --quiet          nothing about COMMAND's status
      --help           this text
  -V, --version        the version
";
