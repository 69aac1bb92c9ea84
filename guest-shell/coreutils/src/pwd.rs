//! `pwd`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

/// Runs `pwd` and returns its exit status.
pub fn pwd_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "pwd",
        usage: "\
Usage: pwd [OPTION]...
Prints the name of the working directory.

",
        options: &[
            option("-L, --logical", "from $PWD if that is right, with symbolic links in it"),
            option("-P, --physical", "without symbolic links; so it is by default"),
        ],
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    let logical = parsed.options.last().map_or(posix, |g| g.id == "L");
    if !parsed.operands.is_empty() {
        warn!("pwd", "ignoring non-option arguments");
    }
    let told = std::env::var_os("PWD").map(OsString::into_encoded_bytes).filter(|p| {
        let clean = p.starts_with(b"/") && !p.split(|b| *b == b'/').any(|c| c == b"." || c == b"..");
        let same = || match (sys::stat(p, true), sys::stat(b".", true)) {
            (Ok(a), Ok(b)) => (a.dev, a.ino) == (b.dev, b.ino),
            _ => false,
        };
        logical && clean && same()
    });
    match told.map_or_else(sys::getcwd, Ok) {
        Ok(path) => out::put(bytes!(path, "\n")),
        Err(e) => {
            warn!("pwd", e);
            return 1;
        }
    }
    out::finish("pwd", 0, 1)
}
