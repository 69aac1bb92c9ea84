//! `stdbuf`.

use sandshell_cli::number::{self};
use sandshell_cli::options::{self, Order, Spec, option};
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_posix::process;
use std::ffi::OsString;

/// Runs `stdbuf`: checks the arguments and runs the command. The command's buffering does not change.
pub fn stdbuf_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "stdbuf",
        order: Order::First,
        usage: "\
Usage: stdbuf OPTION... COMMAND
Runs a command with other buffers for its standard streams.

",
        options: &[
            option("-i, --input=MODE", "for standard input"),
            option("-o, --output=MODE", "for standard output"),
            option("-e, --error=MODE", "for standard error"),
        ],
        notes: "\n\
MODE: L by lines (not for input), 0 none, or a size such as 4K.
",
        failure: 125,
        unwritten: 125,
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    for g in &parsed.options {
        let mode = g.text().trim_ascii_start();
        if g.id == "i" && mode == b"L" {
            return SPEC.usage("line buffering stdin is meaningless");
        }
        if mode != b"L" && number::unsigned(mode, "EGkKMPTYZ0").is_err() {
            warn!("stdbuf", "invalid mode ", quote(mode));
            return 125;
        }
    }
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    if parsed.options.is_empty() {
        return SPEC.usage("you must specify a buffering mode option");
    }
    let e = process::exec(&parsed.operands);
    warn!("stdbuf", "failed to run command ", quote(&parsed.operands[0]), ": ", e);
    process::failure_status(e)
}
