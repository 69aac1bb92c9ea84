//! `users`, `who`, `stty`: nobody is logged in, and mostly there is no terminal.

use crate::base::getopt::{self, Spec, Value::*};
use crate::base::out;
use crate::base::quote::{quote, quotef};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags};
use std::ffi::OsString;

/// `users`.
pub fn users_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "users",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: users [OPTION]... [FILE]
Prints who is logged in.
",
    };
    match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => match p.operands.get(1) {
            Some(extra) => SPEC.extra_operand(extra),
            None => 0,
        },
        Err(code) => code,
    }
}

/// `who`.
pub fn who_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "who",
        short: "abdlmpqrstuwHT",
        long: &[
            ("all", No, "a"),
            ("boot", No, "b"),
            ("count", No, "q"),
            ("dead", No, "d"),
            ("heading", No, "H"),
            ("login", No, "l"),
            ("lookup", No, "lookup"),
            ("message", No, "T"),
            ("mesg", No, "T"),
            ("process", No, "p"),
            ("runlevel", No, "r"),
            ("short", No, "s"),
            ("time", No, "t"),
            ("users", No, "u"),
            ("writable", No, "T"),
        ],
        failure: 1,
        help: "\
Usage: who [OPTION]... [ FILE | ARG1 ARG2 ]
Shows who is logged in.

  -a, --all       as -b -d --login -p -r -t -T -u
  -b, --boot      when the system was started
  -d, --dead      processes that have ended
  -H, --heading   names above the columns
  -l, --login     processes that wait for a login
      --lookup    host names by DNS
  -m              only the one of standard input
  -p, --process   processes that init started
  -q, --count     all names and their number
  -r, --runlevel  the runlevel
  -s, --short     name, line and time; so it is by default
  -t, --time      when the clock was set last
  -T, -w, --mesg, --message, --writable
                  whether users take messages: + or -
  -u, --users     those who are logged in
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if let Some(extra) = parsed.operands.get(2) {
        return SPEC.extra_operand(extra);
    }
    let has = |id: &str| parsed.options.iter().any(|g| g.id == id);
    if has("q") {
        out::put("\n# users=0\n");
    } else if has("H") {
        let idle = if has("u") || has("l") || has("a") { " IDLE          PID" } else { "" };
        let message = has("T") || has("w") || has("a");
        let name = if message { "NAME       " } else { "NAME     " };
        out::put(bytes!(name, "LINE         TIME            ", idle, " COMMENT\n"));
    }
    out::finish("who", 0, 1)
}

/// `stty`: tells a terminal's size; anything else that is no terminal is refused.
pub fn stty_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "stty",
        short: "agF:",
        long: &[("all", No, "a"), ("save", No, "g"), ("file", Yes, "F")],
        failure: 1,
        help: "\
Usage: stty [-F DEVICE | --file=DEVICE] [SETTING]...
  or:  stty [-F DEVICE | --file=DEVICE] [-a|--all]
  or:  stty [-F DEVICE | --file=DEVICE] [-g|--save]
Shows or changes the settings of a terminal.

  -a, --all          show all of them
  -g, --save         show all of them in a form that stty reads
  -F, --file=DEVICE  the terminal is DEVICE, not standard input
",
    };
    // A setting may begin with a dash.
    let args = getopt::operands(args);
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

/// Words that `stty` knows.
const SETTINGS: &[&str] = &[
    "size", "sane", "raw", "cooked", "echo", "icanon", "isig", "speed", "rows", "cols", "columns", "ixon",
    "ixoff", "icrnl", "onlcr", "opost", "echoe", "echok", "echonl", "iexten", "tostop", "crt", "evenp",
    "cbreak", "min", "time", "intr", "erase", "kill", "eof", "susp", "quit", "werase", "tabs", "inlcr",
    "igncr", "brkint", "parenb", "cs8", "hupcl", "cstopb", "cread", "clocal", "crtscts", "echoctl", "echoke",
    "nl", "line", "drain",
];
