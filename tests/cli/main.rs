//! Tests of the program `sandshell` as users run it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod changes;
mod cp;
mod exec;
mod kept;
mod pack;
mod pages;
#[cfg(feature = "serve")]
mod providers;
mod run;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
#[cfg(feature = "object-store")]
mod shared;
mod shell;
mod state;
#[cfg(all(feature = "serve", feature = "object-store"))]
mod together;
#[cfg(feature = "ui")]
mod ui;

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// `sandshell` without any settings of the machine's user: its home directory is `home`.
fn sandshell(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").current_dir(home).stdin(Stdio::null());
    command
}

/// Runs `sandshell` with these arguments in a directory of its own.
fn run<S: AsRef<OsStr>>(home: &TempDir, args: impl IntoIterator<Item = S>) -> Output {
    sandshell(home.path()).args(args).output().unwrap()
}

/// Like `run`, with standard input.
fn run_with_input(home: &TempDir, args: &[&str], input: &[u8]) -> Output {
    let mut command = sandshell(home.path());
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Written in another thread while output is read, because it does not fit into pipes.
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    })
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[track_caller]
fn check(output: &Output, status: i32, stdout: &str) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(status), stdout),
        "standard error: {}",
        text(&output.stderr)
    );
}

/// Checks for status 2, no output, and one line of error that contains all of `words`.
#[track_caller]
fn check_refused(output: &Output, words: &[&str]) {
    check(output, 2, "");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
    assert!(stderr.starts_with("sandshell: ") && stderr.ends_with('\n'), "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in {stderr:?}");
    }
}
