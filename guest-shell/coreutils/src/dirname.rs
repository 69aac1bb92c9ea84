//! `dirname`.

use sandshell_cli::options::{self, Spec, Value::*};
use sandshell_cli::out;
use sandshell_posix::path;
use std::ffi::OsString;

/// `dirname`.
pub fn dirname_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "dirname",
        short: "z",
        long: &[("zero", No, "z")],
        failure: 1,
        help: "\
Usage: dirname [OPTION] NAME...
Prints names without their last parts: the directories that they are in; '.' if there is no slash.

  -z, --zero  names end with NUL
",
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    let end = if parsed.options.is_empty() { b'\n' } else { 0 };
    for name in &parsed.operands {
        out::put(path::dir_name(name));
        out::put([end]);
    }
    out::finish("dirname", 0, 1)
}
