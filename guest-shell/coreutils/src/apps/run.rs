//! `env`, `timeout`, `which`.

use crate::base::getopt::{self, Spec, Value::*};
use crate::base::out;
use crate::base::process;
use crate::base::quote::{quote, quotef};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Disposition, Errno, WaitStatus, signal};
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// `env`.
pub fn env_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "env",
        short: "+iu:0C:",
        long: &[("ignore-environment", No, "i"), ("unset", Yes, "u"), ("null", No, "0"), ("chdir", Yes, "C")],
        failure: 125,
        help: "Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]\nSet each NAME to VALUE in the environment and run COMMAND.\n",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut env = process::environment();
    let (mut null, mut dir) = (false, None);
    let unset = |env: &mut Vec<Vec<u8>>, name: &[u8]| {
        env.retain(|e| e.strip_prefix(name).is_none_or(|rest| rest.first() != Some(&b'=')));
    };
    let ignore =
        parsed.options.iter().any(|g| g.id == "i") || parsed.operands.first().is_some_and(|o| o == b"-");
    if ignore {
        env.clear();
    }
    for g in &parsed.options {
        match g.id {
            "u" => {
                if g.text().is_empty() || g.text().contains(&b'=') {
                    warn!("env", "cannot unset ", quote(g.text()), ": ", Errno::INVAL);
                    return 125;
                }
                unset(&mut env, g.text());
            }
            "0" => null = true,
            "C" => dir = Some(g.text().to_vec()),
            _ => {}
        }
    }
    let mut operands = parsed.operands.iter().peekable();
    if operands.peek().is_some_and(|o| *o == b"-") {
        operands.next();
    }
    while let Some(assignment) = operands.next_if(|o| o.contains(&b'=')) {
        let name = assignment.split(|b| *b == b'=').next().unwrap_or_default().to_vec();
        unset(&mut env, &name);
        env.push(assignment.clone());
    }
    let command: Vec<Vec<u8>> = operands.cloned().collect();
    if command.is_empty() {
        if dir.is_some() {
            return spec.usage("must specify command with --chdir (-C)");
        }
        for entry in &env {
            out::put(entry);
            out::put(if null { b"\0" } else { b"\n" });
        }
        return out::finish("env", 0, 125);
    }
    if null {
        return spec.usage("cannot specify --null (-0) with command");
    }
    if let Some(dir) = dir
        && let Err(e) = sys::chdir(&dir)
    {
        warn!("env", "cannot change directory to ", quote(&dir), ": ", e);
        return 125;
    }
    let path = env
        .iter()
        .find_map(|e| e.strip_prefix(b"PATH="))
        .map_or_else(|| b"/bin:/usr/bin".to_vec(), <[u8]>::to_vec);
    let e = process::exec(&command, &env, &path, false);
    warn!("env", quote(&command[0]), ": ", e);
    process::failure_status(e)
}

/// Seconds with an optional unit s, m, h or d.
fn duration(text: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, factor) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(n) if text.ends_with('m') => (n, 60.0),
        Some(n) if text.ends_with('h') => (n, 3600.0),
        Some(n) if text.ends_with('d') => (n, 86400.0),
        Some(n) => (n, 1.0),
        None => (text, 1.0),
    };
    let seconds: f64 = number.parse().ok()?;
    if seconds.is_nan() || seconds < 0.0 {
        return None;
    }
    // Longer than any clock runs means for ever.
    Some(Duration::try_from_secs_f64(seconds * factor).unwrap_or(Duration::from_secs(u64::MAX >> 2)))
}

fn signal_number(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?;
    text.parse().ok().filter(|n| *n < 65).or_else(|| signal::number(text))
}

/// `timeout`.
pub fn timeout_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "timeout",
        short: "+k:s:v",
        long: &[
            ("kill-after", Yes, "k"),
            ("signal", Yes, "s"),
            ("preserve-status", No, "p"),
            ("foreground", No, "f"),
            ("verbose", No, "v"),
        ],
        failure: 125,
        help: "Usage: timeout [OPTION] DURATION COMMAND [ARG]...\nStart COMMAND, and kill it if still running after DURATION.\n",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut signal, mut kill_after, mut preserve, mut verbose) = (signal::SIGTERM, None, false, false);
    for g in &parsed.options {
        match g.id {
            "k" => match duration(g.text()) {
                Some(d) => kill_after = Some(d),
                None => return spec.usage(bytes!("invalid time interval ", quote(g.text()))),
            },
            "s" => match signal_number(g.text()) {
                Some(n) => signal = n,
                None => return spec.usage(bytes!(quote(g.text()), ": invalid signal")),
            },
            "p" => preserve = true,
            "v" => verbose = true,
            _ => {}
        }
    }
    let Some((time, command)) = parsed.operands.split_first() else { return spec.missing_operand() };
    if command.is_empty() {
        return spec.usage(bytes!("missing operand after ", quote(time)));
    }
    let Some(limit) = duration(time) else {
        return spec.usage(bytes!("invalid time interval ", quote(time)));
    };
    out::flush();
    let _ = sys::sigaction(signal::SIGCHLD, Disposition::Catch);
    let child = match process::spawn(command, &process::environment(), &process::search_path()) {
        Ok(pid) => pid,
        Err(e) => {
            warn!("timeout", "failed to run command ", quote(&command[0]), ": ", e);
            return process::failure_status(e);
        }
    };
    let mut deadline = (!limit.is_zero()).then(|| Instant::now() + limit);
    let mut timed_out = false;
    let mut sent = signal;
    loop {
        match sys::wait(child, sys::WNOHANG) {
            Ok(Some(waited)) => {
                return match waited.status {
                    status if timed_out && !preserve => {
                        if sent == signal::SIGKILL || status == WaitStatus::Signaled(signal::SIGKILL) {
                            137
                        } else {
                            124
                        }
                    }
                    status => status.code(),
                };
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return 125,
        }
        let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
        if left.is_some_and(|l| l.is_zero()) {
            if verbose {
                let name = signal::name(sent).unwrap_or("?");
                warn!("timeout", "sending signal ", name, " to command ", quote(&command[0]));
            }
            let _ = sys::kill(child, sent);
            let _ = sys::kill(child, signal::SIGCONT);
            timed_out = true;
            deadline = kill_after.filter(|_| sent != signal::SIGKILL).map(|k| Instant::now() + k);
            sent = if deadline.is_some() { signal::SIGKILL } else { sent };
            continue;
        }
        // The end of the child interrupts the sleep.
        let _ = sys::sleep(left.unwrap_or(Duration::from_secs(3600)));
        while sys::sigtake().is_some() {}
    }
}

/// Debian's `which`.
pub fn which_main(args: Vec<OsString>) -> i32 {
    let mut names = getopt::operands(args);
    let all = names.first().is_some_and(|n| n == b"-a");
    if all {
        names.remove(0);
    }
    if let Some(bad) = names.first().filter(|n| n.starts_with(b"-") && n.len() > 1) {
        let text = bytes!("Illegal option ", bad, "\nUsage: /usr/bin/which [-a] args\n");
        let _ = sys::write_all(2, &text);
        return 2;
    }
    let mut missing = names.is_empty();
    let executable =
        |path: &[u8]| sys::access(path, 1).is_ok() && sys::stat(path, true).is_ok_and(|s| s.is_file());
    for name in &names {
        let mut found = false;
        if name.contains(&b'/') {
            if executable(name) {
                out::put(bytes!(quotef(name), "\n"));
                found = true;
            }
        } else {
            for dir in process::search_path().split(|b| *b == b':') {
                let path = crate::base::path::join(if dir.is_empty() { b"." } else { dir }, name);
                if executable(&path) {
                    out::put(bytes!(&path, "\n"));
                    found = true;
                    if !all {
                        break;
                    }
                }
            }
        }
        missing |= !found;
    }
    out::finish("which", i32::from(missing), 1)
}
