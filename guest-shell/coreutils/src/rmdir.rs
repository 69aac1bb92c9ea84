//! `rmdir`.

use sandshell_cli::options::{self, Spec, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "rmdir",
    usage: "\
Usage: rmdir [OPTION]... DIRECTORY...
Removes empty directories.

",
    options: &[
        named("ignore", "--ignore-fail-on-non-empty", "one that is not empty is no error"),
        option("-p, --parents", "those above in the name as well, while they are empty"),
        option("-v, --verbose", "tell of each directory"),
        hidden("p", "--path"),
    ],
    ..Spec::DEFAULT
};

/// Runs `rmdir` and returns its exit status.
pub fn rmdir_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let given = |id| parsed.options.iter().any(|g| g.id == id);
    let (ignore, parents, verbose) = (given("ignore"), given("p"), given("v"));
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    let mut status = 0;
    for operand in &parsed.operands {
        let mut dir: &[u8] = operand;
        let mut first = true;
        loop {
            if verbose {
                out::put(bytes!("rmdir: removing directory, ", quoteaf(dir), "\n"));
            }
            if let Err(e) = sys::rmdir(dir) {
                // Without permission, the system does not check whether the directory is empty.
                let maybe = matches!(e, Errno::ACCES | Errno::PERM | Errno::ROFS | Errno::BUSY);
                let full = matches!(e, Errno::NOTEMPTY | Errno::EXIST)
                    || maybe && sys::read_dir(dir).is_ok_and(|entries| !entries.is_empty());
                if ignore && full {
                    break;
                }
                if !first && e != Errno::NOTDIR {
                    warn!("rmdir", "failed to remove directory ", quoteaf(dir), ": ", e);
                } else if e == Errno::NOTDIR && dir.ends_with(b"/") && leads_to_directory(dir) {
                    warn!("rmdir", "failed to remove ", quoteaf(dir), ": Symbolic link not followed");
                } else {
                    warn!("rmdir", "failed to remove ", quoteaf(dir), ": ", e);
                }
                status = 1;
                break;
            }
            first = false;
            let trimmed = path::trim_slashes(dir);
            match trimmed.iter().rposition(|b| *b == b'/') {
                Some(i) if parents && i > 0 => dir = path::trim_slashes(&trimmed[..i]),
                _ => break,
            }
        }
    }
    out::finish("rmdir", status, 1)
}

/// Whether a link leads to a directory, or cannot be followed.
fn leads_to_directory(file: &[u8]) -> bool {
    let seen = match sys::stat(file, true) {
        Ok(s) => s.is_dir(),
        Err(e) => e != Errno::NOTDIR,
    };
    seen && sys::stat(path::trim_slashes(file), false).is_ok_and(|s| s.is_symlink())
}
