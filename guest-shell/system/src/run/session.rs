//! `setsid` of util-linux: runs a command in a new session.

use crate::base::options::{self, Order, Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys as sys;

const SPEC: Spec =
    Spec { name: "setsid", options: &[listed(HELP)], order: Order::First, ..options::UTIL_LINUX };

/// Runs `setsid` on its arguments (its own name first) and returns the exit status.
pub fn setsid_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("setsid", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut wait, mut forks) = (false, false);
    for g in &parsed.options {
        match g.id {
            "w" => wait = true,
            "f" => forks = true,
            "?" | "h" | "V" => return Err(options::usual(&SPEC, args, g)),
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        say::error(args, "no command specified");
        return Err(options::try_help(&SPEC, args));
    }
    let command = &parsed.operands;
    let leads = sys::getpgid(0).is_ok_and(|group| group == sys::getpid());
    if !forks && !leads && sys::setsid().is_ok() {
        return Ok(super::replace(args, command));
    }
    out::flush();
    let child = sys::clone(None, || {
        let _ = sys::setsid();
        let e = process::exec(command);
        u8::try_from(super::failed(args, command, e)).unwrap_or(1)
    });
    match child {
        Ok(pid) if wait => Ok(super::wait(pid).map_or(1, |(status, _)| status.code())),
        Ok(_) => Ok(0),
        Err(e) => {
            say::error(args, format!("fork: {e}"));
            Err(1)
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
