//! `env`, `timeout`, `which`.

use super::kill::name_of;
use crate::base::getopt::{self, Spec, Value::*};
use crate::base::out;
use crate::base::process;
use crate::base::quote::{quote, quoteaf, quotef};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Disposition, Errno, WaitStatus, signal};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// `env`.
pub fn env_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "env",
        short: "+iu:0C:S:v",
        long: &[
            ("ignore-environment", No, "i"),
            ("unset", Yes, "u"),
            ("null", No, "0"),
            ("chdir", Yes, "C"),
            ("split-string", Yes, "S"),
            ("debug", No, "v"),
            ("default-signal", Maybe, "default"),
            ("ignore-signal", Maybe, "ignore"),
            ("block-signal", Maybe, "block"),
            ("list-signal-handling", No, "list"),
        ],
        failure: 125,
        help: "\
Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Runs a command with a changed environment; without COMMAND, prints the environment. A lone - means -i.

  -i, --ignore-environment    begin with nothing
  -0, --null                  lines end with NUL
  -u, --unset=NAME            without the variable NAME
  -C, --chdir=DIR             in the directory DIR
  -S, --split-string=S        take S apart into arguments, for #! lines
      --block-signal[=SIG]    block SIG in the command
      --default-signal[=SIG]  SIG does in the command what it does by default
      --ignore-signal[=SIG]   ignore SIG in the command
      --list-signal-handling  tell of signals that are not handled by default
  -v, --debug                 tell of each step
",
    };
    let args = match unsplit(getopt::operands(args)) {
        Ok(args) => args,
        Err(code) => return code,
    };
    let parsed = match spec.parse_with_hint(&args, |text| {
        // `#!/usr/bin/env -i cat` comes as one argument.
        let blank = text.strip_prefix(b"invalid option -- '").and_then(|t| t.first());
        let shebang = blank.is_some_and(|b| matches!(*b, b' ' | b'\t'..=b'\r'));
        if shebang { Some("use -[v]S to pass options in shebang lines") } else { None }
    }) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut env = process::environment();
    let (mut null, mut dir) = (false, None);
    let mut handling = Handling::default();
    let debug = parsed.options.iter().any(|g| g.id == "v");
    let trace = |text: Vec<u8>| {
        if debug {
            let _ = sys::write_all(2, &bytes!(text, "\n"));
        }
    };
    let unset = |env: &mut Vec<Vec<u8>>, name: &[u8]| {
        env.retain(|e| e.strip_prefix(name).is_none_or(|rest| rest.first() != Some(&b'=')));
    };
    let ignore =
        parsed.options.iter().any(|g| g.id == "i") || parsed.operands.first().is_some_and(|o| o == b"-");
    if ignore {
        trace(b"cleaning environ".to_vec());
        env.clear();
    }
    for g in &parsed.options {
        match g.id {
            "default" | "ignore" | "block" => {
                if let Err(text) = handling.read(g.id, g.value.as_deref()) {
                    return spec.usage(text);
                }
            }
            "list" => handling.listed = true,
            "u" => {
                trace(bytes!("unset:    ", g.text()));
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
        trace(bytes!("setenv:   ", assignment));
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
    if let Err(n) = handling.apply() {
        warn!("env", "failed to set signal action for signal ", n, ": ", Errno::INVAL);
        return 125;
    }
    if let Some(dir) = dir {
        trace(bytes!("chdir:    ", quoteaf(&dir)));
        if let Err(e) = sys::chdir(&dir) {
            warn!("env", "cannot change directory to ", quoteaf(&dir), ": ", e);
            return 125;
        }
    }
    trace(bytes!("executing: ", &command[0]));
    for (i, word) in command.iter().enumerate() {
        trace(bytes!("   arg[", i, "]= ", quote(word)));
    }
    let path = env
        .iter()
        .find_map(|e| e.strip_prefix(b"PATH="))
        .map_or_else(|| b"/bin:/usr/bin".to_vec(), <[u8]>::to_vec);
    let e = process::exec(&command, &env, &path, false);
    warn!("env", quote(&command[0]), ": ", e);
    if e == Errno::NOENT && command[0].contains(&b' ') {
        warn!("env", "use -[v]S to pass options in shebang lines");
    }
    process::failure_status(e)
}

/// Puts what the strings of `-S` mean in their place.
fn unsplit(args: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, i32> {
    let mut out = Vec::new();
    let mut rest = args.into_iter();
    let mut debug = false;
    while let Some(arg) = rest.next() {
        if !arg.starts_with(b"-") || arg.len() < 2 || arg == b"--" {
            out.push(arg);
            break;
        }
        let text = if arg == b"--split-string" {
            rest.next()
        } else if let Some(text) = arg.strip_prefix(b"--split-string=") {
            Some(text.to_vec())
        } else if arg.starts_with(b"--") {
            debug |= arg == b"--debug";
            out.push(arg);
            continue;
        } else {
            // The letters before `S` take no values.
            let flags = arg[1..].iter().take_while(|b| b"i0v".contains(b)).count();
            debug |= arg[1..=flags].contains(&b'v');
            match arg.get(1 + flags) {
                Some(b'S') => {
                    if flags > 0 {
                        out.push(arg[..=flags].to_vec());
                    }
                    if arg.len() > flags + 2 { Some(arg[flags + 2..].to_vec()) } else { rest.next() }
                }
                Some(b'u' | b'C') if arg.len() == flags + 2 => {
                    out.push(arg);
                    out.extend(rest.next());
                    continue;
                }
                _ => {
                    out.push(arg);
                    continue;
                }
            }
        };
        let Some(text) = text else {
            out.push(arg);
            break;
        };
        let words = super::env_split::split(&text)?;
        if debug {
            let mut told = bytes!("split -S:  ", quote(&text), "\n");
            for (i, word) in words.iter().enumerate() {
                told.extend(bytes!(if i == 0 { " into:    " } else { "     &    " }, quote(word), "\n"));
            }
            let _ = sys::write_all(2, &told);
        }
        out.extend(words);
        out.extend(rest);
        return Ok(out);
    }
    out.extend(rest);
    Ok(out)
}

/// What `--default-signal` and its like ask for.
#[derive(Default)]
struct Handling {
    /// Signals, what is to be done about them, and whether they were named.
    actions: BTreeMap<u8, (Disposition, bool)>,
    blocked: BTreeSet<u8>,
    listed: bool,
}

impl Handling {
    /// Takes an option with its list of signals, or for all; `Err` says which is none.
    fn read(&mut self, how: &str, list: Option<&[u8]>) -> Result<(), Vec<u8>> {
        let Some(list) = list else {
            (1..=signal::RTMAX).filter(|n| name_of(*n).is_some()).for_each(|n| self.set(how, n, false));
            return Ok(());
        };
        for word in list.split(|b| *b == b',').filter(|w| !w.is_empty()) {
            let n = signal_number(word).filter(|n| *n > 0);
            self.set(how, n.ok_or_else(|| bytes!(quote(word), ": invalid signal"))?, true);
        }
        Ok(())
    }

    fn set(&mut self, how: &str, n: u8, named: bool) {
        match how {
            "default" => {
                self.actions.insert(n, (Disposition::Default, named));
                self.blocked.remove(&n);
            }
            "ignore" => drop(self.actions.insert(n, (Disposition::Ignore, named))),
            _ => drop(self.blocked.insert(n)),
        }
    }

    /// Does it, and lists what is not by default if asked to; `Err` is the signal that cannot be handled so.
    fn apply(&self) -> Result<(), u8> {
        let fixed = |n: u8| matches!(n, signal::SIGKILL | signal::SIGSTOP);
        if let Some((n, _)) = self.actions.iter().find(|(n, (_, named))| *named && fixed(**n)) {
            return Err(*n);
        }
        let mut list = Vec::new();
        for n in (1..=signal::RTMAX).filter(|n| !fixed(*n)) {
            let action = self.actions.get(&n).map(|a| a.0);
            let blocked = self.blocked.contains(&n);
            if action.is_none() && !blocked && !self.listed {
                continue;
            }
            // Blocked signals are not told from ignored ones by what is run.
            let set = if blocked { Some(Disposition::Ignore) } else { action };
            let Ok(before) = sys::sigaction(n, set.unwrap_or(Disposition::Default)) else { continue };
            if set.is_none() {
                let _ = sys::sigaction(n, before);
            }
            let told = match (blocked, action.unwrap_or(before) == Disposition::Ignore) {
                (true, true) => "BLOCK,IGNORE",
                (true, false) => "BLOCK",
                (false, true) => "IGNORE",
                (false, false) => continue,
            };
            list.extend(name_of(n).map(|name| format!("{name:<10} ({n:2}): {told}\n")));
        }
        if self.listed {
            let _ = sys::write_all(2, list.concat().as_bytes());
        }
        Ok(())
    }
}

/// Seconds with an optional unit s, m, h or d.
fn duration(text: &[u8]) -> Option<Duration> {
    let seconds = crate::text::small::seconds(text)?;
    // Longer than any clock runs means for ever.
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u64::MAX >> 2)))
}

fn signal_number(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?;
    let named = || if text == "EXIT" || text == "SIGEXIT" { Some(0) } else { signal::number(text) };
    text.parse().ok().filter(|n| *n < 65).or_else(named)
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
        help: "\
Usage: timeout [OPTION] DURATION COMMAND [ARG]...
Runs a command and ends it if it takes longer than DURATION: a number, with s, m, h or d after it. 0 is no limit.

      --preserve-status      the command's exit status, even after its time is over
      --foreground           the command may use the terminal; what it started is not ended
  -k, --kill-after=DURATION  KILL if it still runs so long after the first signal
  -s, --signal=SIGNAL        SIGNAL instead of TERM
  -v, --verbose              tell of the signals

The status is COMMAND's, or 124 after the signal, 137 after KILL, 127 without such a COMMAND, 126 if
it does not start, 125 after an error of timeout itself.
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut signal, mut kill_after) = (signal::SIGTERM, None);
    let (mut preserve, mut verbose, mut foreground) = (false, false, false);
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
            _ => foreground = true,
        }
    }
    let Some((time, command)) = parsed.operands.split_first().filter(|(_, command)| !command.is_empty())
    else {
        out::try_help("timeout");
        return 125;
    };
    let Some(limit) = duration(time) else {
        return spec.usage(bytes!("invalid time interval ", quote(time)));
    };
    out::flush();
    // The signals go to a group of its own, and so to what the command starts.
    if !foreground {
        let _ = sys::setpgid(0, 0);
    }
    for caught in [signal::SIGCHLD, signal::SIGHUP, signal::SIGINT, signal::SIGQUIT, signal::SIGTERM, signal]
    {
        let _ = sys::sigaction(caught, Disposition::Catch);
    }
    let child = match process::spawn(command, &process::environment(), &process::search_path()) {
        Ok(pid) => pid,
        Err(e) => {
            warn!("timeout", "failed to run command ", quote(&command[0]), ": ", e);
            return process::failure_status(e);
        }
    };
    let mut deadline = (!limit.is_zero()).then(|| Instant::now() + limit);
    let mut timed_out = false;
    let status = loop {
        // What arrives here is for the command. Taken before the look at the child: a signal that comes after it, such as that of
        // the child's end, interrupts the sleep.
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
            deadline = Some(Instant::now() + after);
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
        // It ends as the command did.
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

// Sends a signal to the command and, unless it is in the foreground, to all of the group, this process too.
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
