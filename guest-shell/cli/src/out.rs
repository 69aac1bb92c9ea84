//! Buffered standard output. Errors are reported at the end.

use crate::warn;
use sandshell_sys as sys;
use std::cell::{Cell, RefCell};

/// The size of the first buffer. It is small, so that a reader who needs only the beginning does not have to wait.
const FIRST: usize = 4 * 1024;
/// The largest size of the buffer. It is doubled after each write.
const MOST: usize = 64 * 1024;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FLUSH_AT: Cell<usize> = const { Cell::new(FIRST) };
    static WRITTEN: Cell<u64> = const { Cell::new(0) };
    static FAILED: Cell<Option<sys::Errno>> = const { Cell::new(None) };
}

/// How many bytes have been written to the buffer so far.
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

/// Calls `build` with the buffer, to which it may append.
pub fn build(build: impl FnOnce(&mut Vec<u8>)) {
    BUFFER.with_borrow_mut(|b| {
        build(b);
        if b.len() >= FLUSH_AT.get() {
            write_out(b);
            FLUSH_AT.set((FLUSH_AT.get() * 2).min(MOST));
        }
    });
}

/// Writes the buffered bytes.
pub fn flush() {
    BUFFER.with_borrow_mut(write_out);
}

/// The first error of standard output so far.
pub fn failure() -> Option<sys::Errno> {
    FAILED.get()
}

/// Flushes standard output. If any write failed, prints `NAME: write error: …` and returns `failed`; otherwise returns
/// `code`.
pub fn finish(name: &str, code: i32, failed: i32) -> i32 {
    flush();
    match FAILED.get() {
        Some(e) => {
            // GNU's versions of these write line by line, and do not know the reason any more at the end.
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
