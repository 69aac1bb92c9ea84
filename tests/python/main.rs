//! Tests of the Python pack. It is built once from its recipe, as users do, and compared with recorded answers of
//! native CPython.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod built;
mod cases;
mod environments;
mod hostile;
mod packages;
mod refusals;
mod suite;
mod virtual_time;

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

/// `sandshell` with the pack installed and without any settings of the machine's user.
fn sandshell() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.env_clear().env("HOME", built::home()).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

/// Runs a script in a new sandbox with these further options.
fn exec<S: AsRef<OsStr>>(options: impl IntoIterator<Item = S>, script: &str) -> Output {
    sandshell().arg("exec").args(options).arg(script).output().unwrap()
}

/// Runs a script, and checks its status and output.
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
