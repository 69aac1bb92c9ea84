//! `watch`: it would need a terminal to repeat a command on, and only says so.

use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;

/// Runs `watch` on its arguments (its own name first) and returns the exit status.
pub fn watch_main(args: Vec<Vec<u8>>) -> i32 {
    let long = [
        ("beep", 'b'),
        ("color", 'c'),
        ("no-color", 'C'),
        ("differences=?", 'd'),
        ("errexit", 'e'),
        ("chgexit", 'g'),
        ("equexit=", 'q'),
        ("interval=", 'n'),
        ("precise", 'p'),
        ("no-rerun", 'r'),
        ("no-title", 't'),
        ("no-wrap", 'w'),
        ("exec", 'x'),
        ("help", 'h'),
        ("version", 'v'),
    ]
    .map(|(name, letter)| (name, letter as u32));
    let parsed = options::in_order(args.get(1..).unwrap_or_default(), "bcCd::ehgq:n:prtwvx", &long);
    for item in &parsed.items {
        match item {
            Item::Option(id, _) if *id == u32::from(b'v') => {
                out::put(super::version(say::short_name(&args)));
                return out::finish("watch", 0, 1);
            }
            Item::Option(id, _) if *id == u32::from(b'h') => {
                out::put([USAGE, HELP].concat());
                return out::finish("watch", 0, 1);
            }
            Item::Wrong(text) => {
                say::raw([say::full_name(&args), b": ", text, b"\n", USAGE.as_bytes()].concat());
                return 1;
            }
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        say::raw(USAGE);
        return 1;
    }
    say::error(&args, "needs a terminal to watch on, which a script does not have; use a loop with sleep");
    1
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
