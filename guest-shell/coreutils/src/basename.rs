//! `basename`.

use sandshell_cli::options::{self, Order, Spec, option};
use sandshell_cli::out;
use sandshell_posix::path;
use std::ffi::OsString;

/// Runs `basename` and returns its exit status.
pub fn basename_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "basename",
        order: Order::First,
        usage: "\
Usage: basename NAME [SUFFIX]
  or:  basename OPTION... NAME...
Prints the last part of a name: what comes after its last slash. SUFFIX is taken off its end.

",
        options: &[
            option("-a, --multiple", "all arguments are names"),
            option("-s, --suffix=SUFFIX", "take off SUFFIX; also means -a"),
            option("-z, --zero", "names end with NUL"),
        ],
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut multiple, mut suffix, mut end) = (false, None, b'\n');
    for g in &parsed.options {
        match g.id {
            "a" => multiple = true,
            "s" => (multiple, suffix) = (true, Some(g.text().to_vec())),
            _ => end = 0,
        }
    }
    let mut operands = parsed.operands;
    if operands.is_empty() {
        return SPEC.missing_operand();
    }
    if !multiple {
        if let Some(extra) = operands.get(2) {
            return SPEC.extra_operand(extra);
        }
        suffix = operands.get(1).cloned();
        operands.truncate(1);
    }
    for name in &operands {
        let base = path::base_name(name);
        let cut = suffix
            .as_deref()
            .and_then(|s| base.strip_suffix(s))
            .filter(|rest| !rest.is_empty() && base != b"/");
        out::put(cut.unwrap_or(base));
        out::put([end]);
    }
    out::finish("basename", 0, 1)
}
