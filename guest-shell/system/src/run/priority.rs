//! `ionice` and `renice` of util-linux. A sandbox has no priorities: commands run as usual, and every priority is 0.

use crate::base::options::{self, Order, Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users;
use sandshell_sys as sys;

const SPEC: Spec =
    Spec { name: "ionice", options: &[listed(IONICE_HELP)], order: Order::First, ..options::UTIL_LINUX };

/// Runs `ionice` on its arguments (its own name first) and returns the exit status.
pub fn ionice_main(args: Vec<Vec<u8>>) -> i32 {
    let code = ionice(&args).unwrap_or_else(|code| code);
    out::finish("ionice", code, 1)
}

fn ionice(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut targets, mut sets) = (Vec::new(), false);
    for g in &parsed.options {
        let value = g.text();
        match g.id {
            "n" if !is_number(value) => {
                say::error(args, [b"invalid class data argument: '", value, b"'"].concat());
                return Err(1);
            }
            "c" => {
                sets = true;
                check_class(args, value)?;
            }
            "p" | "P" | "u" => targets.push(value),
            "?" | "h" | "V" => return Err(options::usual(&SPEC, args, g)),
            _ => {}
        }
    }
    if targets.is_empty() && !parsed.operands.is_empty() {
        return Ok(super::replace(args, &parsed.operands));
    }
    let more = if targets.is_empty() { Vec::new() } else { parsed.operands };
    let shown = if targets.is_empty() { 1 } else { targets.len() + more.len() };
    if !sets {
        out::put("none: prio 0\n".repeat(shown));
    }
    Ok(0)
}

fn check_class(args: &[Vec<u8>], class: &[u8]) -> Result<(), i32> {
    let names = [b"none".as_slice(), b"realtime", b"best-effort", b"idle"];
    if matches!(class, b"0" | b"1" | b"2" | b"3") || names.iter().any(|n| class.eq_ignore_ascii_case(n)) {
        return Ok(());
    }
    if is_number(class) {
        say::error(args, [b"unknown prio class ", class].concat());
    } else {
        say::error(args, [b"unknown scheduling class: '", class, b"'"].concat());
    }
    Err(1)
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Runs `renice` on its arguments (its own name first) and returns the exit status.
pub fn renice_main(args: Vec<Vec<u8>>) -> i32 {
    let mut which = "process ID";
    let mut wanted = None;
    let mut code = 0;
    let mut targets = 0;
    for arg in args.iter().skip(1) {
        match arg.as_slice() {
            b"-h" | b"--help" => {
                out::put(RENICE_HELP);
                return out::finish("renice", 0, 1);
            }
            b"-V" | b"--version" => {
                out::put("renice from util-linux 2.38.1\n");
                return out::finish("renice", 0, 1);
            }
            b"-n" | b"--priority" | b"--relative" => {}
            b"-p" | b"--pid" => which = "process ID",
            b"-g" | b"--pgrp" => which = "process group ID",
            b"-u" | b"--user" => which = "user ID",
            text => {
                let number = std::str::from_utf8(text).ok().and_then(|t| t.parse::<i32>().ok());
                if wanted.is_none() {
                    let Some(n) = number else {
                        say::error(&args, "not enough arguments");
                        return options::try_help(&options::UTIL_LINUX, &args);
                    };
                    wanted = Some(n.clamp(-20, 19));
                    continue;
                }
                targets += 1;
                let id = if which == "user ID" {
                    users::user_named(text).and_then(|u| i32::try_from(u.uid).ok()).or(number)
                } else {
                    number
                };
                let Some(id) = id.filter(|id| *id >= 0) else {
                    say::error(&args, format!("bad {which} value: {}", String::from_utf8_lossy(text)));
                    code = 1;
                    continue;
                };
                let there = match which {
                    "process ID" => sys::kill(id, 0).is_ok() || id == 0,
                    "process group ID" => sys::kill(-id, 0).is_ok() || id == 0,
                    _ => i64::from(sys::getids().0) == i64::from(id),
                };
                if !there {
                    say::error(&args, format!("failed to get priority for {id} ({which}): No such process"));
                    code = 1;
                } else if wanted != Some(0) {
                    say::error(
                        &args,
                        format!("failed to set priority for {id} ({which}): Operation not supported"),
                    );
                    code = 1;
                } else {
                    out::put(format!("{id} ({which}) old priority 0, new priority 0\n"));
                }
            }
        }
    }
    if targets == 0 {
        say::error(&args, "not enough arguments");
        return options::try_help(&options::UTIL_LINUX, &args);
    }
    out::finish("renice", code, 1)
}

const IONICE_HELP: &str = "
Usage:
 ionice [options] -p <pid>...
 ionice [options] <command>

Shows or sets in which order processes may use disks. In a sandbox all are alike: options are checked, commands are run.

 -c, --class <class>   none, realtime, best-effort or idle, or 0 to 3
 -n, --classdata <n>   the place within the class
 -p, --pid <pid>...    for these processes
 -P, --pgid <pgid>...  for these process groups
 -u, --uid <uid>...    for the processes of these users
 -t, --ignore          no effect
 -h, --help            this text
 -V, --version         the version
";

const RENICE_HELP: &str = "
Usage:
 renice [-n] <priority> [-p|--pid] <pid>...
 renice [-n] <priority>  -g|--pgrp <pgid>...
 renice [-n] <priority>  -u|--user <user>...

Sets how much of the processor others leave to processes. In a sandbox all have 0, which is the only one to be had.

 -n, --priority, --relative <n>  the number
 -p, --pid                       numbers that follow are of processes
 -g, --pgrp                      of process groups
 -u, --user                      numbers or names of users
 -h, --help                      this text
 -V, --version                   the version
";
