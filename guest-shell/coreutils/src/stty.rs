//! `stty`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags};
use std::ffi::OsString;

/// Runs `stty`: prints the size of a terminal, or switches its raw mode on or off. Fails if it is not a terminal.
pub fn stty_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "stty",
        usage: "\
Usage: stty [-F DEVICE | --file=DEVICE] [SETTING]...
  or:  stty [-F DEVICE | --file=DEVICE] [-a|--all]
  or:  stty [-F DEVICE | --file=DEVICE] [-g|--save]
Shows or changes the settings of a terminal.

",
        options: &[
            option("-a, --all", "show all of them"),
            option("-g, --save", "show all of them in a form that stty reads"),
            option("-F, --file=DEVICE", "the terminal is DEVICE, not standard input"),
        ],
        ..Spec::DEFAULT
    };
    // A setting may begin with a dash.
    let args = options::operands(args);
    let is_setting = |a: &Vec<u8>| {
        let name = std::str::from_utf8(a.strip_prefix(b"-").unwrap_or(a)).unwrap_or_default();
        SETTINGS.contains(&name)
    };
    let is_option = |a: &[u8]| {
        let long = ["--all", "--save", "--file", "--help", "--version"];
        matches!(a, [b'-', b'a' | b'g' | b'F', ..]) || long.iter().any(|l| a.starts_with(l.as_bytes()))
    };
    if let Some(bad) = args.iter().find(|a| a.starts_with(b"-") && !is_setting(a) && !is_option(a)) {
        return SPEC.usage(bytes!("invalid argument ", quote(bad)));
    }
    let (settings, options): (Vec<_>, Vec<_>) = args.into_iter().partition(is_setting);
    let parsed = match SPEC.parse(&options) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if let Some(bad) = parsed.operands.iter().find(|o| !o.iter().all(u8::is_ascii_digit)) {
        return SPEC.usage(bytes!("invalid argument ", quote(bad)));
    }
    let device = parsed.options.iter().find(|g| g.id == "F").map(|g| g.text().to_vec());
    let shown = device.as_deref().map_or_else(|| b"'standard input'".to_vec(), quotef);
    let fd = match device.as_deref().map(|d| sys::open(d, open_flags::READ | open_flags::NONBLOCK, 0)) {
        None => 0,
        Some(Ok(fd)) => fd,
        Some(Err(e)) => {
            warn!("stty", shown, ": ", e);
            return 1;
        }
    };
    let (rows, columns) = match sys::tty_size(fd) {
        Ok(size) if sys::isatty(fd) => size,
        _ => {
            warn!("stty", shown, ": ", Errno::NOTTY);
            return 1;
        }
    };
    if settings.iter().any(|s| s == b"size") {
        out::put(format!("{rows} {columns}\n"));
    } else if let Some(other) =
        settings.iter().find(|s| !matches!(s.as_slice(), b"sane" | b"echo" | b"cooked"))
    {
        let raw = matches!(other.as_slice(), b"raw" | b"-echo" | b"-icanon");
        if let Err(e) = sys::tty_raw(fd, raw) {
            warn!("stty", shown, ": ", e);
            return 1;
        }
    } else if !settings.is_empty() {
        let _ = sys::tty_raw(fd, false);
    } else {
        out::put("speed 38400 baud; ");
        out::put(if parsed.options.iter().any(|g| g.id == "a") {
            format!("rows {rows}; columns {columns}; line = 0;\n")
        } else {
            "line = 0;\n".to_string()
        });
    }
    out::finish("stty", 0, 1)
}

/// The settings that `stty` knows.
const SETTINGS: &[&str] = &[
    "size", "sane", "raw", "cooked", "echo", "icanon", "isig", "speed", "rows", "cols", "columns", "ixon",
    "ixoff", "icrnl", "onlcr", "opost", "echoe", "echok", "echonl", "iexten", "tostop", "crt", "evenp",
    "cbreak", "min", "time", "intr", "erase", "kill", "eof", "susp", "quit", "werase", "tabs", "inlcr",
    "igncr", "brkint", "parenb", "cs8", "hupcl", "cstopb", "cread", "clocal", "crtscts", "echoctl", "echoke",
    "nl", "line", "drain",
];
