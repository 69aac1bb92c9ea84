//! Whole filesystems: their roots, and changing from what is in memory to what is stored.

use super::super::chunk::Chunk;
use super::super::content::Content;
use super::super::directory::{Directory, kind_number};
use super::super::inode::{Body, Inode};
use super::super::live::Live;
use super::super::store::{Limits, Store, Usage};
use super::super::tree::Tree;
use super::super::{MemoryFs, Snapshot};
use super::{Persist, Reader, Value, bad};
use crate::{BlobId, BlobSink, BlobSource, Errno, Result, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A snapshot that was stored.
pub struct Persisted {
    root: BlobId,
    from: Store,
    to: Store,
    changed: Vec<u64>,
}

impl Persisted {
    /// The blob that the state can be opened from again.
    pub fn root(&self) -> BlobId {
        self.root
    }
}

impl Snapshot {
    /// Stores what is not stored yet. The work is proportional to the changes since the last [`MemoryFs::settle`].
    ///
    /// # Errors
    /// Those of the sink; `EXDEV` if parts are stored in another source than this one.
    pub fn persist(&self, source: &Arc<dyn BlobSource>, sink: &mut dyn BlobSink) -> Result<Persisted> {
        let from = self.store.clone();
        if from.source.as_ref().is_some_and(|other| !same(other, source)) {
            return Err(Errno::XDev);
        }
        let mut persist = Persist { sink, source: Arc::clone(source), changed: Vec::new() };
        let mut to = from.clone();
        to.inodes = from.inodes.persist(&mut persist)?;
        to.source = Some(Arc::clone(source));
        let root = persist.store(encode(&to)?)?.id;
        let changed = persist.changed;
        Ok(Persisted { root, from, to, changed })
    }

    /// Whether nothing has changed since everything was stored.
    pub fn is_stored(&self) -> bool {
        self.store.source.is_some() && self.store.inodes.is_stored()
    }
}

impl MemoryFs {
    /// The filesystem with this root. Everything below is read when it is needed. It has no limits, and the host's
    /// clock.
    ///
    /// # Errors
    /// Those of the source; `EIO` if the blob is no root.
    pub fn open(source: &Arc<dyn BlobSource>, root: &BlobId) -> Result<Self> {
        let bytes = source.load(root)?;
        let store = decode(&mut Reader::new(&bytes), source)?;
        Ok(Self { live: Live::resume(store) })
    }

    /// Lets go of the memory for what was stored. Call it when that is durable.
    pub fn settle(&self, persisted: Persisted) {
        let Persisted { from, to, changed, .. } = persisted;
        let mut store = self.live.write();
        if store.source.as_ref().is_some_and(|other| to.source.as_ref().is_none_or(|own| !same(other, own))) {
            return;
        }
        store.source.clone_from(&to.source);
        if store.inodes.shares_root(&from.inodes) {
            store.inodes = to.inodes.clone();
        } else {
            for ino in changed {
                let (Ok(Some(before)), Ok(Some(after))) = (from.inodes.get(ino), to.inodes.get(ino)) else {
                    continue;
                };
                if store.inodes.get(ino).is_ok_and(|now| now.is_some_and(|now| Arc::ptr_eq(now, before))) {
                    // If something cannot be read, the inode stays in memory.
                    let _ = store.inodes.insert(ino, Arc::clone(after));
                }
            }
        }
        drop(store);
    }
}

fn same(one: &Arc<dyn BlobSource>, other: &Arc<dyn BlobSource>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other))
}

/// The first bytes of a root.
const MAGIC: &[u8; 8] = b"sstree\0\x01";

fn encode(store: &Store) -> Result<Vec<u8>> {
    let mut to = MAGIC.to_vec();
    for number in [store.next, store.usage.bytes, store.usage.inodes, store.links] {
        to.extend(number.to_le_bytes());
    }
    to.extend(u32::try_from(store.users.len()).map_err(|_| bad())?.to_le_bytes());
    for (uid, usage) in &*store.users {
        to.extend(uid.to_le_bytes());
        to.extend(usage.bytes.to_le_bytes());
        to.extend(usage.inodes.to_le_bytes());
    }
    store.inodes.encode(&mut to)?;
    Ok(to)
}

fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Store> {
    skip_magic(from)?;
    let (next, bytes, inodes, links) = (from.u64()?, from.u64()?, from.u64()?, from.u64()?);
    let mut users = BTreeMap::new();
    for _ in 0..from.u32()? {
        let (uid, bytes, inodes) = (from.u32()?, from.u64()?, from.u64()?);
        users.insert(uid, Usage { bytes, inodes });
    }
    let mut store = Store::new(Limits::default(), 0, 0, 0, Time::default());
    (store.next, store.usage, store.links) = (next, Usage { bytes, inodes }, links);
    store.users = Arc::new(users);
    store.inodes = Tree::decode(from, source)?;
    store.source = Some(Arc::clone(source));
    from.end()?;
    Ok(store)
}

/// Skips everything before the tree of inodes.
pub(super) fn skip_head(from: &mut Reader<'_>) -> Result<()> {
    skip_magic(from)?;
    from.bytes(32)?;
    for _ in 0..from.u32()? {
        from.bytes(20)?;
    }
    Ok(())
}

fn skip_magic(from: &mut Reader<'_>) -> Result<()> {
    if from.bytes(MAGIC.len())? == MAGIC { Ok(()) } else { Err(bad()) }
}

impl Value for Arc<Inode> {
    fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        if self.origin.is_some() {
            return Err(bad());
        }
        for number in [self.mode, self.uid, self.gid, self.nlink] {
            to.extend(number.to_le_bytes());
        }
        for time in [self.atime, self.mtime, self.ctime] {
            to.extend(time.secs.to_le_bytes());
            to.extend(time.nanos.to_le_bytes());
        }
        to.extend(self.parent.to_le_bytes());
        to.push(u8::try_from(self.name.len()).map_err(|_| bad())?);
        to.extend_from_slice(&self.name);
        to.push(kind_number(self.kind()));
        match &self.body {
            Body::File(Content::Small(chunk)) => {
                to.push(0);
                chunk.encode(to)
            }
            Body::File(Content::Large { len, stored, chunks }) => {
                to.push(1);
                to.extend(len.to_le_bytes());
                to.extend(stored.to_le_bytes());
                chunks.encode(to)
            }
            Body::Directory(directory) => directory.encode(to),
            Body::Symlink(target) => {
                to.extend(u16::try_from(target.len()).map_err(|_| bad())?.to_le_bytes());
                to.extend_from_slice(target);
                Ok(())
            }
            Body::Fifo | Body::Socket => Ok(()),
            Body::CharDevice(rdev) => {
                to.extend(rdev.to_le_bytes());
                Ok(())
            }
        }
    }

    fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Self> {
        let (mode, uid, gid, nlink) = (from.u32()?, from.u32()?, from.u32()?, from.u32()?);
        let mut times = [Time::default(); 3];
        for time in &mut times {
            *time = Time { secs: from.u64()?.cast_signed(), nanos: from.u32()? };
        }
        let [atime, mtime, ctime] = times;
        let parent = from.u64()?;
        let size = usize::from(from.u8()?);
        let name = Arc::from(from.bytes(size)?);
        let body = match from.u8()? {
            0 => Body::File(match from.u8()? {
                0 => Content::Small(Chunk::decode(from, source)?),
                1 => Content::Large {
                    len: from.u64()?,
                    stored: from.u64()?,
                    chunks: Tree::decode(from, source)?,
                },
                _ => return Err(bad()),
            }),
            1 => Body::Directory(Directory::decode(from, source)?),
            2 => {
                let size = usize::from(from.u16()?);
                Body::Symlink(Arc::from(from.bytes(size)?))
            }
            3 => Body::Fifo,
            4 => Body::CharDevice(from.u32()?),
            5 => Body::Socket,
            _ => return Err(bad()),
        };
        let mode = mode & 0o7777;
        let origin = None;
        Ok(Self::new(Inode { body, mode, uid, gid, nlink, atime, mtime, ctime, parent, name, origin }))
    }

    fn persist(&self, key: u64, persist: &mut Persist<'_>) -> Result<Self> {
        let body = match &self.body {
            Body::File(Content::Small(chunk)) => {
                let stored = chunk.persist(0, persist)?;
                if stored.is_here() == chunk.is_here() {
                    return Ok(Self::clone(self));
                }
                Body::File(Content::Small(stored))
            }
            Body::File(Content::Large { len, stored, chunks }) if !chunks.is_stored() => {
                let chunks = chunks.persist(persist)?;
                Body::File(Content::Large { len: *len, stored: *stored, chunks })
            }
            Body::Directory(directory) if !directory.is_stored() => {
                let stored = directory.persist(persist)?;
                if !stored.is_stored() {
                    return Ok(Self::clone(self));
                }
                Body::Directory(stored)
            }
            _ => return Ok(Self::clone(self)),
        };
        persist.note_changed(key);
        Ok(Self::new(Inode { body, ..Inode::clone(self) }))
    }
}
