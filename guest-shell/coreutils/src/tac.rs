//! `tac`.

use crate::cat::open;
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "tac",
    usage: "\
Usage: tac [OPTION]... [FILE]...
Prints files with their lines in reverse.

",
    options: &[
        option("-b, --before", "separators stand before what they separate"),
        option("-r, --regex", "STRING is a regular expression"),
        option("-s, --separator=STRING", "STRING instead of a newline"),
    ],
    ..Spec::DEFAULT
};

/// Runs `tac` and returns its exit status.
pub fn tac_main(args: Vec<OsString>) -> i32 {
    let mut parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut separator, mut before, mut is_regex) = (b"\n".to_vec(), false, false);
    for g in &parsed.options {
        match g.id {
            "b" => before = true,
            "r" => is_regex = true,
            _ => separator = g.text().to_vec(),
        }
    }
    let regex = if is_regex {
        if separator.is_empty() {
            warn!("tac", "separator cannot be empty");
            return 1;
        }
        let flags = Flags { newline: true, ..Flags::default() };
        match Regex::new(&separator, Syntax::EMACS, flags) {
            Ok(regex) => Some(regex),
            Err(e) => {
                warn!("tac", e.to_string());
                return 1;
            }
        }
    } else {
        None
    };
    if separator.is_empty() {
        separator.push(0);
    }
    if parsed.operands.is_empty() {
        parsed.operands.push(b"-".to_vec());
    }
    let mut code = 0;
    for path in &parsed.operands {
        let data = open(path).and_then(|fd| {
            let data = sys::read_to_end(fd);
            if fd != 0 {
                let _ = sys::close(fd);
            }
            data
        });
        match data {
            Ok(data) => match &regex {
                Some(regex) => reversed_by(&data, regex, before),
                None => reversed(&data, &separator, before),
            },
            Err(Errno::ISDIR) => {
                warn!("tac", quotef(path), ": read error: ", Errno::ISDIR);
                code = 1;
            }
            Err(e) => {
                warn!("tac", bytes!("failed to open ", quoteaf(path), " for reading"), ": ", e);
                code = 1;
            }
        }
    }
    out::finish("tac", code, 1)
}

/// Like [`reversed`], with a pattern. Each separator is the match that begins last and ends before the previous one.
fn reversed_by(data: &[u8], regex: &Regex, before: bool) {
    let (mut end, mut limit, mut first) = (data.len(), data.len(), true);
    while let Some((start, stop)) = last_match(&data[..limit], regex) {
        let cut = if before { start } else { stop };
        if before || !first || cut != end {
            out::put(&data[cut..end]);
        }
        (end, limit, first) = (cut, start, false);
    }
    out::put(&data[..end]);
}

/// Finds the match that begins last, before the end. It searches from the end, in pieces of growing size.
fn last_match(text: &[u8], regex: &Regex) -> Option<(usize, usize)> {
    let find = |from| regex.find_at(text, from, false).filter(|m| m.0 < text.len());
    let mut size = 1;
    loop {
        let from = text.len().saturating_sub(size);
        if let Some(mut found) = find(from) {
            while let Some(later) = find(found.0 + 1) {
                found = later;
            }
            return Some(found);
        }
        if from == 0 {
            return None;
        }
        size *= 2;
    }
}

/// Prints records from the last to the first. A separator belongs to the record before it, or with `before` to the one
/// after it.
fn reversed(data: &[u8], separator: &[u8], before: bool) {
    let mut end = data.len();
    if let [byte] = separator {
        for start in memchr::memrchr_iter(*byte, data) {
            let cut = if before { start } else { start + 1 };
            if cut < end {
                out::put(&data[cut..end]);
                end = cut;
            }
        }
        return out::put(&data[..end]);
    }
    let mut at = data.len();
    while at >= separator.len() {
        let start = at - separator.len();
        if data[start..at] == *separator {
            let cut = if before { start } else { at };
            if cut < end {
                out::put(&data[cut..end]);
                end = cut;
            }
            at = start;
        } else {
            at -= 1;
        }
    }
    out::put(&data[..end]);
}
