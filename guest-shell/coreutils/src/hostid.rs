//! `hostid`.

use crate::base::one_line::no_operands;
use sandshell_cli::options::Spec;
use sandshell_cli::out;
use std::ffi::OsString;

/// Runs `hostid`: prints the address of the host's name, which is 127.0.1.1.
pub fn hostid_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "hostid",
        usage: "\
Usage: hostid [OPTION]
Prints the number of this host, in hexadecimal digits.
",
        ..Spec::DEFAULT
    };
    if let Err(code) = no_operands(&SPEC, args) {
        return code;
    }
    out::put("007f0101\n");
    out::finish("hostid", 0, 1)
}
