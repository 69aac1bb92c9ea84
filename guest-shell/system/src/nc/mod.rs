//! `nc` of OpenBSD as of Debian's version 1.219, between programs of the same sandbox: TCP, UDP and Unix sockets.

mod connect;
mod listen;
mod options;
mod relay;

use crate::base::say;
use options::{Job, Wanted};
use sandshell_cli::out;

/// Runs `nc` on its arguments (its own name first) and returns the exit status: 1 for every failure.
pub fn nc_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(&args) {
        Ok(Wanted::Text(text)) => {
            say::raw(text);
            0
        }
        Ok(Wanted::Transfer(job)) => {
            let done = if job.listens { listen::run(&job) } else { connect::run(&job) };
            match done {
                Ok(code) => code,
                Err(why) => {
                    fail(&why);
                    1
                }
            }
        }
        Err(code) => code,
    };
    out::flush();
    code
}

/// Says why it ends.
fn fail(why: &[u8]) {
    say::raw([b"nc: ", why, b"\n"].concat());
}

/// Says what happened, with `-v`.
fn note(job: &Job, text: impl AsRef<[u8]>) {
    if job.verbose {
        say::raw([text.as_ref(), b"\n"].concat());
    }
}
