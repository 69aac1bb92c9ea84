//! procps-ng 4.0.2 (and `killall` of psmisc): running processes, uptime, memory. All data comes from the sandbox's own
//! `/proc`.

mod free;
mod grep;
mod killall;
mod memory;
mod pidof;
mod process;
mod ps;
mod top;
mod uptime;
mod watch;

pub use free::free_main;
pub use grep::{pgrep_main, pkill_main};
pub use killall::killall_main;
pub use pidof::pidof_main;
pub use ps::ps_main;
pub use top::top_main;
pub use uptime::uptime_main;
pub use watch::watch_main;

pub(crate) use process::{Process, all as processes};

use crate::base::options::Given;
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;

/// Reads a file of `/proc`; empty if it does not exist.
fn read(path: &str) -> Vec<u8> {
    sys::read_file(path.as_bytes()).unwrap_or_default()
}

/// A signal's number, from a number or a name with or without `SIG`.
fn signal(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?;
    text.parse().ok().filter(|n| *n < 65).or_else(|| sys::signal::number(text))
}

/// The current local time.
pub(crate) fn local_time(pattern: &[u8]) -> Vec<u8> {
    uptime::format(pattern, uptime::now())
}

/// Ends a program at an option that all have: help, the version, or one that is not known. Returns the exit status.
fn usual(help: &str, args: &[Vec<u8>], given: &Given) -> i32 {
    match given.id {
        "V" => out::put(version(say::short_name(args))),
        "?" => {
            say::raw([say::full_name(args), b": ", given.text(), b"\n", help.as_bytes()].concat());
            return 1;
        }
        _ => out::put(help),
    }
    0
}

/// What `--version` prints.
fn version(name: &[u8]) -> Vec<u8> {
    [name, b" from procps-ng 4.0.2\n"].concat()
}
