//! `ps`: a table of processes.

mod arguments;
mod column;
mod job;
mod order;

use crate::base::say;
use sandshell_cli::out;

/// Runs `ps` on its arguments (its own name first) and returns the exit status: 1 if nothing was selected, or for a
/// usage error.
pub fn ps_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match arguments::read(args.get(1..).unwrap_or_default()) {
        Ok(arguments::Request::Table(job)) => job.run(),
        Ok(arguments::Request::Text(text)) => {
            out::put(text);
            0
        }
        Err(message) => {
            say::raw([b"error: ", message.as_bytes(), b"\n", USAGE.as_bytes()].concat());
            1
        }
    };
    out::finish("ps", code, 1)
}

const USAGE: &str = "
Usage:
 ps [options]

 Try 'ps --help <simple|list|output|threads|misc|all>'
  or 'ps --help <s|l|o|t|m|a>'
 for additional help text.

For more details see ps(1).
";
