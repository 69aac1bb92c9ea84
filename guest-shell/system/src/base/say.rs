//! Messages on standard error. Standard output is flushed before each one.

use sandshell_cli::out;
use sandshell_sys as sys;

/// Prints text without a prefix.
pub(crate) fn raw(text: impl AsRef<[u8]>) {
    out::flush();
    let _ = sys::write_all(2, text.as_ref());
}

/// Prints `PROGRAM: text`, where PROGRAM is the name that the program was called by, without directories.
pub(crate) fn error(args: &[Vec<u8>], text: impl AsRef<[u8]>) {
    raw([short_name(args), b": ", text.as_ref(), b"\n"].concat());
}

/// The name that the program was called by, without directories.
pub(crate) fn short_name(args: &[Vec<u8>]) -> &[u8] {
    let name = full_name(args);
    name.rsplit(|b| *b == b'/').next().unwrap_or(name)
}

/// The name that the program was called by.
pub(crate) fn full_name(args: &[Vec<u8>]) -> &[u8] {
    args.first().map(Vec::as_slice).unwrap_or_default()
}

/// Prints text without a prefix, and without flushing standard output: for programs whose output waits in a buffer of
/// its own, as the C library's does.
pub(crate) fn beside(text: impl AsRef<[u8]>) {
    let _ = sys::write_all(2, text.as_ref());
}
