//! `tty`.

use crate::base::one_line::no_operands;
use sandshell_cli::options::{Spec, option};
use sandshell_cli::out;
use sandshell_sys as sys;
use std::ffi::OsString;

/// Runs `tty` and returns its exit status.
pub fn tty_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "tty",
        usage: "\
Usage: tty [OPTION]...
Prints the name of the terminal that standard input is.

",
        options: &[option("-s, --silent, --quiet", "no output; the exit status tells")],
        failure: 2,
        unwritten: 3,
        ..Spec::DEFAULT
    };
    let parsed = match no_operands(&SPEC, args) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let terminal = sys::isatty(0);
    if parsed.options.is_empty() {
        out::put(if terminal { "/dev/tty\n" } else { "not a tty\n" });
    }
    out::finish("tty", i32::from(!terminal), 3)
}
