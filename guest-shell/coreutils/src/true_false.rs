//! `true` and `false`.

use sandshell_cli::options::{Spec, operands};
use std::ffi::OsString;

/// Runs `true` and returns its exit status.
pub fn true_main(args: Vec<OsString>) -> i32 {
    match operands(args).as_slice() {
        [only] => help_only("true", only).unwrap_or(0),
        _ => 0,
    }
}

/// Runs `false` and returns its exit status.
pub fn false_main(args: Vec<OsString>) -> i32 {
    if let [only] = operands(args).as_slice() {
        help_only("false", only);
    }
    1
}

/// Handles `--help` and `--version` as the only argument. They may not be abbreviated.
pub(crate) fn help_only(name: &'static str, word: &[u8]) -> Option<i32> {
    if word != b"--help" && word != b"--version" {
        return None;
    }
    let usage = match name {
        "echo" => {
            "\
Usage: echo [SHORT-OPTION]... [STRING]...
  or:  echo LONG-OPTION
Prints its arguments with a space between them.

  -n  no newline at the end
  -e  sequences that begin with a backslash stand for other characters
  -E  they do not; so it is by default
"
        }
        "true" => {
            "\
Usage: true [ignored command line arguments]
  or:  true OPTION
Does nothing, with exit status 0.
"
        }
        _ => {
            "\
Usage: false [ignored command line arguments]
  or:  false OPTION
Does nothing, with exit status 1.
"
        }
    };
    let spec = Spec { name, usage, ..Spec::DEFAULT };
    spec.parse(&[word.to_vec()]).err()
}
