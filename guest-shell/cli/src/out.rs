//! Buffered standard output, whose errors are told at the end.

use crate::warn;
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
