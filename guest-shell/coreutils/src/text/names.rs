//! `basename`, `dirname`.

use crate::base::getopt::{self, Spec, Value::*};
use crate::base::{out, path};
use std::ffi::OsString;

/// `basename`.
pub fn basename_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "basename",
        short: "+as:z",
        long: &[("multiple", No, "a"), ("suffix", Yes, "s"), ("zero", No, "z")],
        failure: 1,
        help: "Usage: basename NAME [SUFFIX]\n  or:  basename OPTION... NAME...\nPrint NAME with any leading directory components removed.\nIf specified, also remove a trailing SUFFIX.\n\n  -a, --multiple       support multiple arguments and treat each as a NAME\n  -s, --suffix=SUFFIX  remove a trailing SUFFIX; implies -a\n  -z, --zero           end each output line with NUL, not newline\n",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
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

/// `dirname`.
pub fn dirname_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "dirname",
        short: "z",
        long: &[("zero", No, "z")],
        failure: 1,
        help: "Usage: dirname [OPTION] NAME...\nOutput each NAME with its last non-slash component and trailing slashes\nremoved; if NAME contains no /'s, output '.' (meaning the current directory).\n\n  -z, --zero  end each output line with NUL, not newline\n",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
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
