//! Buffered standard output, messages, and text made of byte strings.

use sandshell_sys as sys;
use std::cell::{Cell, RefCell};

/// How much is held back at first: whoever reads it, and may want no more than that, is not kept waiting.
const FIRST: usize = 4 * 1024;
/// How much is held back at most; it doubles with each time.
const MOST: usize = 64 * 1024;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FLUSH_AT: Cell<usize> = const { Cell::new(FIRST) };
    static WRITTEN: Cell<u64> = const { Cell::new(0) };
    static FAILED: Cell<Option<sys::Errno>> = const { Cell::new(None) };
}

/// A part of a message: text or bytes, put down as they are.
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

impl<T: Piece + ?Sized> Piece for &T {
    fn put(&self, to: &mut Vec<u8>) {
        (**self).put(to);
    }
}

/// The parts in one byte string.
#[macro_export]
macro_rules! bytes {
    ($($part:expr),* $(,)?) => {{
        let mut text: Vec<u8> = Vec::new();
        $( $crate::base::out::Piece::put(&$part, &mut text); )*
        text
    }};
}

/// Writes `NAME: parts` to standard error.
#[macro_export]
macro_rules! warn {
    ($name:expr, $($part:expr),* $(,)?) => {
        $crate::base::out::message($name, &$crate::bytes!($($part),*))
    };
}

/// How many bytes have been put so far.
pub fn position() -> u64 {
    WRITTEN.get() + BUFFER.with_borrow(Vec::len) as u64
}

/// Appends to standard output.
pub fn put(text: impl AsRef<[u8]>) {
    let text = text.as_ref();
    BUFFER.with_borrow_mut(|b| {
        b.extend_from_slice(text);
        if b.len() >= FLUSH_AT.get() {
            write_out(b);
            FLUSH_AT.set((FLUSH_AT.get() * 2).min(MOST));
        }
    });
}

/// Lets `build` append to standard output's buffer.
pub fn build(build: impl FnOnce(&mut Vec<u8>)) {
    BUFFER.with_borrow_mut(|b| {
        build(b);
        if b.len() >= FLUSH_AT.get() {
            write_out(b);
            FLUSH_AT.set((FLUSH_AT.get() * 2).min(MOST));
        }
    });
}

/// Writes out what is buffered.
pub fn flush() {
    BUFFER.with_borrow_mut(write_out);
}

/// Standard output's first error so far.
pub fn failure() -> Option<sys::Errno> {
    FAILED.get()
}

/// Flushes standard output; if writing failed at any time, says so as `NAME: write error: …` and returns `failed`,
/// otherwise `code`.
pub fn finish(name: &str, code: i32, failed: i32) -> i32 {
    flush();
    match FAILED.get() {
        Some(e) => {
            // Those of GNU's that write line by line have forgotten the reason at the end.
            match name {
                "wc" | "du" => warn!(name, "write error"),
                _ if name.ends_with("sum") => warn!(name, "write error"),
                _ => warn!(name, "write error: ", e),
            }
            failed
        }
        None => code,
    }
}

/// Writes `NAME: text` and a newline to standard error, after what standard output holds.
pub fn message(name: &str, text: &[u8]) {
    flush();
    let name = program(name);
    let mut line = Vec::with_capacity(name.len() + text.len() + 3);
    line.extend_from_slice(&name);
    line.extend_from_slice(b": ");
    line.extend_from_slice(text);
    line.push(b'\n');
    let _ = sys::write_all(2, &line);
}

/// Writes the hint after a wrong use.
pub fn try_help(name: &str) {
    flush();
    let name = program(name);
    let _ = sys::write_all(2, &crate::bytes!("Try '", name, " --help' for more information.\n"));
}

/// The name as it was called: with its directories if they were given.
fn program(name: &str) -> Vec<u8> {
    std::env::args_os()
        .next()
        .map(std::ffi::OsString::into_encoded_bytes)
        .filter(|called| called.strip_suffix(name.as_bytes()).is_some_and(|dir| dir.ends_with(b"/")))
        .unwrap_or_else(|| name.as_bytes().to_vec())
}

fn write_out(buffer: &mut Vec<u8>) {
    if !buffer.is_empty() {
        WRITTEN.set(WRITTEN.get() + buffer.len() as u64);
        if FAILED.get().is_none()
            && let Err(e) = sys::write_all(1, buffer)
        {
            FAILED.set(Some(e));
        }
        buffer.clear();
    }
}
