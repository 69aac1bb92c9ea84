//! `hostname`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "hostname",
    usage: "\
Usage: hostname [-s|-f]
Prints the name of this host.

",
    options: &[
        option("-s, --short", "up to the first dot"),
        option("-f, --fqdn, --long", "with the domain"),
        option("-d, --domain", "only the domain"),
        option("-i, --ip-address", "the address"),
    ],
    failure: 255,
    ..Spec::DEFAULT
};

/// Runs `hostname`: prints the name. A sandbox's name cannot be set.
pub fn hostname_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if !parsed.operands.is_empty() {
        warn!("hostname", "you must be root to change the host name");
        return 1;
    }
    // Errors of writing are ignored.
    let ended = || {
        out::flush();
        0
    };
    let name = sys::hostname();
    for g in &parsed.options {
        match g.id {
            "i" => {
                out::put("127.0.1.1\n");
                return ended();
            }
            "d" => {
                out::put("\n");
                return ended();
            }
            _ => {}
        }
    }
    out::put(bytes!(name, "\n"));
    ended()
}
