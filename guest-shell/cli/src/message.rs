//! Messages on standard error. Standard output is always flushed first, so that the order is kept.

use crate::out;
use sandshell_sys as sys;

/// Writes `NAME: text` and a newline to standard error, after flushing standard output.
pub fn say(name: &str, text: &[u8]) {
    out::flush();
    let _ = sys::write_all(2, &crate::bytes!(program(name), ": ", text, "\n"));
}

/// Writes the hint that follows a usage error.
pub fn try_help(name: &str) {
    out::flush();
    let _ = sys::write_all(2, &crate::bytes!("Try '", program(name), " --help' for more information.\n"));
}

/// A part of a message: text or bytes, written as they are.
pub trait Piece {
    /// Appends the part.
    fn put(&self, to: &mut Vec<u8>);
}

macro_rules! bytes_piece {
    ($($t:ty),*) => { $(impl Piece for $t { fn put(&self, to: &mut Vec<u8>) { to.extend_from_slice(self.as_ref()); } })* };
}
macro_rules! display_piece {
    ($($t:ty),*) => { $(impl Piece for $t { fn put(&self, to: &mut Vec<u8>) {
        use std::io::Write;
        let _ = write!(to, "{self}");
    } })* };
}
bytes_piece!(str, String, [u8], Vec<u8>);
display_piece!(sys::Errno, u8, u32, u64, usize, i32, i64, u128, char, std::io::Error);

impl<const N: usize> Piece for [u8; N] {
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self);
    }
}

impl<T: Piece + ?Sized> Piece for &T {
    fn put(&self, to: &mut Vec<u8>) {
        (**self).put(to);
    }
}

/// Joins the parts to one byte string.
#[macro_export]
macro_rules! bytes {
    ($($part:expr),* $(,)?) => {{
        let mut text: Vec<u8> = Vec::new();
        $( $crate::message::Piece::put(&$part, &mut text); )*
        text
    }};
}

/// Writes `NAME: parts` to standard error.
#[macro_export]
macro_rules! warn {
    ($name:expr, $($part:expr),* $(,)?) => {
        $crate::message::say($name, &$crate::bytes!($($part),*))
    };
}

/// The name by which the program was called, with directories if they were given.
fn program(name: &str) -> Vec<u8> {
    std::env::args_os()
        .next()
        .map(std::ffi::OsString::into_encoded_bytes)
        .filter(|called| called.strip_suffix(name.as_bytes()).is_some_and(|dir| dir.ends_with(b"/")))
        .unwrap_or_else(|| name.as_bytes().to_vec())
}
