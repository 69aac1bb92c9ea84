//! `killall` of psmisc: sends a signal to processes by name.

use super::process::{self, Process};
use crate::base::options::{Given, Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;
use std::time::Duration;

const SPEC: Spec = Spec { name: "killall", options: &[listed(USAGE)], ..Spec::DEFAULT };

/// Runs `killall` on its arguments (its own name first) and returns the exit status: 1 if nothing was found.
pub fn killall_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("killall", code, 1)
}

struct Request<'a> {
    args: &'a [Vec<u8>],
    signal: u8,
    any_case: bool,
    quiet: bool,
    verbose: bool,
    wait: bool,
    regexp: bool,
    groups: bool,
    user: Option<u32>,
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let mut request = Request {
        args,
        signal: sys::signal::SIGTERM,
        any_case: false,
        quiet: false,
        verbose: false,
        wait: false,
        regexp: false,
        groups: false,
        user: None,
    };
    let rest = request.take_signals()?;
    let parsed = SPEC.parse_all(&rest)?;
    for g in &parsed.options {
        request.option(g)?;
    }
    if parsed.operands.is_empty() && request.user.is_none() {
        say::raw(USAGE);
        return Err(1);
    }
    let names = if parsed.operands.is_empty() { vec![Vec::new()] } else { parsed.operands };
    let mut code = 0;
    for name in &names {
        let found = request.find(name)?;
        if found.is_empty() {
            code = 1;
            if !request.quiet {
                say::raw([name.as_slice(), b": no process found\n"].concat());
            }
        }
        for p in &found {
            if !request.kill(p) {
                code = 1;
            }
        }
        if request.wait {
            wait_for(&found);
        }
    }
    Ok(code)
}

impl Request<'_> {
    /// Takes `-9` and `-HUP` out of the arguments: they are signals, not groups of option letters.
    fn take_signals(&mut self) -> Result<Vec<Vec<u8>>, i32> {
        let args = self.args;
        let mut rest = Vec::new();
        for (i, arg) in args.iter().enumerate().skip(1) {
            let text = arg
                .strip_prefix(b"-")
                .filter(|t| t.first().is_some_and(|b| b.is_ascii_digit() || b.is_ascii_uppercase()))
                .filter(|t| t.len() > 1 || t.first().is_some_and(u8::is_ascii_digit));
            let is_value = args
                .get(i - 1)
                .is_some_and(|a| matches!(a.as_slice(), b"-s" | b"-u" | b"--signal" | b"--user"));
            match text.filter(|_| !is_value) {
                Some(text) => self.signal = super::signal(text).ok_or_else(|| unknown_signal(args, text))?,
                None => rest.push(arg.clone()),
            }
        }
        Ok(rest)
    }

    fn option(&mut self, g: &Given) -> Result<(), i32> {
        match g.id {
            "I" => self.any_case = true,
            "q" => self.quiet = true,
            "v" => self.verbose = true,
            "w" => self.wait = true,
            "r" => self.regexp = true,
            "g" => self.groups = true,
            "s" => {
                self.signal = super::signal(g.text()).ok_or_else(|| unknown_signal(self.args, g.text()))?;
            }
            "u" => match users::user_named(g.text()) {
                Some(found) => self.user = Some(found.uid),
                None => {
                    say::raw([b"Cannot find user ", g.text(), b"\n"].concat());
                    return Err(1);
                }
            },
            "l" => {
                let names: Vec<&str> =
                    sys::signal::SIGNALS.iter().map(|s| if s.0 == 29 { "POLL" } else { s.1 }).collect();
                let (one, two) = names.split_at(16.min(names.len()));
                out::put(format!("{}\n{}\n", one.join(" "), two.join(" ")));
                return Err(0);
            }
            "V" => {
                say::raw("killall (PSmisc) 23.6\n");
                return Err(0);
            }
            "?" => {
                say::raw(USAGE);
                return Err(1);
            }
            _ => {}
        }
        Ok(())
    }

    /// The processes of that name, without this one.
    fn find(&self, name: &[u8]) -> Result<Vec<Process>, i32> {
        let mut pattern = None;
        if self.regexp {
            let flags = Flags { icase: self.any_case, ..Flags::default() };
            pattern = Some(Regex::new(name, Syntax::POSIX_EXTENDED, flags).map_err(|e| {
                let name = String::from_utf8_lossy(name);
                say::error(self.args, format!("Bad regular expression: {name}: {e}"));
                1
            })?);
        }
        let wanted = name.get(..15).unwrap_or(name);
        let is = |p: &Process| match &pattern {
            Some(r) => r.is_match(&p.name),
            None if name.is_empty() => true,
            None if self.any_case => p.name.eq_ignore_ascii_case(wanted),
            None => p.name == wanted,
        };
        let own = i64::from(sys::getpid());
        let mut found = process::all();
        found.retain(|p| p.pid != own && self.user.is_none_or(|u| u == p.uid) && is(p));
        Ok(found)
    }

    /// Sends the signal. Returns whether that worked.
    fn kill(&self, p: &Process) -> bool {
        let target = i32::try_from(if self.groups { -p.group } else { p.pid }).unwrap_or(0);
        let text = match sys::kill(target, self.signal) {
            Ok(()) if !self.verbose => return true,
            Ok(()) => {
                let text = format!("({}) with signal {}\n", p.pid, self.signal);
                say::raw([b"Killed ", p.name.as_slice(), text.as_bytes()].concat());
                return true;
            }
            Err(e) => format!("({}): {e}\n", p.pid),
        };
        say::raw([p.name.as_slice(), text.as_bytes()].concat());
        false
    }
}

/// Waits until processes have ended.
fn wait_for(found: &[Process]) {
    while found.iter().any(|p| i32::try_from(p.pid).is_ok_and(|pid| sys::kill(pid, 0).is_ok())) {
        let alive = process::all();
        if !found.iter().any(|p| alive.iter().any(|a| a.pid == p.pid && a.state != b'Z')) {
            break;
        }
        let _ = sys::sleep(Duration::from_millis(100));
    }
}

fn unknown_signal(args: &[Vec<u8>], text: &[u8]) -> i32 {
    say::raw([text, b": unknown signal; ", say::short_name(args), b" -l lists signals.\n"].concat());
    1
}

const USAGE: &str = "\
Usage: killall [OPTION]... [--] NAME...
       killall -l, --list
       killall -V, --version
Sends SIGTERM to all processes that run programs of these names.

  -s, --signal SIGNAL  another signal, by name or number; also as -SIGNAL
  -I, --ignore-case    names match in any case
  -r, --regexp         names are extended regular expressions
  -u, --user USER      only those of this user
  -g, --process-group  the whole process group of each
  -w, --wait           come back once they are gone
  -q, --quiet          nothing is said if there are none
  -v, --verbose        say who got the signal
  -l, --list           show the names of signals
  -V, --version        the version
  -e, --exact          no effect
";
