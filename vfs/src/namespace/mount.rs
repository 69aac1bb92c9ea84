//! Mounts, and locations of files in them.

use super::{Namespace, permission};
use crate::{
    Context, Errno, FileKey, FileKind, FileSystem, Follow, Metadata, MountOptions, NewBody, NewNode, Node,
    Result, SetAttributes, TimeSource,
};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// A resolved file: its mount and its inode there. It refers to the same file after a rename, and keeps an unlinked
/// file alive. Clones are cheap.
#[derive(Clone)]
pub struct Location {
    pub(super) mount: Arc<Mount>,
    pub(super) node: Node,
}

/// One line of [`Namespace::mounts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountInfo {
    /// Where it is mounted. Empty if that directory has been removed.
    pub path: Vec<u8>,
    /// Device number of its files.
    pub dev: u64,
    /// Whether changes are refused.
    pub read_only: bool,
}

impl Location {
    /// The file's identity.
    pub fn key(&self) -> FileKey {
        FileKey { dev: self.mount.dev, ino: self.node.ino() }
    }

    /// Type of the file.
    pub fn kind(&self) -> FileKind {
        self.node.kind()
    }

    /// The filesystem that holds the file.
    pub fn fs(&self) -> &Arc<dyn FileSystem> {
        &self.mount.fs
    }

    /// The file's node in its filesystem.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Whether changes are refused by the mount (`EROFS`).
    pub fn read_only(&self) -> bool {
        self.mount.read_only
    }

    /// `EROFS` for writing to a stored file on a read-only mount. Devices and pipes can be written there.
    pub(super) fn permit_write(&self) -> Result<()> {
        let stored = matches!(self.kind(), FileKind::Regular | FileKind::Directory | FileKind::Symlink);
        if stored && self.read_only() { Err(Errno::RoFs) } else { Ok(()) }
    }

    /// The file's attributes.
    pub fn metadata(&self) -> Result<Metadata> {
        self.mount.fs.metadata(&self.node).map(|metadata| self.with_device(metadata))
    }

    /// Changes attributes by the rules of [`Namespace::set_attributes`].
    pub fn set_attributes(&self, cx: &Context, attributes: &SetAttributes) -> Result<()> {
        if self.mount.read_only {
            return Err(Errno::RoFs);
        }
        let attributes = permission::prepare(cx, &self.metadata()?, attributes, None)?;
        self.mount.fs.set_attributes(&self.node, &attributes)
    }

    pub(super) fn with_device(&self, metadata: Metadata) -> Metadata {
        Metadata { dev: self.mount.dev, ..metadata }
    }

    pub(super) fn same_mount(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.mount, &other.mount)
    }

    pub(super) fn at(&self, node: Node) -> Self {
        Self { mount: Arc::clone(&self.mount), node }
    }

    /// Whether something is mounted here.
    pub(super) fn is_covered(&self) -> bool {
        self.mount.children().location(self.node.ino()).is_some()
    }

    /// The root of the topmost mount here, or the location itself.
    pub(super) fn covered(self) -> Self {
        let mut at = self;
        while let Some(above) = at.mount.children().location(at.node.ino()) {
            at = above;
        }
        at
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({}:{}, {:?})", self.mount.dev, self.node.ino(), self.kind())
    }
}

/// A mounted filesystem.
pub(super) struct Mount {
    dev: u64,
    pub(super) fs: Arc<dyn FileSystem>,
    pub(super) root: Node,
    pub(super) read_only: bool,
    /// The directory that it covers; `None` for the root.
    pub(super) above: Option<Location>,
    /// Replaced as a whole, so that the resolver does not hold the lock while it calls a filesystem.
    children: RwLock<Arc<Children>>,
}

/// The mounts on directories of one mount, sorted by those directories' inode numbers.
#[derive(Default, Clone)]
pub(super) struct Children {
    pub(super) inos: Vec<u64>,
    // Weak, because each holds its parent. The table keeps all alive.
    mounts: Vec<Weak<Mount>>,
}

impl Children {
    fn at(&self, ino: u64) -> Option<Arc<Mount>> {
        let index = self.inos.binary_search(&ino).ok()?;
        self.mounts.get(index)?.upgrade()
    }

    /// The root of the mount on a directory.
    pub(super) fn location(&self, ino: u64) -> Option<Location> {
        let mount = self.at(ino)?;
        let node = mount.root.clone();
        Some(Location { mount, node })
    }

    pub(super) fn covers(&self, ino: u64) -> bool {
        self.inos.binary_search(&ino).is_ok()
    }
}

impl Mount {
    pub(super) fn children(&self) -> Arc<Children> {
        Arc::clone(&self.children.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change_children(&self, change: impl FnOnce(&mut Children)) {
        let mut guard = self.children.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut guard));
    }

    fn attach(mount: &Arc<Self>) {
        if let Some(above) = &mount.above {
            above.mount.change_children(|children| {
                if let Err(index) = children.inos.binary_search(&above.node.ino()) {
                    children.inos.insert(index, above.node.ino());
                    children.mounts.insert(index, Arc::downgrade(mount));
                }
            });
        }
    }
}

/// All mounts of a namespace.
pub(super) struct Table {
    root: Arc<Mount>,
    state: RwLock<State>,
}

struct State {
    /// The root first. A mount comes after the one that it is on.
    mounts: Vec<Arc<Mount>>,
    next_dev: u64,
    time: Option<Arc<dyn TimeSource>>,
}

impl Table {
    pub(super) fn new(fs: Arc<dyn FileSystem>, options: MountOptions) -> Self {
        let root = Arc::new(Mount {
            dev: 1,
            root: fs.root(),
            read_only: options.read_only || fs.read_only(),
            fs,
            above: None,
            children: RwLock::default(),
        });
        let state = State { mounts: vec![Arc::clone(&root)], next_dev: 2, time: None };
        Self { root, state: RwLock::new(state) }
    }

    pub(super) fn root(&self) -> Location {
        Location { mount: Arc::clone(&self.root), node: self.root.root.clone() }
    }

    pub(super) fn mount(
        &self,
        namespace: &Namespace,
        at: &[u8],
        fs: Arc<dyn FileSystem>,
        options: MountOptions,
    ) -> Result<()> {
        let above = make_mount_point(namespace, at)?;
        if above.kind() != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        if Arc::ptr_eq(&above.mount, &self.root) && above.node.ino() == self.root.root.ino() {
            return Err(Errno::Busy);
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let known = state.mounts.iter().find(|mount| Arc::ptr_eq(&mount.fs, &fs)).map(|mount| mount.dev);
        let dev = known.unwrap_or(state.next_dev);
        if known.is_none() {
            state.next_dev += 1;
        }
        if let Some(time) = &state.time {
            fs.set_time_source(Arc::clone(time));
        }
        let mount = Arc::new(Mount {
            dev,
            root: fs.root(),
            read_only: options.read_only || fs.read_only(),
            fs,
            above: Some(above),
            children: RwLock::default(),
        });
        Mount::attach(&mount);
        state.mounts.push(mount);
        Ok(())
    }

    pub(super) fn unmount(&self, namespace: &Namespace, at: &[u8]) -> Result<()> {
        let at = namespace.resolve(&Context::ROOT, &self.root(), at, Follow::Yes)?;
        if at.node.ino() != at.mount.root.ino() {
            return Err(Errno::Inval);
        }
        let Some(above) = &at.mount.above else {
            return Err(Errno::Busy);
        };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if !at.mount.children().inos.is_empty() {
            return Err(Errno::Busy);
        }
        above.mount.change_children(|children| {
            if let Ok(index) = children.inos.binary_search(&above.node.ino()) {
                children.inos.remove(index);
                children.mounts.remove(index);
            }
        });
        state.mounts.retain(|mount| !Arc::ptr_eq(mount, &at.mount));
        Ok(())
    }

    pub(super) fn list(&self, namespace: &Namespace) -> Vec<MountInfo> {
        let mounts = self.state.read().unwrap_or_else(PoisonError::into_inner).mounts.clone();
        let info = |mount: Arc<Mount>| {
            let root = Location { node: mount.root.clone(), mount };
            let path = namespace.absolute_path(&root).unwrap_or_default();
            MountInfo { path, dev: root.mount.dev, read_only: root.mount.read_only }
        };
        mounts.into_iter().map(info).collect()
    }

    pub(super) fn fork(&self) -> Result<Self> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        // Each old mount with its new one, in the same order.
        let mut pairs: Vec<(&Arc<Mount>, Arc<Mount>)> = Vec::with_capacity(state.mounts.len());
        for old in &state.mounts {
            let known = pairs.iter().find(|(other, _)| Arc::ptr_eq(&other.fs, &old.fs));
            let fs = match known {
                Some((_, new)) => Arc::clone(&new.fs),
                None => old.fs.fork().unwrap_or_else(|| Arc::clone(&old.fs)),
            };
            let above = match &old.above {
                None => None,
                Some(above) => {
                    let parent = pairs.iter().find(|(other, _)| Arc::ptr_eq(other, &above.mount));
                    let (_, mount) = parent.ok_or(Errno::Stale)?;
                    Some(Location { mount: Arc::clone(mount), node: mount.fs.adopt(&above.node)? })
                }
            };
            let root = fs.adopt(&old.root)?;
            let (dev, read_only) = (old.dev, old.read_only);
            let new = Arc::new(Mount { dev, fs, root, read_only, above, children: RwLock::default() });
            Mount::attach(&new);
            pairs.push((old, new));
        }
        let mounts: Vec<_> = pairs.into_iter().map(|(_, new)| new).collect();
        let root = mounts.first().cloned().ok_or(Errno::Stale)?;
        let state = State { mounts, next_dev: state.next_dev, time: state.time.clone() };
        Ok(Self { root, state: RwLock::new(state) })
    }

    pub(super) fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for mount in &state.mounts {
            mount.fs.set_time_source(Arc::clone(&time));
        }
        state.time = Some(time);
    }

    pub(super) fn absolute_path(&self, at: &Location) -> Result<Vec<u8>> {
        let mut parts = vec![at.mount.fs.path(&at.node)?];
        let mut mount = &at.mount;
        while let Some(above) = &mount.above {
            parts.push(above.mount.fs.path(&above.node)?);
            mount = &above.mount;
        }
        let mut path = Vec::new();
        for part in parts.iter().rev().filter(|part| !part.is_empty()) {
            path.push(b'/');
            path.extend_from_slice(part);
        }
        if path.is_empty() {
            path.push(b'/');
        }
        Ok(path)
    }
}

/// The directory at an absolute path. It is created if its filesystem is in memory.
fn make_mount_point(namespace: &Namespace, path: &[u8]) -> Result<Location> {
    if path.first() != Some(&b'/') {
        return Err(Errno::Inval);
    }
    let mut at = namespace.root();
    for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
        at = match namespace.resolve(&Context::ROOT, &at, name, Follow::Yes) {
            Err(Errno::NoEnt) if at.fs().in_memory() => {
                let Context { uid, gid, .. } = Context::USER;
                let new = NewNode { body: NewBody::Directory, mode: 0o755, uid, gid };
                let node = at.fs().create(at.node(), name, &new)?;
                at.at(node)
            }
            found => found?,
        };
    }
    Ok(at)
}
