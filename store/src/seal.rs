//! Checksums of rows: the database does not check what it reads.

/// A checksum of these fields, in this order.
pub(crate) fn seal(fields: &[&[u8]]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    hasher.finalize().as_bytes()[..16].to_vec()
}

/// The bytes of a number that may be missing.
pub(crate) fn number(number: Option<i64>) -> Vec<u8> {
    number.map(|number| number.to_le_bytes().to_vec()).unwrap_or_default()
}

/// A text that is the same for the same parts in the same order, and else another.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    seal(parts).iter().map(|byte| format!("{byte:02x}")).collect()
}
