//! `users`.

use sandshell_cli::options::{self, Spec};
use std::ffi::OsString;

/// Runs `users` and returns its exit status.
pub fn users_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "users",
        usage: "\
Usage: users [OPTION]... [FILE]
Prints who is logged in.
",
        ..Spec::DEFAULT
    };
    match SPEC.parse(&options::operands(args)) {
        Ok(p) => match p.operands.get(1) {
            Some(extra) => SPEC.extra_operand(extra),
            None => 0,
        },
        Err(code) => code,
    }
}
