//! `watch`: it would need a terminal to repeat a command on, and only says so.

use crate::base::options::{Order, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;

const SPEC: Spec = Spec {
    name: "watch",
    usage: USAGE,
    options: &[
        listed(HELP),
        hidden("none", "-b, --beep, -c, --color, -C, --no-color, -d[X], --differences[=X], -e, --errexit"),
        hidden(
            "none",
            "-g, --chgexit, -p, --precise, -r, --no-rerun, -t, --no-title, -w, --no-wrap, -x, --exec",
        ),
        hidden("none", "-q N, --equexit=N"),
        hidden("none", "-n N, --interval=N"),
    ],
    order: Order::First,
    ..Spec::DEFAULT
};

/// Runs `watch` on its arguments (its own name first) and returns the exit status.
pub fn watch_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("watch", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    for g in &parsed.options {
        match g.id {
            "v" => out::put(super::version(say::short_name(args))),
            "h" => out::put(SPEC.help()),
            "?" => {
                say::raw([say::full_name(args), b": ", g.text(), b"\n", USAGE.as_bytes()].concat());
                return Err(1);
            }
            _ => continue,
        }
        return Ok(0);
    }
    if parsed.operands.is_empty() {
        say::raw(USAGE);
        return Err(1);
    }
    say::error(args, "needs a terminal to watch on, which a script does not have; use a loop with sleep");
    Err(1)
}

const USAGE: &str = "
Usage:
 watch [options] command
";

const HELP: &str = "
A screen is needed to repeat a command on, which commands of a sandbox do not have: every use but this is refused. A loop
does the same for a script.

 -h, --help     this text
 -v, --version  the version

The other options are known: -b, --beep, -c, --color, -C, --no-color, -d, --differences[=<permanent>], -e, --errexit,
-g, --chgexit, -q, --equexit <n>, -n, --interval <secs>, -p, --precise, -r, --no-rerun, -t, --no-title, -w, --no-wrap,
-x, --exec.

Example:
 while sleep 2; do date; done
";
