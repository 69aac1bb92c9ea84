//! `setsid` of util-linux: runs a command in a new session.

use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys as sys;

/// Runs `setsid` on its arguments (its own name first) and returns the exit status.
pub fn setsid_main(args: Vec<Vec<u8>>) -> i32 {
    let long = [("ctty", 'c'), ("fork", 'f'), ("wait", 'w'), ("help", 'h'), ("version", 'V')]
        .map(|(n, l)| (n, l as u32));
    let parsed = options::in_order(args.get(1..).unwrap_or_default(), "cfwhV", &long);
    let (mut wait, mut forks) = (false, false);
    let try_help = || {
        say::raw([b"Try '", say::short_name(&args), b" --help' for more information.\n"].concat());
        1
    };
    for item in &parsed.items {
        match item {
            Item::Option(id, _) => match char::from_u32(*id).unwrap_or_default() {
                'w' => wait = true,
                'f' => forks = true,
                'h' => {
                    out::put(HELP);
                    return out::finish("setsid", 0, 1);
                }
                'V' => {
                    out::put("setsid from util-linux 2.38.1\n");
                    return out::finish("setsid", 0, 1);
                }
                _ => {}
            },
            Item::Wrong(text) => {
                say::raw([say::full_name(&args), b": ", text, b"\n"].concat());
                return try_help();
            }
            Item::Operand(_) => {}
        }
    }
    if parsed.operands.is_empty() {
        say::error(&args, "no command specified");
        return try_help();
    }
    let command = &parsed.operands;
    let leads = sys::getpgid(0).is_ok_and(|group| group == sys::getpid());
    if !forks && !leads && sys::setsid().is_ok() {
        return super::replace(&args, command);
    }
    out::flush();
    let child = sys::clone(None, || {
        let _ = sys::setsid();
        let e = process::exec(command);
        u8::try_from(super::failed(&args, command, e)).unwrap_or(1)
    });
    match child {
        Ok(pid) if wait => super::wait(pid).map_or(1, |(status, _)| status.code()),
        Ok(_) => 0,
        Err(e) => {
            say::error(&args, format!("fork: {e}"));
            1
        }
    }
}

const HELP: &str = "
Usage:
 setsid [options] <program> [arguments ...]

Runs a program away from the terminal and the job control of the caller.

 -f, --fork     always in a process of its own
 -w, --wait     come back when it ends, with its status
 -c, --ctty     no effect
 -h, --help     this text
 -V, --version  the version
";
