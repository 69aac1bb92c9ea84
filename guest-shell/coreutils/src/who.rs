//! `who`.

use sandshell_cli::bytes;
use sandshell_cli::options::{self, Spec, Value::*};
use sandshell_cli::out;
use std::ffi::OsString;

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
    let parsed = match SPEC.parse(&options::operands(args)) {
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
