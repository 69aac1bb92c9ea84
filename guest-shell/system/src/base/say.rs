//! Messages on standard error, each behind what standard output holds.

use sandshell_cli::out;
use sandshell_sys as sys;

/// Text as it is.
pub(crate) fn raw(text: impl AsRef<[u8]>) {
    out::flush();
    let _ = sys::write_all(2, text.as_ref());
}

/// `PROGRAM: text`, by the last part of the name that the program was called by.
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
