//! `sleep`.

use sandshell_cli::message;
use sandshell_cli::options::{self, Spec};
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_sys as sys;
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// Runs `sleep` and returns its exit status.
pub fn sleep_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "sleep",
        usage: "\
Usage: sleep NUMBER[SUFFIX]...
  or:  sleep OPTION
Waits. NUMBER may have a fraction; SUFFIX is the unit: s (seconds) if there is none, m, h or d.
Several times are added.
",
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    let (mut total, mut wrong) = (0.0, false);
    for text in &parsed.operands {
        match seconds(text) {
            Some(s) => total += s,
            None => {
                warn!("sleep", "invalid time interval ", quote(text));
                wrong = true;
            }
        }
    }
    if wrong {
        message::try_help("sleep");
        return 1;
    }
    let time = Duration::try_from_secs_f64(total).unwrap_or(Duration::from_secs(u64::MAX >> 4));
    let start = Instant::now();
    // Signals that do not end the process do not shorten the sleep.
    while let Some(left) = time.checked_sub(start.elapsed()).filter(|l| !l.is_zero()) {
        if sys::sleep(left.min(Duration::from_secs(1 << 30))).is_ok() && left < Duration::from_secs(1 << 30) {
            break;
        }
    }
    0
}

/// A number of seconds, minutes (`m`), hours (`h`) or days (`d`).
pub(crate) fn seconds(text: &[u8]) -> Option<f64> {
    use sandshell_float::extended::{Extended, Kind};
    let (value, length, _) = Extended::parse(text);
    let factor = match text.get(length..)? {
        b"" | b"s" => 1.0,
        b"m" => 60.0,
        b"h" => 3600.0,
        b"d" => 86_400.0,
        _ => return None,
    };
    let number = match value.kind {
        Kind::Finite { mantissa, exponent } => mantissa as f64 * f64::from(exponent).exp2(),
        Kind::Infinite => f64::INFINITY,
        Kind::Nan => return None,
    };
    (length > 0 && (!value.negative || number == 0.0)).then_some(number * factor)
}
