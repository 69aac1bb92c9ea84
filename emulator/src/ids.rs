//! Random ids that cannot be guessed, and whether somebody knows a secret.

use sha2::{Digest, Sha256};

/// `length` random digits and lower-case letters.
pub(crate) fn random_id(length: usize) -> String {
    of(b"0123456789abcdefghijklmnopqrstuvwxyz", length)
}

/// An id in the form of a UUID.
pub(crate) fn random_uuid() -> String {
    let part = |length| of(b"0123456789abcdef", length);
    format!("{}-{}-4{}-8{}-{}", part(8), part(4), part(3), part(3), part(12))
}

/// Whether a secret is the right one. How long that takes tells nothing about it.
pub(crate) fn is_secret(given: &str, right: &str) -> bool {
    Sha256::digest(given) == Sha256::digest(right)
}

/// Encodes a number as a cursor.
pub(crate) fn cursor(number: u64) -> String {
    format!("{number:016x}")
}

/// Decodes the number of a cursor. Without a cursor, it is the beginning; `None` if the cursor is invalid.
pub(crate) fn position(cursor: Option<&str>) -> Option<u64> {
    match cursor.filter(|cursor| !cursor.is_empty()) {
        None => Some(0),
        Some(cursor) => u64::from_str_radix(cursor, 16).ok(),
    }
}

fn of(digits: &[u8], length: usize) -> String {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
        .iter()
        .filter_map(|byte| digits.get(usize::from(*byte) % digits.len()))
        .copied()
        .map(char::from)
        .collect()
}
