//! `readlink`.

use crate::base::resolve::{Missing, resolve};
use sandshell_cli::options::{self, Long, Spec, Value::*};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;
use sandshell_sys::{self as sys};
use std::ffi::OsString;

/// `readlink`.
pub fn readlink_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[
        ("canonicalize", No, "f"),
        ("canonicalize-existing", No, "e"),
        ("canonicalize-missing", No, "m"),
        ("no-newline", No, "n"),
        ("quiet", No, "q"),
        ("silent", No, "q"),
        ("verbose", No, "v"),
        ("zero", No, "z"),
    ];
    let spec = Spec {
        name: "readlink",
        short: "efmnqsvz",
        long: LONG,
        failure: 1,
        help: "\
Usage: readlink [OPTION]... FILE...
Prints where symbolic links lead.

  -f, --canonicalize           full names without symbolic links; the last part need not be there
  -e, --canonicalize-existing  the same; all parts must be there
  -m, --canonicalize-missing   the same; no part need be there
  -n, --no-newline             no newline at the end
  -q, -s, --quiet, --silent    no messages; so it is by default
  -v, --verbose                messages
  -z, --zero                   lines end with NUL
",
    };
    let parsed = match spec.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut how, mut newline, mut verbose, mut end) =
        (None, true, std::env::var_os("POSIXLY_CORRECT").is_some(), b'\n');
    for g in &parsed.options {
        match g.id {
            "e" => how = Some(Missing::None),
            "f" => how = Some(Missing::Last),
            "m" => how = Some(Missing::Any),
            "n" => newline = false,
            "q" | "s" => verbose = false,
            "v" => verbose = true,
            "z" => end = 0,
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    if !newline && parsed.operands.len() > 1 {
        warn!("readlink", "ignoring --no-newline with multiple arguments");
        newline = true;
    }
    let mut status = 0;
    for file in &parsed.operands {
        let result = match how {
            Some(missing) => resolve(file, missing, true),
            None => sys::readlink(file),
        };
        match result {
            Ok(target) => {
                out::put(target);
                if newline {
                    out::put([end]);
                }
            }
            Err(e) => {
                if verbose {
                    warn!("readlink", quotef(file), ": ", e);
                }
                status = 1;
            }
        }
    }
    out::finish("readlink", status, 1)
}
