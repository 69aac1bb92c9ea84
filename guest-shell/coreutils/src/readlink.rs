//! `readlink`.

use crate::base::resolve::{Missing, resolve};
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;
use sandshell_sys::{self as sys};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "readlink",
    usage: "\
Usage: readlink [OPTION]... FILE...
Prints where symbolic links lead.

",
    options: &[
        option("-f, --canonicalize", "full names without symbolic links; the last part need not be there"),
        option("-e, --canonicalize-existing", "the same; all parts must be there"),
        option("-m, --canonicalize-missing", "the same; no part need be there"),
        option("-n, --no-newline", "no newline at the end"),
        option("-q, -s, --quiet, --silent", "no messages; so it is by default"),
        option("-v, --verbose", "messages"),
        option("-z, --zero", "lines end with NUL"),
    ],
    ..Spec::DEFAULT
};

/// Runs `readlink` and returns its exit status.
pub fn readlink_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
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
            "q" => verbose = false,
            "v" => verbose = true,
            "z" => end = 0,
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
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
