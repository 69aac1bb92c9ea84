//! Names: of blobs, by what is in them, and random ones.

use crate::error::{Result, StoreError};
use sandshell_vfs::BlobId;

/// The name of a blob.
pub(crate) fn name(bytes: &[u8]) -> BlobId {
    BlobId(*blake3::hash(bytes).as_bytes())
}

/// Twelve random letters and digits.
pub(crate) fn random_name() -> Result<String> {
    const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Io {
        at: "random numbers".into(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect())
}
