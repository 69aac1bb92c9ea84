//! `flock` of util-linux: runs a command while a lock on a file is held.
//!
//! The lock belongs to the open file: a command that is run inherits its descriptor, and holds it as long as it keeps that.

use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, open_flags};
use std::time::Duration;

const BAD_USE: i32 = 64;
const DATA_ERROR: i32 = 65;
const NO_INPUT: i32 = 66;
const UNAVAILABLE: i32 = 69;

/// Runs `flock` on its arguments (its own name first); the exit status: the command's, or 1 if the lock was not to be had.
pub fn flock_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("flock", code, UNAVAILABLE)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let long = [
        ("shared", 's'),
        ("exclusive", 'x'),
        ("unlock", 'u'),
        ("nonblocking", 'n'),
        ("nb", 'n'),
        ("timeout=", 'w'),
        ("wait=", 'w'),
        ("conflict-exit-code=", 'E'),
        ("close", 'o'),
        ("no-fork", 'F'),
        ("verbose", 'v'),
        ("help", 'h'),
        ("version", 'V'),
    ]
    .map(|(name, letter)| (name, letter as u32));
    let parsed = options::in_order(args.get(1..).unwrap_or_default(), "sexnouFw:E:vhV", &long);
    let try_help = || {
        say::raw([b"Try '", say::short_name(args), b" --help' for more information.\n"].concat());
        BAD_USE
    };
    let (mut shared, mut unlock, mut close, mut limit, mut conflict) = (false, false, false, None, 1);
    for item in parsed.items {
        let (id, value) = match item {
            Item::Option(id, value) => (id, value.unwrap_or_default()),
            Item::Wrong(text) => {
                say::raw([say::full_name(args), b": ", &text, b"\n"].concat());
                return Err(try_help());
            }
            Item::Operand(_) => continue,
        };
        let text = String::from_utf8_lossy(&value).into_owned();
        match char::from_u32(id).unwrap_or_default() {
            's' => shared = true,
            'x' | 'e' => shared = false,
            'u' => unlock = true,
            'o' => close = true,
            'n' => limit = Some(Duration::ZERO),
            'w' => {
                let time = text.parse().ok().and_then(|t| Duration::try_from_secs_f64(t).ok());
                limit = Some(time.ok_or_else(|| {
                    say::error(args, format!("invalid timeout value: '{text}'"));
                    BAD_USE
                })?);
            }
            'E' => {
                conflict = text.parse::<u8>().map(i32::from).map_err(|_| {
                    say::error(args, format!("invalid exit code: '{text}'"));
                    BAD_USE
                })?;
            }
            'h' => {
                out::put(HELP);
                return Ok(0);
            }
            'V' => {
                out::put("flock from util-linux 2.38.1\n");
                return Ok(0);
            }
            _ => {}
        }
    }
    let Some((target, command)) = parsed.operands.split_first() else {
        say::error(args, "not enough arguments");
        return Err(try_help());
    };
    let mut command = command.to_vec();
    if matches!(command.first().map(Vec::as_slice), Some(b"-c" | b"--command")) {
        if command.len() != 2 {
            say::error(args, [b"-c requires exactly one command argument".as_slice()].concat());
            return Err(BAD_USE);
        }
        let shell = std::env::var_os("SHELL").map_or_else(|| b"/bin/sh".to_vec(), |s| s.into_encoded_bytes());
        command = vec![shell, b"-c".to_vec(), command.pop().unwrap_or_default()];
    }
    // A descriptor is that of who called this; a file is opened here.
    let fd = if command.is_empty() {
        let number = std::str::from_utf8(target).ok().and_then(|t| t.parse::<i32>().ok());
        number.ok_or_else(|| {
            say::error(args, [b"bad file descriptor: '", target.as_slice(), b"'"].concat());
            BAD_USE
        })?
    } else {
        let how = open_flags::READ | if close { open_flags::CLOEXEC } else { 0 };
        let opened =
            sys::open(target, how | open_flags::CREATE, 0o666).or_else(|_| sys::open(target, how, 0));
        opened.map_err(|e| {
            let text =
                [b"cannot open lock file ", target.as_slice(), b": ", e.to_string().as_bytes()].concat();
            say::error(args, text);
            if e == Errno::NOENT || e == Errno::ACCES || e == Errno::NOTDIR { NO_INPUT } else { DATA_ERROR }
        })?
    };
    let failed = |e: Errno| {
        say::error(args, format!("{}: {e}", String::from_utf8_lossy(target)));
        DATA_ERROR
    };
    if unlock {
        return sys::flock(fd, sys::Flock::Unlock, false).map(|()| 0).map_err(failed);
    }
    let kind = if shared { sys::Flock::Shared } else { sys::Flock::Exclusive };
    let begin = sys::monotonic();
    loop {
        match sys::flock(fd, kind, limit.is_none()) {
            Ok(()) => break,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let waited = Duration::from_nanos(sys::monotonic().saturating_sub(begin));
                if limit.is_some_and(|l| waited >= l) {
                    return Ok(conflict);
                }
                let _ = sys::sleep(Duration::from_millis(20));
            }
            Err(e) => return Err(failed(e)),
        }
    }
    if command.is_empty() {
        return Ok(0);
    }
    out::flush();
    let child = process::start(&command);
    let code = match child {
        Ok(pid) => super::wait(pid).map_or(1, |(status, _)| status.code()),
        Err(e) => {
            super::failed(args, &command, e);
            UNAVAILABLE
        }
    };
    Ok(code)
}

const HELP: &str = "
Usage:
 flock [options] <file>|<directory> <command> [<argument>...]
 flock [options] <file>|<directory> -c <command>
 flock [options] <file descriptor number>

Runs a command while it holds a lock that only one can hold, or takes the lock for the script that calls it.

 -x, -e, --exclusive           such a lock, as usual
 -s, --shared                  a lock that others with -s can hold too
 -u, --unlock                  give it back
 -n, --nonblocking, --nb       fail if it is taken
 -w, --wait, --timeout <secs>  fail if it is taken for so long
 -E, --conflict-exit-code <n>  fail with this status (1)
 -o, --close                   the command does not inherit the lock, which lasts as long as it runs
 -c, --command <command>       the command is for the shell
 -h, --help                    this text
 -V, --version                 the version

Accepted without effect: -F, --no-fork, -v, --verbose.

Example:
 flock -n /tmp/job.lock ./job || echo it runs already
";
