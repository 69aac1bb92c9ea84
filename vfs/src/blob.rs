//! Stored pieces of filesystems: where they are read from and written to.

use crate::Result;
use std::fmt;
use std::sync::Arc;

/// The name of a blob: a cryptographic hash of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId(
    /// The hash.
    pub [u8; 32],
);

/// Where stored pieces are read from.
pub trait BlobSource: Send + Sync {
    /// The blob's bytes, which were checked against its name. [`Errno::Io`](crate::Errno::Io) if it is missing, damaged
    /// or cannot be read.
    fn load(&self, id: &BlobId) -> Result<Arc<Vec<u8>>>;
}

/// Where pieces are stored.
pub trait BlobSink {
    /// Stores a blob and returns its name. It may become durable later, but before anything that refers to it.
    fn store(&mut self, bytes: Arc<Vec<u8>>) -> Result<BlobId>;
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}
