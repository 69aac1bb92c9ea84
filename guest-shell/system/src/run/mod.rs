//! Tools that run a command: measured, with a lock, in its own session, with a priority.

mod affinity;
mod lock;
mod priority;
mod session;
mod time;

pub use affinity::taskset_main;
pub use lock::flock_main;
pub use priority::{ionice_main, renice_main};
pub use session::setsid_main;
pub use time::time_main;

use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, WaitStatus};

/// Replaces this process by the command. Returns only on failure, after printing util-linux's message.
fn replace(args: &[Vec<u8>], command: &[Vec<u8>]) -> i32 {
    out::flush();
    let e = process::exec(command);
    failed(args, command, e)
}

fn failed(args: &[Vec<u8>], command: &[Vec<u8>], e: Errno) -> i32 {
    let name = command.first().map(Vec::as_slice).unwrap_or_default();
    say::error(args, [b"failed to execute ", name, b": ", e.to_string().as_bytes()].concat());
    process::failure_status(e)
}

/// Waits for a child and returns its status as a shell would report it.
fn wait(child: sys::Pid) -> Option<(WaitStatus, sys::Waited)> {
    loop {
        match sys::wait(child, 0) {
            Ok(Some(waited)) => return Some((waited.status, waited)),
            Err(Errno::INTR) => {}
            _ => return None,
        }
    }
}
