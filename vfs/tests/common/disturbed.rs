//! A directory of the host with interference before each change.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{View, view};
use sandshell_vfs::{
    Access, Context, Errno, File, FileKind, FileSystem, HostAccess, HostDir, Metadata, NewNode, Node,
    Overlay, RenameHow, Result, SetAttributes, StatFs, Walk,
};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub type Interference = Box<dyn Fn(usize) -> Result<()> + Send + Sync>;

/// A directory of the host that calls a function before each change.
pub struct Disturbed {
    inner: HostDir,
    pub changes: AtomicUsize,
    before: Interference,
    /// Behaves as a layered filesystem, which can move only directories that were created in it.
    stiff: bool,
}

impl Disturbed {
    pub fn new(path: &Path, before: Interference) -> Arc<Self> {
        let inner = HostDir::open(path, HostAccess::ReadWrite).unwrap();
        Arc::new(Self { inner, changes: AtomicUsize::new(0), before, stiff: false })
    }

    pub fn stiff(path: &Path, before: Interference) -> Arc<Self> {
        let inner = HostDir::open(path, HostAccess::ReadWrite).unwrap();
        Arc::new(Self { inner, changes: AtomicUsize::new(0), before, stiff: true })
    }

    fn can_move(&self, (directory, name): (&Node, &[u8])) -> Result<()> {
        let node = self.inner.walk(&Context::ROOT, directory, &[name], &[])?.node;
        let made = name.starts_with(b"n") && name.get(1).is_some_and(u8::is_ascii_digit);
        if self.stiff && node.kind() == FileKind::Directory && !made { Err(Errno::XDev) } else { Ok(()) }
    }

    fn change(&self) -> Result<()> {
        (self.before)(self.changes.fetch_add(1, Ordering::Relaxed))
    }
}

impl FileSystem for Disturbed {
    fn root(&self) -> Node {
        self.inner.root()
    }
    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        self.inner.walk(cx, from, names, mountpoints)
    }
    fn parent(&self, node: &Node) -> Result<Node> {
        self.inner.parent(node)
    }
    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        self.inner.path(node)
    }
    fn metadata(&self, node: &Node) -> Result<Metadata> {
        self.inner.metadata(node)
    }
    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()> {
        self.change()?;
        self.inner.set_attributes(node, attributes)
    }
    fn read_link(&self, cx: &Context, node: &Node) -> Result<Vec<u8>> {
        self.inner.read_link(cx, node)
    }
    fn open(&self, cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>> {
        self.inner.open(cx, node, access)
    }
    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node> {
        self.change()?;
        self.inner.create(directory, name, new)
    }
    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()> {
        self.change()?;
        self.inner.link(node, directory, name)
    }
    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.change()?;
        self.inner.unlink(directory, name)
    }
    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.change()?;
        self.inner.remove_dir(directory, name)
    }
    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()> {
        self.change()?;
        self.inner.rename(old, new)
    }
    fn rename_as(&self, old: (&Node, &[u8]), new: (&Node, &[u8]), how: RenameHow) -> Result<()> {
        self.change()?;
        self.can_move(old)?;
        if how == RenameHow::Exchange {
            self.can_move(new)?;
        }
        self.inner.rename_as(old, new, how)
    }
    fn stat_fs(&self) -> Result<StatFs> {
        self.inner.stat_fs()
    }
}

pub fn over(path: &Path) -> (Arc<Overlay>, View) {
    let overlay =
        Arc::new(Overlay::new(Arc::new(HostDir::open(path, HostAccess::ReadOnly).unwrap())).unwrap());
    (overlay.clone(), view(overlay, Context::ROOT))
}

pub fn target(path: &Path) -> Arc<dyn FileSystem> {
    Arc::new(HostDir::open(path, HostAccess::ReadWrite).unwrap())
}

/// Every path with its file.
pub fn tree(path: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = vec![path.to_owned()];
    while let Some(at) = pending.pop() {
        let metadata = fs::symlink_metadata(&at).unwrap();
        let held = if metadata.is_symlink() {
            fs::read_link(&at).unwrap().display().to_string()
        } else if metadata.is_file() {
            fs::read_to_string(&at).unwrap()
        } else {
            pending.extend(fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()));
            String::new()
        };
        lines.push(format!("{} {:o} {held:?}", at.strip_prefix(path).unwrap().display(), metadata.mode()));
    }
    lines.sort();
    lines
}
