//! `nproc`.

use sandshell_cli::options::{self, Spec, named};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::users;
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "nproc",
    usage: "\
Usage: nproc [OPTION]...
Prints how many processors there are to use.

",
    options: &[
        named("a", "--all", "all that the machine has"),
        named("i", "--ignore=N", "N fewer, but at least one"),
    ],
    ..Spec::DEFAULT
};

/// Runs `nproc` and returns its exit status.
pub fn nproc_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let all = parsed.options.iter().any(|g| g.id == "a");
    let mut count = if all { sys::nproc().into() } else { openmp_threads() };
    for g in &parsed.options {
        if g.id == "i" {
            match users::number(g.text().trim_ascii_start()) {
                Some(n) => count = count.saturating_sub(n.into()).max(1),
                None => {
                    warn!("nproc", "invalid number: ", quote(g.text()));
                    return 1;
                }
            }
        }
    }
    if let Some(extra) = parsed.operands.first() {
        return SPEC.extra_operand(extra);
    }
    out::put(bytes!(count, "\n"));
    out::finish("nproc", 0, 1)
}

/// The number of threads that OpenMP's variables ask for. By default it is the number of processors.
fn openmp_threads() -> u64 {
    let threads = openmp_number("OMP_NUM_THREADS").filter(|n| *n > 0).unwrap_or_else(|| sys::nproc().into());
    threads.min(openmp_number("OMP_THREAD_LIMIT").filter(|n| *n > 0).unwrap_or(u64::MAX))
}

/// The first number in a variable; `None` if the variable does not begin with a number.
fn openmp_number(variable: &str) -> Option<u64> {
    let value = std::env::var_os(variable)?.into_encoded_bytes();
    let text = value.trim_ascii_start();
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    let ends = rest.trim_ascii_start().first().is_none_or(|b| *b == b',');
    if digits == 0 || !ends {
        return None;
    }
    Some(std::str::from_utf8(number).ok()?.parse().unwrap_or(u64::MAX))
}
