//! What a stored piece refers to, for those who look through everything that is stored.

use super::super::chunk::Chunk;
use super::super::content::Content;
use super::super::directory;
use super::super::inode::{Body, Inode};
use super::super::tree;
use super::root::skip_head;
use super::{Reader, bad};
use crate::{BlobId, BlobSource, Errno, Result};
use std::sync::Arc;

/// What a blob is, which only what refers to it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlobKind {
    /// The root of a filesystem.
    Root,
    /// A node of a tree of inodes, this many levels above the leaves.
    Inodes(u8),
    /// A node of a tree of a file's contents, this many levels above the leaves.
    Contents(u8),
    /// The list of the pieces of a directory.
    Directory,
    /// Names of a directory.
    Names,
    /// Bytes of a file.
    Bytes,
}

/// The blobs that this blob refers to.
///
/// # Errors
/// `EIO` if the bytes are not what `kind` says.
pub fn references(kind: BlobKind, bytes: &[u8]) -> Result<Vec<(BlobKind, BlobId)>> {
    let mut from = Reader::new(bytes);
    match kind {
        BlobKind::Root => {
            skip_head(&mut from)?;
            let root = tree::decode_root(&mut from)?;
            from.end()?;
            Ok(below(BlobKind::Inodes, root)?.into_iter().collect())
        }
        BlobKind::Inodes(0) => inodes(&mut from),
        BlobKind::Contents(0) => {
            let chunks: Vec<Chunk> = tree::values(&mut from, &nowhere())?;
            Ok(chunks.iter().filter_map(Chunk::blob).map(|id| (BlobKind::Bytes, id)).collect())
        }
        BlobKind::Inodes(level) => {
            Ok(tree::children(&mut from)?.into_iter().map(|id| (BlobKind::Inodes(level - 1), id)).collect())
        }
        BlobKind::Contents(level) => {
            Ok(tree::children(&mut from)?.into_iter().map(|id| (BlobKind::Contents(level - 1), id)).collect())
        }
        BlobKind::Directory => {
            Ok(directory::pieces(bytes)?.into_iter().map(|id| (BlobKind::Names, id)).collect())
        }
        BlobKind::Names => directory::decode_entries(&mut from).map(|_| Vec::new()),
        BlobKind::Bytes => Ok(Vec::new()),
    }
}

fn inodes(from: &mut Reader<'_>) -> Result<Vec<(BlobKind, BlobId)>> {
    let inodes: Vec<Arc<Inode>> = tree::values(from, &nowhere())?;
    let mut found = Vec::new();
    for inode in inodes {
        match &inode.body {
            Body::File(Content::Small(chunk)) => found.extend(chunk.blob().map(|id| (BlobKind::Bytes, id))),
            Body::File(Content::Large { chunks, .. }) => {
                let mut root = Vec::new();
                chunks.encode(&mut root)?;
                found.extend(below(BlobKind::Contents, tree::decode_root(&mut Reader::new(&root))?)?);
            }
            Body::Directory(directory) => found.extend(directory.list().map(|id| (BlobKind::Directory, id))),
            Body::Symlink(_) | Body::Fifo | Body::Socket | Body::CharDevice(_) => {}
        }
    }
    Ok(found)
}

fn below(
    kind: fn(u8) -> BlobKind,
    (height, root): (u32, Option<BlobId>),
) -> Result<Option<(BlobKind, BlobId)>> {
    let level = u8::try_from(height - 1).map_err(|_| bad())?;
    Ok(root.map(|id| (kind(level), id)))
}

/// A source for looking at a single blob.
fn nowhere() -> Arc<dyn BlobSource> {
    struct Nowhere;
    impl BlobSource for Nowhere {
        fn load(&self, _id: &BlobId) -> Result<Arc<Vec<u8>>> {
            Err(Errno::Io)
        }
    }
    Arc::new(Nowhere)
}
