//! `link` and `unlink`: the system calls as commands.

use sandshell_cli::options::{self, Spec};
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys};
use std::ffi::OsString;

/// Runs `link` and returns its exit status.
pub fn link_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "link",
        usage: "\
Usage: link FILE1 FILE2
Gives the file FILE1 the further name FILE2, by link(2).
",
        ..Spec::DEFAULT
    };
    let parsed = match spec.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    match parsed.operands.as_slice() {
        [] => spec.missing_operand(),
        [one] => spec.usage(bytes!("missing operand after ", quote(one))),
        [from, to] => match sys::link(from, to, false) {
            Ok(()) => 0,
            Err(e) => {
                warn!("link", "cannot create link ", quoteaf(to), " to ", quoteaf(from), ": ", e);
                1
            }
        },
        [_, _, extra, ..] => spec.extra_operand(extra),
    }
}

/// Runs `unlink` and returns its exit status.
pub fn unlink_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "unlink",
        usage: "\
Usage: unlink FILE
Removes the name FILE, by unlink(2).
",
        ..Spec::DEFAULT
    };
    let parsed = match spec.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    match parsed.operands.as_slice() {
        [] => spec.missing_operand(),
        [file] => match sys::unlink(file) {
            Ok(()) => 0,
            Err(e) => {
                warn!("unlink", "cannot unlink ", quoteaf(file), ": ", e);
                1
            }
        },
        [_, extra, ..] => spec.extra_operand(extra),
    }
}
