//! `timeout`.

use crate::kill::name_of;
use sandshell_cli::message;
use sandshell_cli::options::{self, Order, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::process;
use sandshell_sys::{self as sys, Disposition, Errno, WaitStatus, signal};
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// Parses a number of seconds, or of the unit s, m, h or d.
fn duration(text: &[u8]) -> Option<Duration> {
    let seconds = crate::sleep::seconds(text)?;
    // A time that is too long for the clock means forever.
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u64::MAX >> 2)))
}

pub(crate) fn signal_number(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?;
    let named = || if text == "EXIT" || text == "SIGEXIT" { Some(0) } else { signal::number(text) };
    text.parse().ok().filter(|n| *n < 65).or_else(named)
}

const SPEC: Spec = Spec {
name: "timeout",
order: Order::First,
usage: "\
Usage: timeout [OPTION] DURATION COMMAND [ARG]...
Runs a command and ends it if it takes longer than DURATION: a number, with s, m, h or d after it. 0 is no limit.

",
options: &[
    named("p", "--preserve-status", "the command's exit status, even after its time is over"),
    named("f", "--foreground", "the command may use the terminal; what it started is not ended"),
    option("-k, --kill-after=DURATION", "KILL if it still runs so long after the first signal"),
    option("-s, --signal=SIGNAL", "SIGNAL instead of TERM"),
    option("-v, --verbose", "tell of the signals"),
],
notes: "\n\
The status is COMMAND's, or 124 after the signal, 137 after KILL, 127 without such a COMMAND, 126 if
it does not start, 125 after an error of timeout itself.
",
failure: 125,
unwritten: 125,
..Spec::DEFAULT
};

/// Runs `timeout` and returns its exit status.
pub fn timeout_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut signal, mut kill_after) = (signal::SIGTERM, None);
    let (mut preserve, mut verbose, mut foreground) = (false, false, false);
    for g in &parsed.options {
        match g.id {
            "k" => match duration(g.text()) {
                Some(d) => kill_after = Some(d),
                None => return SPEC.usage(bytes!("invalid time interval ", quote(g.text()))),
            },
            "s" => match signal_number(g.text()) {
                Some(n) => signal = n,
                None => return SPEC.usage(bytes!(quote(g.text()), ": invalid signal")),
            },
            "p" => preserve = true,
            "v" => verbose = true,
            _ => foreground = true,
        }
    }
    let Some((time, command)) = parsed.operands.split_first().filter(|(_, command)| !command.is_empty())
    else {
        message::try_help("timeout");
        return 125;
    };
    let Some(limit) = duration(time) else {
        return SPEC.usage(bytes!("invalid time interval ", quote(time)));
    };
    out::flush();
    // The command gets its own process group, so that signals reach its children too.
    if !foreground {
        let _ = sys::setpgid(0, 0);
    }
    for caught in [signal::SIGCHLD, signal::SIGHUP, signal::SIGINT, signal::SIGQUIT, signal::SIGTERM, signal]
    {
        let _ = sys::sigaction(caught, Disposition::Catch);
    }
    let child = match process::start(command) {
        Ok(pid) => pid,
        Err(e) => {
            warn!("timeout", "failed to run command ", quote(&command[0]), ": ", e);
            return process::failure_status(e);
        }
    };
    // A limit that no clock can show is none.
    let mut deadline = if limit.is_zero() { None } else { Instant::now().checked_add(limit) };
    let mut timed_out = false;
    let status = loop {
        // Pass signals on to the command. This must be done before checking the child: a signal that arrives after the
        // check, such as the one for the child's end, then interrupts the sleep.
        let arrived = std::iter::from_fn(sys::sigtake).find(|s| *s != signal::SIGCHLD);
        match sys::wait(child, sys::WNOHANG) {
            Ok(Some(waited)) => break waited.status,
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return 125,
        }
        let due = deadline.is_some_and(|d| d <= Instant::now());
        timed_out |= due;
        let Some(sent) = due.then_some(signal).or(arrived) else {
            let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            let _ = sys::sleep(left.unwrap_or(Duration::from_secs(3600)));
            continue;
        };
        if let Some(after) = kill_after.take() {
            signal = signal::SIGKILL;
            deadline = Instant::now().checked_add(after);
        } else if due {
            deadline = None;
        }
        if verbose {
            let name = match sent {
                0 => "EXIT".to_owned(),
                _ => name_of(sent).map_or_else(|| sent.to_string(), str::to_owned),
            };
            warn!("timeout", "sending signal ", name, " to command ", quote(&command[0]));
        }
        send(child, sent, foreground);
    };
    match status {
        // End in the same way as the command.
        WaitStatus::Signaled(by) if !timed_out => {
            let _ = sys::sigaction(by, Disposition::Default);
            let _ = sys::kill(sys::getpid(), by);
            status.code()
        }
        WaitStatus::Signaled(signal::SIGKILL) => status.code(),
        _ if timed_out && !preserve => 124,
        _ => status.code(),
    }
}

// Sends a signal to the command and, unless it is in the foreground, to its whole process group, which includes this
// process.
fn send(child: sys::Pid, sent: u8, foreground: bool) {
    let in_group = !foreground && sys::getpgid(child).is_ok_and(|group| group == sys::getpid());
    let to_all = |sent: u8| {
        if !in_group {
            let _ = sys::kill(child, sent);
        }
        if !foreground {
            let _ = sys::sigaction(sent, Disposition::Ignore);
            let _ = sys::kill(0, sent);
        }
    };
    to_all(sent);
    if !foreground && sent != signal::SIGKILL && sent != signal::SIGCONT {
        to_all(signal::SIGCONT);
    }
}
