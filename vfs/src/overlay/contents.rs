//! The contents of a file in either layer, with its holes.

use super::diff::Source;
use super::layers::Layers;
use crate::memory::{Body, Content};
use crate::{Access, Context, Errno, File, FileKind, Node, Result};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are compared at a time.
const PIECE: u64 = 256 * 1024;

/// The current contents of a regular file, or the target of a link.
pub(super) enum Contents {
    Memory(Content),
    File { file: Arc<dyn File>, size: u64 },
    Text(Vec<u8>),
}

impl Layers {
    /// The contents of a file that the overlay shows.
    pub(super) fn contents_above(&self, source: &Source) -> Result<Contents> {
        let ino = match source {
            Source::Lower(path) => return self.contents_below(&self.lower_at(path)?),
            Source::Upper(ino) => *ino,
        };
        Ok(match &self.live.read().get(ino)?.body {
            Body::File(content) => Contents::Memory(content.clone()),
            Body::Symlink(target) => Contents::Text(target.to_vec()),
            _ => Contents::Text(Vec::new()),
        })
    }

    /// As [`contents_above`](Self::contents_above), for a lower file.
    pub(super) fn contents_below(&self, node: &Node) -> Result<Contents> {
        Ok(match node.kind() {
            FileKind::Symlink => Contents::Text(self.lower.read_link(&Context::ROOT, node)?),
            FileKind::Regular => {
                let file = self.lower.open(&Context::ROOT, node, Access { read: true, write: false })?;
                let size = file.metadata()?.size;
                Contents::File { file, size }
            }
            _ => Contents::Text(Vec::new()),
        })
    }
}

impl Contents {
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Memory(content) => content.len(),
            Self::File { size, .. } => *size,
            Self::Text(text) => text.len() as u64,
        }
    }

    /// Reads until the buffer is full or the contents end.
    pub(super) fn read(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        match self {
            Self::Memory(content) => content.read(buf, offset),
            Self::Text(text) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = text.get(start..).unwrap_or_default();
                let count = rest.len().min(buf.len());
                buf[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
            Self::File { file, .. } => {
                let mut done = 0;
                while done < buf.len() {
                    match file.read_at(&mut buf[done..], offset + done as u64)? {
                        0 => break,
                        count => done += count,
                    }
                }
                Ok(done)
            }
        }
    }

    /// As [`File::next_data`].
    pub(super) fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        match self {
            Self::Memory(content) => content.next_data(offset),
            Self::File { file, .. } => file.next_data(offset),
            Self::Text(text) => {
                let size = text.len() as u64;
                Ok((offset < size).then_some(offset..size))
            }
        }
    }

    /// All bytes. Only for files that are known to be small enough.
    pub(super) fn whole(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.size()).map_err(|_| Errno::FBig)?];
        let count = self.read(&mut bytes, 0)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Whether both have the same bytes. Only ranges that are stored in one of them are read.
    pub(super) fn equals(&self, other: &Self) -> Result<bool> {
        if self.size() != other.size() {
            return Ok(false);
        }
        let mut offset = 0;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        loop {
            let stretch = match (self.next_data(offset)?, other.next_data(offset)?) {
                (None, None) => return Ok(true),
                (Some(one), None) | (None, Some(one)) => one,
                (Some(one), Some(two)) => {
                    if one.start <= two.start {
                        one
                    } else {
                        two
                    }
                }
            };
            let end = stretch.end.min(stretch.start + PIECE);
            let length = usize::try_from(end - stretch.start).map_err(|_| Errno::FBig)?;
            ours.resize(length, 0);
            theirs.resize(length, 0);
            let counts = (self.read(&mut ours, stretch.start)?, other.read(&mut theirs, stretch.start)?);
            if counts.0 != counts.1 || ours.get(..counts.0) != theirs.get(..counts.1) {
                return Ok(false);
            }
            offset = end.max(offset + 1);
        }
    }
}
