//! Runs the program with a home directory of its own.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// `sandshell` without any settings of the machine's user.
pub(crate) fn sandshell(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").current_dir(home).stdin(Stdio::null());
    command
}

pub(crate) fn run(home: &Path, args: &[&str]) -> Output {
    sandshell(home).args(args).output().unwrap()
}

/// The standard output of a run that must succeed.
#[track_caller]
pub(crate) fn succeed(home: &Path, args: &[&str]) -> String {
    let output = run(home, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks that it failed with a one-line error that contains these words, and was not killed by a signal.
#[track_caller]
pub(crate) fn refused(output: &Output, words: &[&str]) {
    let stderr = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in {stderr:?}");
    }
}
