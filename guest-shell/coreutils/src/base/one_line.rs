//! Utilities that print one line and take no operands.

use sandshell_cli::bytes;
use sandshell_cli::options::Parsed;
use sandshell_cli::options::{self, Spec};
use sandshell_cli::out;
use std::ffi::OsString;

/// Prints one line for a command without options or operands.
pub(crate) fn plain(
    name: &'static str,
    usage: &'static str,
    args: Vec<OsString>,
    line: impl FnOnce() -> Vec<u8>,
) -> i32 {
    let spec = Spec { name, usage, ..Spec::DEFAULT };
    match spec.parse(&options::operands(args)) {
        Ok(parsed) => match parsed.operands.first() {
            Some(extra) => spec.extra_operand(extra),
            None => {
                out::put(bytes!(line(), "\n"));
                out::finish(name, 0, 1)
            }
        },
        Err(code) => code,
    }
}

/// Parses the options of a command without operands.
pub(crate) fn no_operands(spec: &Spec, args: Vec<OsString>) -> Result<Parsed, i32> {
    let parsed = spec.parse(&options::operands(args))?;
    match parsed.operands.first() {
        Some(extra) => Err(spec.extra_operand(extra)),
        None => Ok(parsed),
    }
}
