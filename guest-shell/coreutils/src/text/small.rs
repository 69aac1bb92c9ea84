//! `sleep`, `tty`, `printenv`, `pwd`, `hostid`, `arch`.

use crate::base::getopt::{self, Parsed, Spec, Value::*};
use crate::base::out;
use crate::base::quote::quote;
use crate::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// `sleep`.
pub fn sleep_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "sleep",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: sleep NUMBER[SUFFIX]...
  or:  sleep OPTION
Waits. NUMBER may have a fraction; SUFFIX is the unit: s (seconds) if there is none, m, h or d.
Several times are added.
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
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
        out::try_help("sleep");
        return 1;
    }
    let time = Duration::try_from_secs_f64(total).unwrap_or(Duration::from_secs(u64::MAX >> 4));
    let start = Instant::now();
    // Signals that are not fatal do not shorten it.
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

/// Reads the options of a command that takes no operands.
fn no_operands(spec: &Spec, args: Vec<OsString>) -> Result<Parsed, i32> {
    let parsed = spec.parse(&getopt::operands(args))?;
    match parsed.operands.first() {
        Some(extra) => Err(spec.extra_operand(extra)),
        None => Ok(parsed),
    }
}

/// `tty`.
pub fn tty_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "tty",
        short: "s",
        long: &[("silent", No, "s"), ("quiet", No, "s")],
        failure: 2,
        help: "\
Usage: tty [OPTION]...
Prints the name of the terminal that standard input is.

  -s, --silent, --quiet  no output; the exit status tells
",
    };
    let parsed = match no_operands(&SPEC, args) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let terminal = sys::isatty(0);
    if parsed.options.is_empty() {
        out::put(if terminal { "/dev/tty\n" } else { "not a tty\n" });
    }
    out::finish("tty", i32::from(!terminal), 3)
}

/// `printenv`.
pub fn printenv_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "printenv",
        short: "+0",
        long: &[("null", No, "0")],
        failure: 2,
        help: "\
Usage: printenv [OPTION]... [VARIABLE]...
Prints what these variables hold; without VARIABLE, all of them with their names.

  -0, --null  each ends with NUL
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let end: &[u8] = if parsed.options.is_empty() { b"\n" } else { b"\0" };
    let environment = crate::base::process::environment();
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

/// `pwd`.
pub fn pwd_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "pwd",
        short: "LP",
        long: &[("logical", No, "L"), ("physical", No, "P")],
        failure: 1,
        help: "\
Usage: pwd [OPTION]...
Prints the name of the working directory.

  -L, --logical   from $PWD if that is right, with symbolic links in it
  -P, --physical  without symbolic links; so it is by default
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
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

/// `hostid`: the address of the host's name, which is 127.0.1.1.
pub fn hostid_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "hostid",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: hostid [OPTION]
Prints the number of this host, in hexadecimal digits.
",
    };
    if let Err(code) = no_operands(&SPEC, args) {
        return code;
    }
    out::put("007f0101\n");
    out::finish("hostid", 0, 1)
}

/// `arch`.
pub fn arch_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "arch",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: arch [OPTION]...
Prints the kind of machine, as uname -m.
",
    };
    if let Err(code) = no_operands(&SPEC, args) {
        return code;
    }
    out::put("x86_64\n");
    out::finish("arch", 0, 1)
}
