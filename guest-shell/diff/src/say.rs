//! Messages on standard error. Standard output is flushed before each one.

use sandshell_cli::out;
use sandshell_sys as sys;
use std::cell::RefCell;

thread_local! {
    static PROGRAM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Sets the name that messages begin with: the one that the program was called by.
pub(crate) fn set_program(args: &[Vec<u8>], default: &str) {
    PROGRAM.set(args.first().cloned().unwrap_or_else(|| default.into()));
}

/// The name that messages begin with.
pub(crate) fn program() -> Vec<u8> {
    PROGRAM.with_borrow(Vec::clone)
}

/// Prints `PROGRAM: text`.
pub(crate) fn error(text: impl AsRef<[u8]>) {
    raw([&program(), b": ".as_slice(), text.as_ref(), b"\n"].concat());
}

/// Prints `PROGRAM: name: reason`.
pub(crate) fn failed(name: &[u8], reason: sys::Errno) {
    error([name, b": ", reason.to_string().as_bytes()].concat());
}

/// Prints what is wrong with the command line, then the hint to try `--help`.
pub(crate) fn try_help(reason: Option<&[u8]>) -> i32 {
    if let Some(r) = reason {
        error(r);
    }
    error([b"Try '".as_slice(), &program(), b" --help' for more information."].concat());
    2
}

/// Prints the text without a prefix.
pub(crate) fn raw(text: impl AsRef<[u8]>) {
    out::flush();
    let _ = sys::write_all(2, text.as_ref());
}
