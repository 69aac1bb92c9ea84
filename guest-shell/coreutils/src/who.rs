//! `who`.

use sandshell_cli::bytes;
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use std::ffi::OsString;

/// Runs `who` and returns its exit status.
pub fn who_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "who",
        usage: "\
Usage: who [OPTION]... [ FILE | ARG1 ARG2 ]
Shows who is logged in.

",
        options: &[
            option("-a, --all", "as -b -d --login -p -r -t -T -u"),
            option("-b, --boot", "when the system was started"),
            option("-d, --dead", "processes that have ended"),
            option("-H, --heading", "names above the columns"),
            option("-l, --login", "processes that wait for a login"),
            option("--lookup", "host names by DNS"),
            option("-m", "only the one of standard input"),
            option("-p, --process", "processes that init started"),
            option("-q, --count", "all names and their number"),
            option("-r, --runlevel", "the runlevel"),
            option("-s, --short", "name, line and time; so it is by default"),
            option("-t, --time", "when the clock was set last"),
            option("-T, -w, --mesg, --message, --writable", "whether users take messages: + or -"),
            option("-u, --users", "those who are logged in"),
        ],
        ties: &["message", "mesg"],
        ..Spec::DEFAULT
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
        let message = has("T") || has("a");
        let name = if message { "NAME       " } else { "NAME     " };
        out::put(bytes!(name, "LINE         TIME            ", idle, " COMMENT\n"));
    }
    out::finish("who", 0, 1)
}
