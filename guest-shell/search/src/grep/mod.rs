//! GNU `grep` 3.8: its options, messages and exit status.

mod colors;
mod exclude;
mod helpers;
mod matcher;
mod options;
mod perl;
mod print;
mod scan;
mod walk;

use crate::out::{Out, message};
use sandshell_sys as sys;

/// Runs `grep`; called as `egrep` or `fgrep` it is `grep -E` or `grep -F`. Returns 0 if a line was selected, 1 if none
/// was, 2 on errors.
///
/// Like GNU grep, it visits the files of a directory in the order in which the filesystem returns them.
pub fn grep_main(args: Vec<Vec<u8>>) -> i32 {
    let options = match options::parse(&args) {
        Ok(options::Parsed::Run(o)) => o,
        Ok(options::Parsed::Text(text)) => {
            let mut out = Out::stdout();
            out.put(text.as_bytes());
            return if out.finish().is_ok() { 0 } else { 2 };
        }
        Err(status) => return status,
    };
    if options.max == Some(0) && options.list != options::List::NotMatching {
        // Like GNU grep, this is checked before the pattern.
        return 1;
    }
    let matcher = match matcher::Matcher::new(&options) {
        Ok(m) => m,
        Err(text) => {
            message("grep", text.as_bytes());
            return 2;
        }
    };
    if options.selects_nothing() {
        return 1;
    }
    let mut out = Out::stdout();
    if options.line_buffered {
        out.set_line_buffered();
    }
    let output = sys::fstat(1).ok().filter(sys::Stat::is_file).map(|s| (s.dev, s.ino));
    let mut grep = walk::Grep {
        o: &options,
        scan: scan::Scan::new(&options, &matcher, out),
        found: false,
        failed: false,
        names: options.names.unwrap_or(options.files.len() > 1),
        output,
        links: Vec::new(),
        helpers: helpers::Helpers::default(),
    };
    grep.run();
    grep.dismiss_helpers();
    let (found, mut failed) = (grep.found, grep.failed);
    failed |= grep.scan.failed;
    if let Err(e) = grep.scan.p.out.finish() {
        message("grep", format!("write error: {e}").as_bytes());
        return 2;
    }
    match (found, failed) {
        (true, _) if options.quiet => 0,
        (_, true) => 2,
        (true, false) => 0,
        (false, false) => 1,
    }
}

pub(crate) use perl::translate as translate_perl;
