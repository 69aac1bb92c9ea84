//! `arch`.

use crate::base::one_line::no_operands;
use sandshell_cli::options::Spec;
use sandshell_cli::out;
use std::ffi::OsString;

/// Runs `arch` and returns its exit status.
pub fn arch_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "arch",
        usage: "\
Usage: arch [OPTION]...
Prints the kind of machine, as uname -m.
",
        ..Spec::DEFAULT
    };
    if let Err(code) = no_operands(&SPEC, args) {
        return code;
    }
    out::put("x86_64\n");
    out::finish("arch", 0, 1)
}
