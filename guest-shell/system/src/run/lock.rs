//! `flock` of util-linux: runs a command while a lock on a file is held.
//!
//! The lock belongs to the open file: a command that is run inherits its descriptor, and holds it as long as it keeps
//! that.

use crate::base::options::{self, Order, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, open_flags};
use std::time::Duration;

const BAD_USE: i32 = 64;
const DATA_ERROR: i32 = 65;
const NO_INPUT: i32 = 66;
const UNAVAILABLE: i32 = 69;

const SPEC: Spec = Spec {
    name: "flock",
    options: &[listed(HELP), hidden("F", "-F, --no-fork"), hidden("v", "-v, --verbose")],
    order: Order::First,
    failure: BAD_USE,
    ..options::UTIL_LINUX
};

/// Runs `flock` on its arguments (its own name first); the exit status: the command's, or 1 if the lock was not to be
/// had.
pub fn flock_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("flock", code, UNAVAILABLE)
}

struct Request {
    shared: bool,
    unlock: bool,
    close: bool,
    /// How long to wait at most.
    limit: Option<Duration>,
    /// The exit status if the lock is taken.
    conflict: i32,
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut request = Request { shared: false, unlock: false, close: false, limit: None, conflict: 1 };
    for g in &parsed.options {
        let text = String::from_utf8_lossy(g.text());
        let bad = |what: &str| {
            say::error(args, format!("invalid {what}: '{text}'"));
            BAD_USE
        };
        match g.id {
            "s" => request.shared = true,
            "x" => request.shared = false,
            "u" => request.unlock = true,
            "o" => request.close = true,
            "n" => request.limit = Some(Duration::ZERO),
            "w" => {
                let time = text.parse().ok().and_then(|t| Duration::try_from_secs_f64(t).ok());
                request.limit = Some(time.ok_or_else(|| bad("timeout value"))?);
            }
            "E" => request.conflict = text.parse::<u8>().map_err(|_| bad("exit code"))?.into(),
            "?" | "h" | "V" => return Err(options::usual(&SPEC, args, g)),
            _ => {}
        }
    }
    let Some((target, command)) = parsed.operands.split_first() else {
        say::error(args, "not enough arguments");
        return Err(options::try_help(&SPEC, args));
    };
    let command = command_line(args, command)?;
    let fd = descriptor(args, target, command.is_empty(), request.close)?;
    if !lock(fd, &request).map_err(|e| {
        say::error(args, format!("{}: {e}", String::from_utf8_lossy(target)));
        DATA_ERROR
    })? {
        return Ok(request.conflict);
    }
    if command.is_empty() || request.unlock {
        return Ok(0);
    }
    out::flush();
    Ok(match process::start(&command) {
        Ok(pid) => super::wait(pid).map_or(1, |(status, _)| status.code()),
        Err(e) => {
            super::failed(args, &command, e);
            UNAVAILABLE
        }
    })
}

/// The words of the command; `-c` gives it to a shell.
fn command_line(args: &[Vec<u8>], command: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, i32> {
    match command {
        [option, text] if option == b"-c" || option == b"--command" => {
            let shell =
                std::env::var_os("SHELL").map_or_else(|| b"/bin/sh".to_vec(), |s| s.into_encoded_bytes());
            Ok(vec![shell, b"-c".to_vec(), text.clone()])
        }
        [option, ..] if option == b"-c" || option == b"--command" => {
            say::error(args, "-c requires exactly one command argument");
            Err(BAD_USE)
        }
        _ => Ok(command.to_vec()),
    }
}

/// The descriptor of the lock: that of who called this, or that of a file which is opened here.
fn descriptor(args: &[Vec<u8>], target: &[u8], inherited: bool, close: bool) -> Result<sys::Fd, i32> {
    if inherited {
        let number = std::str::from_utf8(target).ok().and_then(|t| t.parse::<i32>().ok());
        return number.ok_or_else(|| {
            say::error(args, [b"bad file descriptor: '", target, b"'"].concat());
            BAD_USE
        });
    }
    let how = open_flags::READ | if close { open_flags::CLOEXEC } else { 0 };
    let opened = sys::open(target, how | open_flags::CREATE, 0o666).or_else(|_| sys::open(target, how, 0));
    opened.map_err(|e| {
        say::error(args, [b"cannot open lock file ", target, b": ", e.to_string().as_bytes()].concat());
        if e == Errno::NOENT || e == Errno::ACCES || e == Errno::NOTDIR { NO_INPUT } else { DATA_ERROR }
    })
}

/// Takes the lock, or gives it back. Returns false if it is taken for too long.
fn lock(fd: sys::Fd, request: &Request) -> sys::Result<bool> {
    if request.unlock {
        return sys::flock(fd, sys::Flock::Unlock, false).map(|()| true);
    }
    let kind = if request.shared { sys::Flock::Shared } else { sys::Flock::Exclusive };
    let begin = sys::monotonic();
    loop {
        match sys::flock(fd, kind, request.limit.is_none()) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let waited = Duration::from_nanos(sys::monotonic().saturating_sub(begin));
                if request.limit.is_some_and(|l| waited >= l) {
                    return Ok(false);
                }
                let _ = sys::sleep(Duration::from_millis(20));
            }
            Err(e) => return Err(e),
        }
    }
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
 -h, --help                    this text
 -V, --version                 the version

With -c or --command after the file, a shell runs the command. Accepted without effect: -F, --no-fork, -v, --verbose.

Example:
 flock -n /tmp/job.lock ./job || echo it runs already
";
