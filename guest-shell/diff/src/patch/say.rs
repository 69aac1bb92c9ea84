//! Patch's messages. They go to standard output unless patched files go there.

use crate::say;
use sandshell_cli::{out, quote};
use sandshell_sys as sys;
use std::cell::Cell;

thread_local! {
    static TO_STDERR: Cell<bool> = const { Cell::new(false) };
}

/// Sends all further messages to standard error.
pub(super) fn to_stderr() {
    TO_STDERR.set(true);
}

/// Prints a message.
pub(super) fn say(text: impl AsRef<[u8]>) {
    if TO_STDERR.get() {
        say::raw(text);
    } else {
        out::put(text);
    }
}

/// Prints a question. There is nobody to answer, so the answer is always the default.
pub(super) fn ask(text: &str) {
    say(text);
    say("\n");
}

/// A name as it appears in messages.
pub(super) fn quoted(name: &[u8]) -> Vec<u8> {
    quote::quote_with(name, quote::Style::Shell, b"")
}

/// An error that ends the program.
#[derive(Debug)]
pub(super) struct Fatal(Vec<u8>);

impl Fatal {
    pub(super) fn text(text: impl AsRef<[u8]>) -> Self {
        Self(text.as_ref().to_vec())
    }

    /// An error in a line of the patch: what is wrong, the line's number, and the line.
    pub(super) fn at(what: impl AsRef<[u8]>, number: usize, line: &[u8]) -> Self {
        Self([what.as_ref(), format!("{number}: ").as_bytes(), line].concat())
    }

    /// An error with a file: what failed, and why.
    pub(super) fn file(what: &str, name: &[u8], reason: sys::Errno) -> Self {
        Self([what.as_bytes(), b" ", &quoted(name), format!(" : {reason}").as_bytes()].concat())
    }

    /// Prints the message and returns the exit status.
    pub(super) fn report(&self) -> i32 {
        say::raw([&say::program(), b": **** ".as_slice(), &self.0, b"\n"].concat());
        2
    }
}
