//! `yes`.

use sandshell_cli::options::{Spec, operands};
use sandshell_cli::out;
use std::ffi::OsString;

/// Runs `yes` and returns its exit status.
pub fn yes_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "yes",
        usage: "\
Usage: yes [STRING]...
  or:  yes OPTION
Prints a line again and again until it is stopped: the arguments, or 'y'.
",
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut line = if parsed.operands.is_empty() { b"y".to_vec() } else { parsed.operands.join(&b' ') };
    line.push(b'\n');
    let block = line.repeat((16 * 1024 / line.len()).max(1));
    while out::failure().is_none() {
        out::put(&block);
        out::flush();
    }
    if let Some(e) = out::failure() {
        sandshell_cli::warn!("yes", "standard output: ", e);
    }
    1
}
