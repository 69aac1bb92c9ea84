//! Whether text is UTF-8 or bytes (`LC_ALL=C`).

use std::sync::atomic::{AtomicBool, Ordering};

static BYTES: AtomicBool = AtomicBool::new(false);

/// Makes every byte a character of its own, or text UTF-8 again.
pub fn set_bytes(on: bool) {
    BYTES.store(on, Ordering::Relaxed);
}

/// Whether every byte is a character of its own.
pub fn is_bytes() -> bool {
    BYTES.load(Ordering::Relaxed)
}
