//! A piece of a file: in memory, or stored.

use super::stored::{Persist, Reader, Stored, Value, bad};
use crate::{BlobSource, Result};
use std::sync::Arc;

/// Size of a chunk in bytes. The first change of a shared chunk copies all of it.
pub(crate) const CHUNK: usize = 64 * 1024;

/// Bytes of a file. Clones share them.
#[derive(Clone)]
pub(crate) enum Chunk {
    /// In memory.
    Memory(Arc<Vec<u8>>),
    /// Stored, and read each time: what was only looked at takes no memory.
    Away(Arc<Away>),
}

pub(crate) struct Away {
    stored: Stored,
    len: usize,
}

impl Chunk {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self::Memory(Arc::new(bytes))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::Away(away) => away.len,
        }
    }

    pub(crate) fn is_here(&self) -> bool {
        matches!(self, Self::Memory(_))
    }

    /// Fills `buf` with the bytes from `start` on. After the end are zeros.
    pub(crate) fn read(&self, buf: &mut [u8], start: usize) -> Result<()> {
        let loaded;
        let bytes = match self {
            Self::Memory(bytes) => bytes,
            Self::Away(away) if start >= away.len => {
                buf.fill(0);
                return Ok(());
            }
            Self::Away(away) => {
                loaded = away.load()?;
                &loaded
            }
        };
        let bytes = bytes.get(start..).unwrap_or_default();
        let known = bytes.len().min(buf.len());
        buf[..known].copy_from_slice(&bytes[..known]);
        buf[known..].fill(0);
        Ok(())
    }

    /// The bytes, to change them.
    pub(crate) fn bytes_mut(&mut self) -> Result<&mut Arc<Vec<u8>>> {
        if let Self::Away(away) = self {
            *self = Self::Memory(away.load()?);
        }
        match self {
            Self::Memory(bytes) => Ok(bytes),
            Self::Away(_) => Err(bad()),
        }
    }

    /// Whether a write of all bytes up to `end` should not change them in place: they are shared, stored, or there are
    /// none yet and no room.
    pub(crate) fn is_best_replaced(&mut self, end: usize) -> bool {
        match self {
            Self::Memory(bytes) => {
                Arc::get_mut(bytes).is_none_or(|bytes| bytes.capacity() < end && bytes.is_empty())
            }
            Self::Away(_) => true,
        }
    }
}

impl Away {
    fn load(&self) -> Result<Arc<Vec<u8>>> {
        let bytes = self.stored.load()?;
        if bytes.len() == self.len { Ok(bytes) } else { Err(bad()) }
    }
}

/// The most bytes that are stored with what refers to them, and not as a blob.
pub(super) const INLINE: usize = 128;

impl Value for Chunk {
    /// A number of bytes and the bytes, if they are few; otherwise a larger number and the blob.
    fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        to.extend(u32::try_from(self.len()).map_err(|_| bad())?.to_le_bytes());
        match self {
            Self::Memory(bytes) if bytes.len() <= INLINE => to.extend_from_slice(bytes),
            Self::Memory(_) => return Err(bad()),
            Self::Away(away) => to.extend(away.stored.id.0),
        }
        Ok(())
    }

    fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Self> {
        let len = from.u32()? as usize;
        if len <= INLINE {
            return Ok(Self::new(from.bytes(len)?.to_vec()));
        }
        if len > CHUNK {
            return Err(bad());
        }
        let stored = Stored { id: from.id()?, source: Arc::clone(source) };
        Ok(Self::Away(Arc::new(Away { stored, len })))
    }

    fn persist(&self, _key: u64, persist: &mut Persist<'_>) -> Result<Self> {
        match self {
            Self::Memory(bytes) if bytes.len() > INLINE => {
                let stored = persist.store_shared(Arc::clone(bytes))?;
                Ok(Self::Away(Arc::new(Away { stored, len: bytes.len() })))
            }
            chunk => Ok(chunk.clone()),
        }
    }
}

impl Chunk {
    /// The blob that holds the bytes, if they are stored in one.
    pub(super) fn blob(&self) -> Option<crate::BlobId> {
        match self {
            Self::Memory(_) => None,
            Self::Away(away) => Some(away.stored.id),
        }
    }
}
