//! Messages and the exit status.

use sandshell_cli::message;
use sandshell_cli::size::Unit;
use sandshell_cli::{out, quote};
use sandshell_sys as sys;
use std::cell::Cell;

thread_local! {
    static STATUS: Cell<i32> = const { Cell::new(0) };
}

/// The program cannot continue. The message was already printed.
#[derive(Debug)]
pub(crate) struct Fatal;

/// Prints a message.
pub(crate) fn warn(text: impl AsRef<[u8]>) {
    message::say("tar", text.as_ref());
}

/// Prints an error. The exit status will be 2.
pub(crate) fn error(text: impl AsRef<[u8]>) {
    warn(text);
    set_status(2);
}

/// Prints an error after which the program cannot continue.
pub(crate) fn fatal(text: impl AsRef<[u8]>) -> Fatal {
    error(text);
    warn("Error is not recoverable: exiting now");
    Fatal
}

/// Prints a message of the process between tar and a compressed archive's file.
pub(crate) fn child(text: impl AsRef<[u8]>) {
    let _ = sys::write_all(2, &[b"tar (child): ", text.as_ref(), b"\n"].concat());
}

/// Prints an error about the command line.
pub(crate) fn usage(text: impl AsRef<[u8]>) -> Fatal {
    error(text);
    try_help();
    Fatal
}

pub(crate) fn try_help() {
    let _ = sys::write_all(2, b"Try 'tar --help' or 'tar --usage' for more information.\n");
}

/// Makes the exit status at least `code`.
pub(crate) fn set_status(code: i32) {
    STATUS.set(STATUS.get().max(code));
}

pub(crate) fn status() -> i32 {
    STATUS.get()
}

/// A name as it appears in messages and listings.
pub(crate) fn shown(name: &[u8]) -> Vec<u8> {
    quote::quote_with(name, quote::Style::Escape, b"")
}

/// A name as it appears before a colon.
pub(crate) fn colon(name: &[u8]) -> Vec<u8> {
    quote::quote_with(name, quote::Style::Escape, b":")
}

/// Prints `--totals`: the number of bytes that were read or written since `began`.
pub(crate) fn total(what: &str, bytes: u64, began: u64) {
    out::flush();
    let human = |bytes: u64| match bytes {
        0..1024 => format!("{bytes}B"),
        _ => format!("{}iB", Unit::Human { base: 1024 }.format(bytes)),
    };
    let nanos = u128::from(sys::monotonic().saturating_sub(began).max(1));
    let rate = u64::try_from(u128::from(bytes) * 1_000_000_000 / nanos).unwrap_or(u64::MAX);
    let text = format!("Total bytes {what}: {bytes} ({}, {}/s)\n", human(bytes), human(rate));
    let _ = sys::write_all(2, text.as_bytes());
}
