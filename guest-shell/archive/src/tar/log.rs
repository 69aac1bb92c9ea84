//! Messages and the exit status.

use sandshell_coreutils::base::{out, quote};
use std::cell::Cell;

thread_local! {
    static STATUS: Cell<i32> = const { Cell::new(0) };
}

/// The program cannot go on; the message is written.
#[derive(Debug)]
pub(crate) struct Fatal;

/// Says what is worth knowing.
pub(crate) fn warn(text: impl AsRef<[u8]>) {
    out::message("tar", text.as_ref());
}

/// Says what went wrong; the exit status will be 2.
pub(crate) fn error(text: impl AsRef<[u8]>) {
    warn(text);
    set_status(2);
}

/// Says why there is no going on.
pub(crate) fn fatal(text: impl AsRef<[u8]>) -> Fatal {
    error(text);
    warn("Error is not recoverable: exiting now");
    Fatal
}

/// A wrong use.
pub(crate) fn usage(text: impl AsRef<[u8]>) -> Fatal {
    error(text);
    try_help();
    Fatal
}

pub(crate) fn try_help() {
    let _ = sandshell_sys::write_all(2, b"Try 'tar --help' or 'tar --usage' for more information.\n");
}

/// The exit status is at least this.
pub(crate) fn set_status(code: i32) {
    STATUS.set(STATUS.get().max(code));
}

pub(crate) fn status() -> i32 {
    STATUS.get()
}

/// A name as messages and listings show it.
pub(crate) fn shown(name: &[u8]) -> Vec<u8> {
    quote::quote_with(name, quote::Style::Escape, b"")
}

/// A name before a colon.
pub(crate) fn colon(name: &[u8]) -> Vec<u8> {
    quote::quote_with(name, quote::Style::Escape, b":")
}
