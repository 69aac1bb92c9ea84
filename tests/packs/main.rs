//! The packs of programs in C, built once from their recipes, as their users build them, then compared with what the
//! native programs answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod built;
mod cc;
mod git;
mod libc;
mod matplotlib;
mod node;
mod numpy;
mod pandas;
mod perl;
mod sqlite;

use std::ffi::OsStr;
use std::fmt::Write;
use std::process::{Command, Output, Stdio};

/// `sandshell` with the packs installed and nothing else of the machine's user.
fn sandshell() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.env_clear().env("HOME", built::home()).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

/// Runs a script in a sandbox of its own with these further options.
fn exec<S: AsRef<OsStr>>(options: impl IntoIterator<Item = S>, script: &str) -> Output {
    sandshell().arg("exec").args(options).arg(script).output().unwrap()
}

/// Where two texts differ: the lines from the first one on, twenty of each. Empty if they are the same.
fn differences(expected: &[u8], got: &[u8]) -> String {
    let (expected, got) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(got));
    if expected == got {
        return String::new();
    }
    let same = expected.lines().zip(got.lines()).take_while(|(a, b)| a == b).count();
    let mut told = format!("from line {} on\n", same + 1);
    for (sign, text) in [('-', &expected), ('+', &got)] {
        for line in text.lines().skip(same).take(20) {
            writeln!(told, "{sign} {line}").unwrap();
        }
    }
    told
}
