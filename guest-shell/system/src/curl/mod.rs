//! `curl` as of version 7.88, without a network: `file:` URLs work. No other host can be resolved, and no address
//! reached; this is reported with curl's messages and exit statuses.

mod names;
mod options;
mod transfer;
mod url;
mod write_out;

pub(crate) use transfer::address;

use sandshell_cli::out;

/// Runs `curl` on its arguments (its own name first). The exit status is curl's code for the last transfer.
pub fn curl_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(args.get(1..).unwrap_or_default()) {
        Ok(job) => transfer::run(&job),
        Err(code) => code,
    };
    out::flush();
    code
}
