//! `nice`.

use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Order, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_posix::process;
use sandshell_sys::Errno;
use std::ffi::OsString;

/// Runs `nice`. All processes of a sandbox have niceness 0, and users may not lower it.
pub fn nice_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
    name: "nice",
    order: Order::First,
    usage: "\
Usage: nice [OPTION] [COMMAND [ARG]...]
Runs a command with another priority; without COMMAND, prints the present one. From -20, the first, to 19, the last.

",
    options: &[
        option("-n, --adjustment=N", "add N instead of 10"),
    ],
    failure: 125,
    unwritten: 125,
    ..Spec::DEFAULT
};
    let args: Vec<Vec<u8>> = options::operands(args).into_iter().collect();
    let (mut plain, mut adjustment) = (Vec::new(), None);
    let mut rest = args.into_iter().peekable();
    while let Some(arg) = rest.next_if(|a| a.starts_with(b"-") && a.len() > 1) {
        // `-5`, `--5` and `-+5` are adjustments, in a form from before POSIX.
        let number = arg[1..].strip_prefix(b"-").or(arg[1..].strip_prefix(b"+")).unwrap_or(&arg[1..]);
        if number.first().is_some_and(u8::is_ascii_digit) {
            adjustment = Some(arg[1..].to_vec());
            continue;
        }
        let wants_value = arg == b"-n" || arg == b"--adjustment";
        let end = arg == b"--";
        plain.push(arg);
        if wants_value {
            plain.extend(rest.next());
        }
        if end {
            break;
        }
    }
    plain.extend(rest);
    let parsed = match SPEC.parse(&plain) {
        Ok(p) => p,
        Err(code) => return code,
    };
    for g in &parsed.options {
        adjustment = Some(g.text().to_vec());
    }
    let by = match adjustment.as_deref().map(|a| (a, number::signed(a, ""))) {
        None => None,
        Some((_, Ok(n))) => Some(n),
        Some((text, Err(Fault::Overflow))) => Some(if text.starts_with(b"-") { i64::MIN } else { i64::MAX }),
        Some((text, Err(Fault::Invalid | Fault::Suffix))) => {
            warn!("nice", "invalid adjustment ", quote(text));
            return 125;
        }
    };
    if parsed.operands.is_empty() {
        if by.is_some() {
            return SPEC.usage("a command must be given with an adjustment");
        }
        out::put("0\n");
        return out::finish("nice", 0, 125);
    }
    if by.is_some_and(|n| n < 0) {
        warn!("nice", "cannot set niceness: ", Errno::ACCES);
    }
    let e = process::exec(&parsed.operands);
    warn!("nice", quote(&parsed.operands[0]), ": ", e);
    process::failure_status(e)
}
