//! What patch tells, on standard output unless patched files go there.

use crate::say;
use sandshell_cli::{out, quote};
use sandshell_sys as sys;
use std::cell::Cell;

thread_local! {
    static TO_STDERR: Cell<bool> = const { Cell::new(false) };
}

/// Sends messages to standard error from now on.
pub(super) fn to_stderr() {
    TO_STDERR.set(true);
}

/// Tells something.
pub(super) fn say(text: impl AsRef<[u8]>) {
    if TO_STDERR.get() {
        say::raw(text);
    } else {
        out::put(text);
    }
}

/// Asks something. There is nobody to answer: the answer is always the default.
pub(super) fn ask(text: &str) {
    say(text);
    say("\n");
}

/// A name as messages have it.
pub(super) fn quoted(name: &[u8]) -> Vec<u8> {
    quote::quote_with(name, quote::Style::Shell, b"")
}

/// What ends the program at once.
#[derive(Debug)]
pub(super) struct Fatal(Vec<u8>);

impl Fatal {
    pub(super) fn text(text: impl AsRef<[u8]>) -> Self {
        Self(text.as_ref().to_vec())
    }

    /// What, the number of a line, and the line.
    pub(super) fn at(what: impl AsRef<[u8]>, number: usize, line: &[u8]) -> Self {
        Self([what.as_ref(), format!("{number}: ").as_bytes(), line].concat())
    }

    /// What failed with a file, and why.
    pub(super) fn file(what: &str, name: &[u8], reason: sys::Errno) -> Self {
        Self([what.as_bytes(), b" ", &quoted(name), format!(" : {reason}").as_bytes()].concat())
    }

    /// Writes the message; the exit status.
    pub(super) fn report(&self) -> i32 {
        say::raw([&say::program(), b": **** ".as_slice(), &self.0, b"\n"].concat());
        2
    }
}
