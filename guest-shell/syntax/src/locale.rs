//! Whether text is UTF-8 or single bytes (`LC_ALL=C`).

use std::sync::atomic::{AtomicBool, Ordering};

static BYTES: AtomicBool = AtomicBool::new(false);

/// Selects single bytes, or UTF-8 again.
pub fn set_bytes(on: bool) {
    BYTES.store(on, Ordering::Relaxed);
}

/// Whether each byte is a character.
pub fn is_bytes() -> bool {
    BYTES.load(Ordering::Relaxed)
}
