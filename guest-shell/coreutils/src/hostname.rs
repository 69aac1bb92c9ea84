//! `hostname`.

use sandshell_cli::options::{self, Spec, Value::*};
use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

/// `hostname`: prints the name; a sandbox's cannot be set.
pub fn hostname_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "hostname",
        short: "sfid",
        long: &[
            ("short", No, "s"),
            ("fqdn", No, "f"),
            ("long", No, "f"),
            ("ip-address", No, "i"),
            ("domain", No, "d"),
        ],
        failure: 255,
        help: "\
Usage: hostname [-s|-f]
Prints the name of this host.

  -s, --short         up to the first dot
  -f, --fqdn, --long  with the domain
  -d, --domain        only the domain
  -i, --ip-address    the address
",
    };
    let parsed = match spec.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if !parsed.operands.is_empty() {
        warn!("hostname", "you must be root to change the host name");
        return 1;
    }
    // Whether it can be written does not matter to this one.
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
