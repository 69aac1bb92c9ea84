//! `logname`.

use sandshell_cli::options::{self, Spec};
use sandshell_cli::warn;
use std::ffi::OsString;

/// Runs `logname`, which fails: nobody has logged in to a sandbox.
pub fn logname_main(args: Vec<OsString>) -> i32 {
    let usage = "\
Usage: logname [OPTION]
Prints the name that the user has logged in with.
";
    let spec = Spec { name: "logname", usage, ..Spec::DEFAULT };
    match spec.parse(&options::operands(args)) {
        Ok(parsed) => match parsed.operands.first() {
            Some(extra) => spec.extra_operand(extra),
            None => {
                warn!("logname", "no login name");
                1
            }
        },
        Err(code) => code,
    }
}
