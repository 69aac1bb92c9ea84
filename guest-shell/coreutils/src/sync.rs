//! `sync`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::quote::quoteaf;
use sandshell_cli::warn;
use sandshell_sys::{self as sys, open_flags as o};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "sync",
    usage: "\
Usage: sync [OPTION] [FILE]...
Writes what is cached to the disks: all, or what belongs to the FILEs.

",
    options: &[
        option("-d, --data", "only the data of the files"),
        option("-f, --file-system", "the file systems that the files are in"),
    ],
    ..Spec::DEFAULT
};

/// Runs `sync`: all data is written already, but the files named must exist.
pub fn sync_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let given = |id| parsed.options.iter().any(|g| g.id == id);
    if given("d") && given("f") {
        warn!("sync", "cannot specify both --data and --file-system");
        return 1;
    }
    if given("d") && parsed.operands.is_empty() {
        warn!("sync", "--data needs at least one argument");
        return 1;
    }
    let mut status = 0;
    for file in &parsed.operands {
        match sys::open(file, o::READ | o::NONBLOCK, 0)
            .or_else(|e| sys::open(file, o::WRITE | o::NONBLOCK, 0).map_err(|_| e))
        {
            Ok(fd) => {
                let _ = sys::close(fd);
            }
            Err(e) => {
                warn!("sync", "error opening ", quoteaf(file), ": ", e);
                status = 1;
            }
        }
    }
    status
}
