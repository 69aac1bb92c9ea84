//! What is known of sandboxes, their states and snapshots: the records, and the rows that hold them.

pub(crate) mod sandbox;
pub(crate) mod snapshot;
pub(crate) mod state;

use crate::error::{Result, StoreError};
use sandshell_vfs::BlobId;
use std::path::Path;

/// The error for a row whose checksum is wrong.
pub(crate) fn bad_row(at: &Path, what: &str) -> StoreError {
    StoreError::Damaged { at: at.to_owned(), what: format!("{what} has a wrong checksum") }
}

/// The name of a blob in a row.
pub(crate) fn blob(at: &Path, bytes: &[u8]) -> Result<BlobId> {
    bytes.try_into().map(BlobId).map_err(|_| bad_row(at, "a row"))
}
