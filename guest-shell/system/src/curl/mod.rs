//! `curl` as version 7.88 has it, where there is no network: `file:` URLs work, every other host cannot be resolved (or,
//! if it is an address, not be reached), with curl's messages and statuses.

mod names;
mod options;
mod transfer;
mod url;
mod write_out;

pub(crate) use transfer::address;

use sandshell_cli::out;

/// Runs `curl` on its arguments (its own name first); the exit status is curl's code of the last transfer.
pub fn curl_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(args.get(1..).unwrap_or_default()) {
        Ok(job) => transfer::run(&job),
        Err(code) => code,
    };
    out::flush();
    code
}
