//! Filesystems whose files are generated on access.

use crate::permit::permit;
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, FileSystem, HostClock, LinkTarget, Metadata, NewNode,
    Node, Result, SetAttributes, StatFs, TimeSource, Walk,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The most bytes that all open files and directory scans of a filesystem keep together. Programs may open a large file
/// as often as they have descriptors.
const KEPT: u64 = 64 << 20;

/// A read-only filesystem of generated files, such as `/proc`. Directories and contents come from callbacks, which get
/// the identity of the caller.
///
/// Sizes are 0 and times are the current time, as in Linux's procfs. Changes are `EPERM`. What is open is kept in memory:
/// at most 64 MiB together, then opening and listing are `ENOMEM`.
pub struct SyntheticFs {
    root: Node,
    kept: Arc<AtomicU64>,
    time: RwLock<Arc<dyn TimeSource>>,
}

/// One generated file.
#[derive(Clone)]
pub struct SyntheticNode {
    /// Inode number: unique in the tree, and the same at each lookup.
    pub ino: u64,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// The kind of file with its contents.
    pub body: SyntheticBody,
}

/// Generates a file's contents or a link's text for the caller.
pub type Generator = Arc<dyn Fn(&Context) -> Result<Vec<u8>> + Send + Sync>;

/// The kinds of generated file.
#[derive(Clone)]
pub enum SyntheticBody {
    /// A directory.
    Directory(Arc<dyn SyntheticDirectory>),
    /// A file, whose contents are generated when it is opened.
    File(Generator),
    /// A symbolic link, whose text is generated when it is read.
    Symlink(Generator),
    /// A link to something that need not have a path.
    Magic(Arc<dyn MagicLink>),
}

/// A generated directory.
pub trait SyntheticDirectory: Send + Sync {
    /// The file of a name. `ENOENT` if there is none.
    fn lookup(&self, cx: &Context, name: &[u8]) -> Result<SyntheticNode>;

    /// All names, in any order.
    fn list(&self, cx: &Context) -> Result<Vec<(Box<[u8]>, SyntheticNode)>>;
}

/// A generated link to something that need not have a path.
pub trait MagicLink: Send + Sync {
    /// The result of `readlink`.
    fn text(&self, cx: &Context) -> Result<Vec<u8>>;

    /// Where it leads.
    fn target(&self, cx: &Context) -> Result<LinkTarget>;

    /// The attributes of a [`LinkTarget::Descriptor`] without a location.
    fn metadata(&self, cx: &Context) -> Result<Metadata>;
}

impl SyntheticDirectory for BTreeMap<Box<[u8]>, SyntheticNode> {
    fn lookup(&self, _cx: &Context, name: &[u8]) -> Result<SyntheticNode> {
        self.get(name).cloned().ok_or(Errno::NoEnt)
    }

    fn list(&self, _cx: &Context) -> Result<Vec<(Box<[u8]>, SyntheticNode)>> {
        Ok(self.iter().map(|(name, node)| (name.clone(), node.clone())).collect())
    }
}

/// A generated file with the path on which it was found.
struct PlacedNode {
    node: SyntheticNode,
    parent: Option<Node>,
    name: Box<[u8]>,
}

impl SyntheticFs {
    /// A filesystem with this root. `ENOTDIR` if it is no directory.
    pub fn new(root: SyntheticNode) -> Result<Self> {
        if !matches!(root.body, SyntheticBody::Directory(_)) {
            return Err(Errno::NotDir);
        }
        let time = RwLock::new(Arc::new(HostClock) as Arc<dyn TimeSource>);
        Ok(Self { root: found(root, None, b""), kept: Arc::default(), time })
    }

    fn found<'a>(&self, node: &'a Node) -> Result<&'a PlacedNode> {
        node.get().ok_or(Errno::Stale)
    }

    fn attributes(&self, node: &SyntheticNode) -> Metadata {
        let now = self.time.read().unwrap_or_else(PoisonError::into_inner).now();
        node.metadata(now)
    }
}

impl SyntheticNode {
    fn kind(&self) -> FileKind {
        match self.body {
            SyntheticBody::Directory(_) => FileKind::Directory,
            SyntheticBody::File(_) => FileKind::Regular,
            SyntheticBody::Symlink(_) | SyntheticBody::Magic(_) => FileKind::Symlink,
        }
    }

    fn metadata(&self, now: crate::Time) -> Metadata {
        let kind = self.kind();
        Metadata {
            dev: 0,
            ino: self.ino,
            kind,
            mode: self.mode,
            nlink: if kind == FileKind::Directory { 2 } else { 1 },
            uid: self.uid,
            gid: self.gid,
            rdev: 0,
            size: 0,
            blocks: 0,
            atime: now,
            mtime: now,
            ctime: now,
        }
    }
}

impl FileSystem for SyntheticFs {
    fn root(&self) -> Node {
        self.root.clone()
    }

    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        let mut at = from.clone();
        for (index, name) in names.iter().enumerate() {
            let here = self.found(&at)?;
            let SyntheticBody::Directory(directory) = &here.node.body else {
                return Err(Errno::NotDir);
            };
            permit(cx, &self.attributes(&here.node), 1)?;
            let child = directory.lookup(cx, name)?;
            let node = found(child, Some(at.clone()), name);
            let consumed = index + 1;
            let link = node.kind() == FileKind::Symlink;
            if consumed == names.len() || link || mountpoints.binary_search(&node.ino()).is_ok() {
                return Ok(Walk { node, consumed, directory: link.then_some(at), metadata: None });
            }
            at = node;
        }
        Err(Errno::Inval)
    }

    fn parent(&self, node: &Node) -> Result<Node> {
        Ok(self.found(node)?.parent.clone().unwrap_or_else(|| self.root()))
    }

    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        let mut names = Vec::new();
        let mut at = self.found(node)?;
        while let Some(parent) = &at.parent {
            names.push(&*at.name);
            at = self.found(parent)?;
        }
        names.reverse();
        Ok(names.join(&b'/'))
    }

    fn metadata(&self, node: &Node) -> Result<Metadata> {
        Ok(self.attributes(&self.found(node)?.node))
    }

    fn set_attributes(&self, _node: &Node, _attributes: &SetAttributes) -> Result<()> {
        Err(Errno::Perm)
    }

    fn read_link(&self, cx: &Context, node: &Node) -> Result<Vec<u8>> {
        match &self.found(node)?.node.body {
            SyntheticBody::Symlink(text) => text(cx),
            SyntheticBody::Magic(link) => link.text(cx),
            _ => Err(Errno::Inval),
        }
    }

    fn follow_link(&self, cx: &Context, node: &Node) -> Result<LinkTarget> {
        match &self.found(node)?.node.body {
            SyntheticBody::Symlink(text) => text(cx).map(LinkTarget::Path),
            SyntheticBody::Magic(link) => link.target(cx),
            _ => Err(Errno::Inval),
        }
    }

    fn descriptor_metadata(&self, cx: &Context, node: &Node) -> Result<Metadata> {
        match &self.found(node)?.node.body {
            SyntheticBody::Magic(link) => link.metadata(cx),
            _ => self.metadata(node),
        }
    }

    fn open(&self, cx: &Context, node: &Node, _access: Access) -> Result<Arc<dyn File>> {
        let found = self.found(node)?;
        let content = match &found.node.body {
            SyntheticBody::File(make) => {
                let bytes = make(cx)?;
                Content::Bytes { _share: Share::take(&self.kept, bytes.len())?, bytes }
            }
            SyntheticBody::Directory(directory) => {
                let scan = Scan { entries: Vec::new(), share: Share::take(&self.kept, 0)? };
                Content::Names(Arc::clone(directory), Mutex::new(scan))
            }
            _ => return Err(Errno::NxIo),
        };
        Ok(Arc::new(SyntheticFile { content, metadata: self.attributes(&found.node) }))
    }

    fn create(&self, _directory: &Node, _name: &[u8], _new: &NewNode<'_>) -> Result<Node> {
        Err(Errno::Perm)
    }

    fn link(&self, _node: &Node, _directory: &Node, _name: &[u8]) -> Result<()> {
        Err(Errno::Perm)
    }

    fn unlink(&self, _directory: &Node, _name: &[u8]) -> Result<()> {
        Err(Errno::Perm)
    }

    fn remove_dir(&self, _directory: &Node, _name: &[u8]) -> Result<()> {
        Err(Errno::Perm)
    }

    fn rename(&self, _old: (&Node, &[u8]), _new: (&Node, &[u8])) -> Result<()> {
        Err(Errno::Perm)
    }

    fn stat_fs(&self) -> Result<StatFs> {
        // PROC_SUPER_MAGIC
        Ok(StatFs { block_size: 4096, kind: 0x9fa0, name_length: 255, ..StatFs::default() })
    }

    fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        *self.time.write().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

fn found(node: SyntheticNode, parent: Option<Node>, name: &[u8]) -> Node {
    Node::new(node.ino, node.kind(), PlacedNode { parent, name: Box::from(name), node })
}

struct SyntheticFile {
    content: Content,
    metadata: Metadata,
}

enum Content {
    Bytes { bytes: Vec<u8>, _share: Share },
    Names(Arc<dyn SyntheticDirectory>, Mutex<Scan>),
}

/// The names at the start of a scan, sorted.
struct Scan {
    entries: Vec<DirEntry>,
    share: Share,
}

/// A part of what a filesystem may keep.
struct Share {
    kept: Arc<AtomicU64>,
    size: u64,
}

impl Share {
    fn take(kept: &Arc<AtomicU64>, size: usize) -> Result<Share> {
        let size = size as u64;
        let more = |before: u64| before.checked_add(size).filter(|sum| *sum <= KEPT);
        match kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Share { kept: Arc::clone(kept), size }),
            Err(_) => Err(Errno::NoMem),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.kept.fetch_sub(self.size, Ordering::Relaxed);
    }
}

impl File for SyntheticFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let Content::Bytes { bytes, .. } = &self.content else {
            return Err(Errno::IsDir);
        };
        let rest = usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, _buf: &[u8], _offset: u64) -> Result<usize> {
        Err(Errno::Perm)
    }

    fn append_counted(&self, _buf: &[u8]) -> Result<(usize, u64)> {
        Err(Errno::Perm)
    }

    fn metadata(&self) -> Result<Metadata> {
        Ok(self.metadata)
    }

    fn set_attributes(&self, _cx: &Context, _attributes: &SetAttributes) -> Result<()> {
        Err(Errno::Perm)
    }

    fn sync(&self) -> Result<()> {
        Err(Errno::Inval)
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::NotSup)
    }

    fn read_dir(&self, cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        let Content::Names(directory, scan) = &self.content else {
            return Err(Errno::NotDir);
        };
        let mut scan = scan.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor == 0 {
            let entry = |(name, node): (Box<[u8]>, SyntheticNode)| {
                let (ino, kind) = (node.ino, node.kind());
                DirEntry { name: (*name).into(), ino, kind, next: 0 }
            };
            let mut entries: Vec<DirEntry> = directory.list(cx)?.into_iter().map(entry).collect();
            entries.sort_unstable_by(|one, two| one.name.cmp(&two.name));
            for (next, entry) in (1..).zip(&mut entries) {
                entry.next = next;
            }
            let size = |entry: &DirEntry| entry.name.len() + size_of::<DirEntry>();
            // A new scan takes the place of the one before.
            *scan = Scan { entries: Vec::new(), share: Share::take(&scan.share.kept, 0)? };
            let share = Share::take(&scan.share.kept, entries.iter().map(size).sum())?;
            *scan = Scan { entries, share };
        }
        Ok(scan.entries.iter().filter(|entry| entry.next > cursor).take(256).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CX: Context = Context::ROOT;

    struct Root;

    fn node(ino: u64, body: SyntheticBody) -> SyntheticNode {
        SyntheticNode { ino, mode: 0o555, uid: 0, gid: 0, body }
    }

    impl SyntheticDirectory for Root {
        fn lookup(&self, _: &Context, name: &[u8]) -> Result<SyntheticNode> {
            assert_eq!(name, b"large");
            Ok(node(2, SyntheticBody::File(Arc::new(|_| Ok(vec![0; 30 << 20])))))
        }

        fn list(&self, cx: &Context) -> Result<Vec<(Box<[u8]>, SyntheticNode)>> {
            let name = |index: u32| Box::from(format!("{index:0>200}").as_bytes());
            let file = self.lookup(cx, b"large")?;
            Ok((0..100_000).map(|index| (name(index), file.clone())).collect())
        }
    }

    #[test]
    fn what_is_open_has_a_limit_and_is_given_back() {
        let files =
            SyntheticFs::new(node(1, SyntheticBody::Directory(Arc::new(Root)))).expect("a filesystem");
        let large = files.walk(&CX, &files.root(), &[b"large"], &[]).expect("a file").node;
        let open = |node: &Node| files.open(&CX, node, Access::default());
        let (one, other) = (open(&large).expect("it is open"), open(&large).expect("it is open"));
        assert_eq!(open(&large).err(), Some(Errno::NoMem));
        drop(one);
        let root = open(&files.root()).expect("a directory");
        // Each scan takes the place of the one before.
        for _ in 0..3 {
            assert_eq!(root.read_dir(&CX, 0).map(|names| names.len()), Ok(256));
        }
        assert_eq!(open(&large).err(), Some(Errno::NoMem));
        drop(other);
        open(&large).expect("it is open");
        drop(root);
        assert_eq!(files.kept.load(Ordering::Relaxed), 0);
    }
}
