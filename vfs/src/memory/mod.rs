//! A filesystem in memory.

mod chunk;
mod content;
mod directory;
mod file;
mod inode;
mod live;
mod names;
mod reaper;
mod store;
mod stored;
mod tree;

pub(crate) use content::Content;
pub(crate) use directory::{Directory, Entry};
pub(crate) use file::MemoryFile;
pub(crate) use inode::{Body, Inode, Origin, metadata};
pub(crate) use live::{Handle, Live};
pub(crate) use names::Names;
pub use store::{Limits, Usage};
pub(crate) use store::{ROOT, Store};
pub use stored::{BlobKind, Persisted, references};
pub(crate) use tree::Tree;

use crate::permit::permit;
use crate::{
    Access, Context, Errno, File, FileKind, FileSystem, HostClock, Metadata, NewNode, Node, Result,
    SetAttributes, StatFs, TimeSource, Walk,
};
use file::MemoryDirectory;
use std::fmt;
use std::sync::Arc;

/// A filesystem in memory with structural sharing: [`snapshot`](Self::snapshot) and [`fork`](Self::fork) take constant
/// time and copy nothing, whatever the size is. Later changes copy only small pieces.
///
/// Inode numbers are assigned in order from 1 (the root) and never reused, so that the same operations give the same
/// numbers. Access times are set only on creation and by `utimensat`, as on a Linux mount with `noatime`. Directories
/// have a size of 4096 bytes.
pub struct MemoryFs {
    live: Arc<Live>,
}

/// A snapshot of a [`MemoryFs`]. Clones are free.
#[derive(Clone)]
pub struct Snapshot {
    store: Store,
}

/// Builds a [`MemoryFs`]. Defaults: no limits, the host's clock, and a root directory of mode 0755 that belongs to user
/// 1000.
#[derive(Clone)]
pub struct MemoryFsBuilder {
    limits: Limits,
    time: Arc<dyn TimeSource>,
    mode: u32,
    uid: u32,
    gid: u32,
}

impl MemoryFsBuilder {
    /// What it may hold.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The source of timestamps.
    pub fn time(mut self, time: Arc<dyn TimeSource>) -> Self {
        self.time = time;
        self
    }

    /// Mode bits and owner of the root directory.
    pub fn root(mut self, mode: u32, uid: u32, gid: u32) -> Self {
        (self.mode, self.uid, self.gid) = (mode, uid, gid);
        self
    }

    /// Builds the filesystem, with an empty root directory.
    pub fn build(self) -> MemoryFs {
        MemoryFs { live: Live::new(self.limits, self.mode, self.uid, self.gid, self.time) }
    }
}

impl MemoryFs {
    /// A filesystem with the defaults of [`builder`](Self::builder).
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A builder for other settings.
    pub fn builder() -> MemoryFsBuilder {
        let Context { uid, gid, .. } = Context::USER;
        MemoryFsBuilder { limits: Limits::default(), time: Arc::new(HostClock), mode: 0o755, uid, gid }
    }

    /// A snapshot of everything except open files without a name.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { store: self.live.snapshot() }
    }

    /// A copy of this filesystem with the same limits and clock. Neither sees the other's later changes.
    pub fn fork(&self) -> Self {
        Self { live: self.live.fork() }
    }

    /// What it holds.
    pub fn usage(&self) -> Usage {
        self.live.read().usage()
    }

    /// What it may hold.
    pub fn limits(&self) -> Limits {
        self.live.read().limits
    }

    /// Changes the limits. Existing files stay, even if they exceed the new limits.
    pub fn set_limits(&self, limits: Limits) {
        self.live.write().limits = limits;
    }
}

impl Default for MemoryFs {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryFs").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// A new filesystem with this content and the host's clock.
    pub fn restore(&self) -> MemoryFs {
        MemoryFs { live: Live::resume(self.store.clone()) }
    }

    /// What it holds.
    pub fn usage(&self) -> Usage {
        self.store.usage()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

impl MemoryFs {
    /// Another handle on the same filesystem.
    pub(crate) fn share(&self) -> Self {
        Self { live: Arc::clone(&self.live) }
    }

    fn ino(&self, node: &Node) -> Result<u64> {
        let handle = node.get::<Handle>().ok_or(Errno::Stale)?;
        // A fork has the same inode numbers, so its nodes must be told apart.
        if Arc::ptr_eq(&handle.live, &self.live) { Ok(handle.ino) } else { Err(Errno::Stale) }
    }

    fn node(&self, ino: u64, kind: FileKind) -> Node {
        Node::new(ino, kind, Handle::new(&self.live, ino))
    }
}

impl FileSystem for MemoryFs {
    fn root(&self) -> Node {
        Node::new(ROOT, FileKind::Directory, Handle::root(&self.live))
    }

    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        let mut directory = self.ino(from)?;
        let store = self.live.read();
        for (index, name) in names.iter().enumerate() {
            let inode = store.get(directory)?;
            let entries = inode.names()?;
            if cx.uid != 0 {
                permit(cx, &metadata(directory, inode), 1)?;
            }
            let entry = *entries.get(name).ok_or(Errno::NoEnt)?;
            let kind = entry.kind.ok_or(Errno::NoEnt)?;
            let consumed = index + 1;
            let stop = consumed == names.len()
                || kind == FileKind::Symlink
                || mountpoints.binary_search(&entry.ino).is_ok();
            if stop {
                let metadata = store.metadata(entry.ino)?;
                let node = self.node(entry.ino, kind);
                let directory =
                    (kind == FileKind::Symlink).then(|| self.node(directory, FileKind::Directory));
                return Ok(Walk { node, consumed, directory, metadata: Some(metadata) });
            }
            directory = entry.ino;
        }
        Err(Errno::Inval)
    }

    fn parent(&self, node: &Node) -> Result<Node> {
        let ino = self.ino(node)?;
        let store = self.live.read();
        let parent = store.get(ino)?.parent;
        store.get(parent)?;
        Ok(self.node(parent, FileKind::Directory))
    }

    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        let ino = self.ino(node)?;
        self.live.read().path(ino)
    }

    fn metadata(&self, node: &Node) -> Result<Metadata> {
        let ino = self.ino(node)?;
        self.live.read().metadata(ino)
    }

    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()> {
        let ino = self.ino(node)?;
        let now = self.live.now();
        file::fetch(&self.live, ino, |_| [attributes.size, None])?;
        self.live.write().set_attributes(ino, attributes, now)
    }

    fn read_link(&self, _cx: &Context, node: &Node) -> Result<Vec<u8>> {
        let ino = self.ino(node)?;
        match &self.live.read().get(ino)?.body {
            Body::Symlink(target) => Ok(target.to_vec()),
            _ => Err(Errno::Inval),
        }
    }

    fn open(&self, cx: &Context, node: &Node, _access: Access) -> Result<Arc<dyn File>> {
        self.ino(node)?;
        let handle = node.get::<Handle>().ok_or(Errno::Stale)?.clone();
        match handle.kind()? {
            FileKind::Regular => Ok(Arc::new(MemoryFile::new(handle, cx))),
            FileKind::Directory => Ok(Arc::new(MemoryDirectory::new(handle))),
            _ => Err(Errno::NxIo),
        }
    }

    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node> {
        let parent = self.ino(directory)?;
        let now = self.live.now();
        let mut store = self.live.write();
        let ino = store.create((parent, name), new, now)?;
        Ok(self.node(ino, store.get(ino)?.kind()))
    }

    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()> {
        let (ino, parent) = (self.ino(node)?, self.ino(directory)?);
        let now = self.live.now();
        self.live.write().link(ino, (parent, name), now)
    }

    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()> {
        let parent = self.ino(directory)?;
        let now = self.live.now();
        let mut store = self.live.write();
        let gone = store.unlink((parent, name), now)?;
        self.live.release(&mut store, gone);
        Ok(())
    }

    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()> {
        let parent = self.ino(directory)?;
        let now = self.live.now();
        let mut store = self.live.write();
        let gone = store.remove_dir((parent, name), now)?;
        self.live.release(&mut store, gone);
        Ok(())
    }

    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()> {
        let (from, to) = (self.ino(old.0)?, self.ino(new.0)?);
        let now = self.live.now();
        let mut store = self.live.write();
        let gone = store.rename((from, old.1), (to, new.1), now)?;
        self.live.release(&mut store, gone);
        Ok(())
    }

    fn stat_fs(&self) -> Result<StatFs> {
        Ok(self.live.read().stat_fs())
    }

    fn fork(&self) -> Option<Arc<dyn FileSystem>> {
        Some(Arc::new(Self::fork(self)))
    }

    fn adopt(&self, node: &Node) -> Result<Node> {
        let ino = node.get::<Handle>().ok_or(Errno::Stale)?.ino;
        let store = self.live.read();
        Ok(self.node(ino, store.get(ino)?.kind()))
    }

    fn frozen(&self) -> Option<Snapshot> {
        Some(self.snapshot())
    }

    fn in_memory(&self) -> bool {
        true
    }

    fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        self.live.set_time_source(time);
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryFs;
    use crate::{Access, Context, FileSystem, NewBody, NewNode};
    use std::sync::Arc;

    #[test]
    fn a_fork_shares_everything_and_a_change_copies_little() {
        let fs = MemoryFs::new();
        let root = fs.root();
        let new = NewNode { body: NewBody::File, mode: 0o644, uid: 1000, gid: 1000 };
        for number in 0..10_000 {
            let node = fs.create(&root, format!("f{number}").as_bytes(), &new).unwrap();
            let file = fs.open(&Context::USER, &node, Access { read: false, write: true }).unwrap();
            file.write_at(&[7; 1000], 0).unwrap();
        }
        let fork = MemoryFs::fork(&fs);
        assert!(fs.live.read().shares_inodes(&fork.live.read()), "one pointer was copied");
        let node = fork.walk(&Context::USER, &fork.root(), &[b"f77"], &[]).unwrap().node;
        let file = fork.open(&Context::USER, &node, Access { read: false, write: true }).unwrap();
        file.write_at(b"x", 0).unwrap();
        let own = |ino| {
            let (one, two) = (fs.live.read(), fork.live.read());
            !std::ptr::eq(one.get(ino).unwrap(), two.get(ino).unwrap())
        };
        let copied: Vec<u64> = (1..=10_001).filter(|ino| own(*ino)).collect();
        assert_eq!(copied, [node.ino()], "only the changed inode was copied");
        drop((file, node));
        let other = Arc::new(fork);
        assert_eq!(other.usage(), fs.usage());
    }
}
