//! `flock` of util-linux: runs a command while it holds a lock on a file.
//!
//! The sandbox's kernel has no locks. Instead, the holders are written to a file in `/tmp/.flock`, each as a process
//! and one of its descriptors. A holder only counts while that descriptor is open on the locked file.

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

/// Runs `flock` on its arguments (its own name first) and returns the exit status: the command's, or 1 if the lock
/// could not be acquired.
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
    let (mut shared, mut unlock, mut limit, mut conflict) = (false, false, None, 1);
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
    // A descriptor belongs to the calling process. A file is opened by this one.
    let (holder, fd) = if command.is_empty() {
        let number = std::str::from_utf8(target).ok().and_then(|t| t.parse::<i32>().ok());
        let Some(fd) = number else {
            say::error(args, [b"bad file descriptor: '", target.as_slice(), b"'"].concat());
            return Err(BAD_USE);
        };
        (sys::getppid(), fd)
    } else {
        let opened = sys::open(target, open_flags::READ | open_flags::CREATE | open_flags::CLOEXEC, 0o666)
            .or_else(|_| sys::open(target, open_flags::READ | open_flags::CLOEXEC, 0));
        let fd = opened.map_err(|e| {
            let text =
                [b"cannot open lock file ", target.as_slice(), b": ", e.to_string().as_bytes()].concat();
            say::error(args, text);
            if e == Errno::NOENT || e == Errno::ACCES || e == Errno::NOTDIR { NO_INPUT } else { DATA_ERROR }
        })?;
        (sys::getpid(), fd)
    };
    let status = sys::fstat(fd).map_err(|e| {
        say::error(args, format!("{}: {e}", String::from_utf8_lossy(target)));
        DATA_ERROR
    })?;
    let lock = Lock { dev: status.dev, ino: status.ino, holder: format!("{holder} {fd}") };
    if unlock {
        lock.change(|holders| {
            holders.retain(|h| h.1 != lock.holder);
            true
        });
        return Ok(0);
    }
    let begin = sys::monotonic();
    loop {
        let got = lock.change(|holders| {
            let free = holders.iter().all(|h| h.1 == lock.holder || shared && h.0);
            if free {
                holders.retain(|h| h.1 != lock.holder);
                holders.push((shared, lock.holder.clone()));
            }
            free
        });
        if got {
            break;
        }
        let waited = Duration::from_nanos(sys::monotonic().saturating_sub(begin));
        if limit.is_some_and(|l| waited >= l) {
            return Ok(conflict);
        }
        let _ = sys::sleep(Duration::from_millis(20));
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
    lock.change(|holders| {
        holders.retain(|h| h.1 != lock.holder);
        true
    });
    Ok(code)
}

/// A lock on a file.
struct Lock {
    dev: u64,
    ino: u64,
    /// The process and its descriptor.
    holder: String,
}

/// Whether the lock is shared, and its holder.
type Holder = (bool, String);

const DIRECTORY: &[u8] = b"/tmp/.flock";

impl Lock {
    /// Calls `change` with the live holders, while no other process can change them. Returns its answer.
    fn change(&self, change: impl Fn(&mut Vec<Holder>) -> bool) -> bool {
        let _ = sys::mkdir(DIRECTORY, 0o777);
        let list = format!("/tmp/.flock/{}-{}", self.dev, self.ino).into_bytes();
        let busy = [list.as_slice(), b".busy"].concat();
        let exclusive = open_flags::WRITE | open_flags::CREATE | open_flags::EXCL;
        let mut tries = 0;
        loop {
            match sys::open(&busy, exclusive, 0o666) {
                Ok(fd) => {
                    let _ = sys::close(fd);
                    break;
                }
                // The directory was removed together with another lock.
                Err(Errno::NOENT) if tries < 500 => {
                    tries += 1;
                    let _ = sys::mkdir(DIRECTORY, 0o777);
                }
                // If the file has existed this long, the process that created it was killed.
                Err(Errno::EXIST) if tries < 500 => {
                    tries += 1;
                    let _ = sys::sleep(Duration::from_millis(2));
                }
                Err(Errno::EXIST) => break,
                Err(_) => return false,
            }
        }
        let mut holders: Vec<Holder> = Vec::new();
        if let Ok(fd) = sys::open(&list, open_flags::READ, 0) {
            let text = sys::read_to_end(fd).unwrap_or_default();
            let _ = sys::close(fd);
            for line in String::from_utf8_lossy(&text).lines() {
                if let Some((mode, holder)) = line.split_once(' ')
                    && self.lives(holder)
                {
                    holders.push((mode == "s", holder.to_owned()));
                }
            }
        }
        let answer = change(&mut holders);
        if holders.is_empty() {
            let _ = sys::unlink(&list);
        } else if let Ok(fd) =
            sys::open(&list, open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC, 0o666)
        {
            let lines: String =
                holders.iter().map(|(s, h)| format!("{} {h}\n", if *s { "s" } else { "x" })).collect();
            let _ = sys::write_all(fd, lines.as_bytes());
            let _ = sys::close(fd);
        }
        let _ = sys::unlink(&busy);
        // This only succeeds after the last lock is gone.
        let _ = sys::rmdir(DIRECTORY);
        answer
    }

    fn lives(&self, holder: &str) -> bool {
        let Some((pid, fd)) = holder.split_once(' ') else { return false };
        let path = format!("/proc/{pid}/fd/{fd}").into_bytes();
        sys::stat(&path, true).is_ok_and(|s| s.dev == self.dev && s.ino == self.ino)
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
 -c, --command <command>       the command is for the shell
 -h, --help                    this text
 -V, --version                 the version

Accepted without effect: -F, --no-fork, -o, --close, -v, --verbose.

Example:
 flock -n /tmp/job.lock ./job || echo it runs already
";
