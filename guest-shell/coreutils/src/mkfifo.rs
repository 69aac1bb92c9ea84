//! `mkfifo`.

use crate::base::directories::umask;
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::warn;
use sandshell_posix::mode::ModeExpression;
use sandshell_sys::{self as sys};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "mkfifo",
    usage: "\
Usage: mkfifo [OPTION]... NAME...
Makes FIFOs: pipes with names.

",
    options: &[
        option("-m, --mode=MODE", "their mode, as in chmod"),
        option("-Z, --context[=CTX]", "their security context; there are none here"),
    ],
    ..Spec::DEFAULT
};

/// Runs `mkfifo` and returns its exit status.
pub fn mkfifo_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    let mut chosen = None;
    for g in parsed.options.iter().filter(|g| g.id == "m") {
        let Ok(changes) = ModeExpression::parse(g.text()) else {
            warn!("mkfifo", "invalid mode");
            return 1;
        };
        let m = changes.apply(0o666, false, umask());
        if m & !0o777 != 0 {
            warn!("mkfifo", "mode must specify only file permission bits");
            return 1;
        }
        chosen = Some(m);
    }
    let mut status = 0;
    for name in &parsed.operands {
        let made = sys::mkfifo(name, chosen.unwrap_or(0o666));
        if let Err(e) = made {
            warn!("mkfifo", "cannot create fifo ", quoteaf(name), ": ", e);
            status = 1;
        } else if let Some(m) = chosen
            && let Err(e) = sys::chmod(name, m)
        {
            warn!("mkfifo", "cannot set permissions of ", quoteaf(name), ": ", e);
            status = 1;
        }
    }
    out::finish("mkfifo", status, 1)
}
