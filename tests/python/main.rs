//! The Python pack: built once from its recipe, as its users build it, then compared with what native CPython answered.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod built;
mod cases;
mod hostile;
mod packages;
mod refusals;
mod suite;
mod virtual_time;

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

/// `sandshell` with the pack installed and nothing else of the machine's user.
fn sandshell() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.env_clear().env("HOME", built::home()).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

/// Runs a script in a sandbox of its own with these further options.
fn exec<S: AsRef<OsStr>>(options: impl IntoIterator<Item = S>, script: &str) -> Output {
    sandshell().arg("exec").args(options).arg(script).output().unwrap()
}

/// Runs a script, and checks its status and what it prints.
#[track_caller]
fn check(script: &str, status: i32, stdout: &str) {
    check_with(&[], script, status, stdout);
}

#[track_caller]
fn check_with(options: &[&str], script: &str, status: i32, stdout: &str) {
    let output = exec(options, script);
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(status), stdout),
        "{script}\nstandard error: {}",
        text(&output.stderr)
    );
}
