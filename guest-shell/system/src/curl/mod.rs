//! `curl` as of version 7.88: `file:` URLs, and HTTP to servers in the same sandbox. There is no network and no TLS: no
//! other host can be resolved, and no other address reached; this is reported with curl's messages and exit statuses.

mod cookies;
mod data;
mod date;
mod file;
mod form;
mod http;
mod job;
mod meter;
mod names;
mod options;
mod output;
mod pool;
mod proxy;
mod receive;
mod relative;
mod report;
mod request;
mod session;
mod transfer;
mod upload;
mod url;
mod write_out;

pub(crate) use cookies::{Jar, Place};
pub(crate) use date::seconds as date_seconds;
pub(crate) use receive::file_name;
pub(crate) use relative::without_dots;
pub(crate) use url::decoded as unescaped;

use sandshell_cli::out;

/// A failure: curl's code and message.
type Failure = (i32, Vec<u8>);

const MALFORMED: (i32, &str) = (3, "URL using bad/illegal format or missing URL");
const WRITE_ERROR: (i32, &str) = (23, "Failure writing output to destination");

fn failure((code, text): (i32, &str)) -> Failure {
    (code, text.as_bytes().to_vec())
}

/// Runs `curl` on its arguments (its own name first). The exit status is curl's code for the last transfer.
pub fn curl_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(args.get(1..).unwrap_or_default()) {
        Ok(jobs) => transfer::run(&jobs),
        Err(code) => code,
    };
    out::flush();
    code
}
