//! `printenv`.

use sandshell_cli::bytes;
use sandshell_cli::options::{self, Order, Spec, option};
use sandshell_cli::out;
use std::ffi::OsString;

/// Runs `printenv` and returns its exit status.
pub fn printenv_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "printenv",
        order: Order::First,
        usage: "\
Usage: printenv [OPTION]... [VARIABLE]...
Prints what these variables hold; without VARIABLE, all of them with their names.

",
        options: &[option("-0, --null", "each ends with NUL")],
        failure: 2,
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let end: &[u8] = if parsed.options.is_empty() { b"\n" } else { b"\0" };
    let environment = sandshell_posix::process::environment();
    if parsed.operands.is_empty() {
        environment.iter().for_each(|e| out::put(bytes!(e, end)));
        return out::finish("printenv", 0, 2);
    }
    let mut code = 0;
    for name in &parsed.operands {
        let value = environment.iter().find_map(|e| e.strip_prefix(name.as_slice())?.strip_prefix(b"="));
        match value.filter(|_| !name.contains(&b'=')) {
            Some(value) => out::put(bytes!(value, end)),
            None => code = 1,
        }
    }
    out::finish("printenv", code, 2)
}
