//! `dirname`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_posix::path;
use std::ffi::OsString;

/// Runs `dirname` and returns its exit status.
pub fn dirname_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "dirname",
        usage: "\
Usage: dirname [OPTION] NAME...
Prints names without their last parts: the directories that they are in; '.' if there is no slash.

",
        options: &[option("-z, --zero", "names end with NUL")],
        ..Spec::DEFAULT
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
