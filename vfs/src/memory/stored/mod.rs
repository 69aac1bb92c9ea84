//! The stored form of a filesystem in memory.
//!
//! A stored filesystem is made of blobs that name each other by their hashes: a root, which names the nodes of a tree
//! of inodes, which name the contents of files and directories. So two states share what is equal in both, and a change
//! stores only the path to what changed. `docs/store-format.md` has the exact form.

mod changes;
mod references;
mod root;

pub use references::{BlobKind, references};
pub use root::Persisted;

use crate::{BlobId, BlobSink, BlobSource, Errno, Result};
use std::sync::Arc;

/// Something that trees hold and that can be stored.
pub(crate) trait Value: Clone {
    /// Appends the stored form. Its parts are stored already.
    fn encode(&self, to: &mut Vec<u8>) -> Result<()>;

    /// Reads what [`encode`](Self::encode) wrote. The bytes are not trusted.
    fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Self>;

    /// Stores its parts that are not stored yet. Returns the value that refers to them. `key` is its key in the tree.
    fn persist(&self, key: u64, persist: &mut Persist<'_>) -> Result<Self>;
}

/// Where a piece is stored.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) id: BlobId,
    pub(crate) source: Arc<dyn BlobSource>,
}

impl Stored {
    pub(crate) fn load(&self) -> Result<Arc<Vec<u8>>> {
        self.source.load(&self.id)
    }
}

/// Storing a filesystem.
pub(crate) struct Persist<'a> {
    sink: &'a mut dyn BlobSink,
    source: Arc<dyn BlobSource>,
    /// The inodes that now refer to what was stored.
    changed: Vec<u64>,
}

impl Persist<'_> {
    pub(crate) fn store(&mut self, bytes: Vec<u8>) -> Result<Stored> {
        self.store_shared(Arc::new(bytes))
    }

    pub(crate) fn store_shared(&mut self, bytes: Arc<Vec<u8>>) -> Result<Stored> {
        Ok(Stored { id: self.sink.store(bytes)?, source: Arc::clone(&self.source) })
    }

    pub(crate) fn note_changed(&mut self, ino: u64) {
        self.changed.push(ino);
    }
}

/// Reads stored bytes, which may be anything.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(bad)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.bytes(N)?.try_into().map_err(|_| bad())
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn id(&mut self) -> Result<BlobId> {
        Ok(BlobId(self.array()?))
    }

    /// Fails if something is left.
    pub(crate) fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(bad()) }
    }
}

/// The error for stored bytes that cannot be what they should be.
pub(crate) fn bad() -> Errno {
    Errno::Io
}

/// Numbers are only held in memory.
impl Value for u64 {
    fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        to.extend(self.to_le_bytes());
        Ok(())
    }

    fn decode(from: &mut Reader<'_>, _source: &Arc<dyn BlobSource>) -> Result<Self> {
        from.u64()
    }

    fn persist(&self, _key: u64, _persist: &mut Persist<'_>) -> Result<Self> {
        Ok(*self)
    }
}
