//! `killall` of psmisc: sends a signal to processes by name.

use super::process;
use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;
use std::time::Duration;

/// Runs `killall` on its arguments (its own name first) and returns the exit status: 1 if nothing was found.
pub fn killall_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("killall", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let mut signal = sys::signal::SIGTERM;
    let mut rest: Vec<Vec<u8>> = Vec::new();
    for (i, arg) in args.iter().enumerate().skip(1) {
        // `-9` and `-HUP` are signals, not groups of option letters.
        let text = arg
            .strip_prefix(b"-")
            .filter(|t| t.first().is_some_and(|b| b.is_ascii_digit() || b.is_ascii_uppercase()));
        let valued =
            args.get(i - 1).is_some_and(|a| matches!(a.as_slice(), b"-s" | b"-u" | b"--signal" | b"--user"));
        match text.filter(|t| t.len() > 1 || t.first().is_some_and(u8::is_ascii_digit)).filter(|_| !valued) {
            Some(text) => signal = super::signal(text).ok_or_else(|| unknown_signal(args, text))?,
            None => rest.push(arg.clone()),
        }
    }
    let long = [
        ("exact", 'e'),
        ("ignore-case", 'I'),
        ("process-group", 'g'),
        ("list", 'l'),
        ("quiet", 'q'),
        ("regexp", 'r'),
        ("signal=", 's'),
        ("user=", 'u'),
        ("verbose", 'v'),
        ("version", 'V'),
        ("wait", 'w'),
    ]
    .map(|(name, letter)| (name, letter as u32));
    let parsed = options::permuted(&rest, "eIglqrs:u:vVw", &long);
    let (mut any_case, mut quiet, mut verbose, mut wait, mut regexp, mut groups, mut user) =
        (false, false, false, false, false, false, None);
    for item in parsed.items {
        let (id, value) = match item {
            Item::Option(id, value) => (id, value.unwrap_or_default()),
            Item::Wrong(_) => {
                say::raw(USAGE);
                return Err(1);
            }
            Item::Operand(_) => continue,
        };
        match char::from_u32(id).unwrap_or_default() {
            'I' => any_case = true,
            'q' => quiet = true,
            'v' => verbose = true,
            'w' => wait = true,
            'r' => regexp = true,
            'g' => groups = true,
            's' => signal = super::signal(&value).ok_or_else(|| unknown_signal(args, &value))?,
            'u' => match users::user_named(&value) {
                Some(found) => user = Some(found.uid),
                None => {
                    say::raw([b"Cannot find user ", value.as_slice(), b"\n"].concat());
                    return Err(1);
                }
            },
            'l' => {
                let names: Vec<&str> =
                    sys::signal::SIGNALS.iter().map(|s| if s.0 == 29 { "POLL" } else { s.1 }).collect();
                let (one, two) = names.split_at(16.min(names.len()));
                out::put(format!("{}\n{}\n", one.join(" "), two.join(" ")));
                return Ok(0);
            }
            'V' => {
                say::raw("killall (PSmisc) 23.6\n");
                return Ok(0);
            }
            _ => {}
        }
    }
    if parsed.operands.is_empty() && user.is_none() {
        say::raw(USAGE);
        return Err(1);
    }
    let mut code = 0;
    let names = if parsed.operands.is_empty() { vec![Vec::new()] } else { parsed.operands };
    for name in &names {
        let pattern = if regexp {
            let flags = Flags { icase: any_case, ..Flags::default() };
            match Regex::new(name, Syntax::POSIX_EXTENDED, flags) {
                Ok(r) => Some(r),
                Err(e) => {
                    say::error(
                        args,
                        format!("Bad regular expression: {}: {e}", String::from_utf8_lossy(name)),
                    );
                    return Err(1);
                }
            }
        } else {
            None
        };
        let wanted = name.get(..15).unwrap_or(name);
        let is = |p: &process::Process| match &pattern {
            Some(r) => r.is_match(&p.name),
            None if name.is_empty() => true,
            None if any_case => p.name.eq_ignore_ascii_case(wanted),
            None => p.name == wanted,
        };
        let own = i64::from(sys::getpid());
        let found: Vec<process::Process> = process::all()
            .into_iter()
            .filter(|p| p.pid != own && user.is_none_or(|u| u == p.uid) && is(p))
            .collect();
        if found.is_empty() {
            code = 1;
            if !quiet {
                say::raw([name.as_slice(), b": no process found\n"].concat());
            }
        }
        for p in &found {
            let target = i32::try_from(if groups { -p.group } else { p.pid }).unwrap_or(0);
            match sys::kill(target, signal) {
                Ok(()) if verbose => {
                    say::raw(
                        [
                            b"Killed ",
                            p.name.as_slice(),
                            format!("({}) with signal {signal}\n", p.pid).as_bytes(),
                        ]
                        .concat(),
                    );
                }
                Ok(()) => {}
                Err(e) => {
                    code = 1;
                    say::raw([p.name.as_slice(), format!("({}): {e}\n", p.pid).as_bytes()].concat());
                }
            }
        }
        while wait && found.iter().any(|p| i32::try_from(p.pid).is_ok_and(|pid| sys::kill(pid, 0).is_ok())) {
            let alive = process::all();
            if !found.iter().any(|p| alive.iter().any(|a| a.pid == p.pid && a.state != b'Z')) {
                break;
            }
            let _ = sys::sleep(Duration::from_millis(100));
        }
    }
    Ok(code)
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

  -s,--signal SIGNAL, -SIGNAL  another signal, by name or number
  -I,--ignore-case    names match in any case
  -r,--regexp         names are extended regular expressions
  -u,--user USER      only those of this user
  -g,--process-group  the whole process group of each
  -w,--wait           come back once they are gone
  -q,--quiet          nothing is said if there are none
  -v,--verbose        say who got the signal
  -l,--list           show the names of signals
  -V,--version        the version
  -e,--exact          no effect
";
