//! `which`.

use sandshell_cli::bytes;
use sandshell_cli::options;
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_posix::process;
use sandshell_sys::{self as sys};
use std::ffi::OsString;

/// Runs `which`, as in Debian, and returns its exit status.
///
/// Debian's is a script for `sh`, so its options are those of the shell's `getopts`, with that one's message: there are
/// no long ones, so this does not use [`Spec`](sandshell_cli::options::Spec).
pub fn which_main(args: Vec<OsString>) -> i32 {
    let mut names = options::operands(args);
    let mut all = false;
    while names.first().is_some_and(|name| name.len() > 1 && name.starts_with(b"-")) {
        let word = names.remove(0);
        if word == b"--" {
            break;
        }
        if let Some(bad) = word.iter().skip(1).find(|letter| **letter != b'a') {
            let text = bytes!("Illegal option -", &[*bad], "\nUsage: /usr/bin/which [-a] args\n");
            let _ = sys::write_all(2, &text);
            return 2;
        }
        all = true;
    }
    let mut missing = names.is_empty();
    let executable =
        |path: &[u8]| sys::access(path, 1).is_ok() && sys::stat(path, true).is_ok_and(|s| s.is_file());
    for name in &names {
        let mut found = false;
        if name.contains(&b'/') {
            if executable(name) {
                out::put(bytes!(quotef(name), "\n"));
                found = true;
            }
        } else {
            for dir in process::search_path().split(|b| *b == b':') {
                let path = sandshell_posix::path::join(if dir.is_empty() { b"." } else { dir }, name);
                if executable(&path) {
                    out::put(bytes!(&path, "\n"));
                    found = true;
                    if !all {
                        break;
                    }
                }
            }
        }
        missing |= !found;
    }
    out::finish("which", i32::from(missing), 1)
}
