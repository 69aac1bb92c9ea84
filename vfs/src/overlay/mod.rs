//! An overlay filesystem: changes are kept in memory, and the lower filesystem is not changed.

mod apply;
mod contents;
mod diff;
mod error;
mod file;
mod layers;
mod patch;
mod promote;
mod shortcut;

pub use apply::{Application, ApplyError, Journals, Recovered, Recovery, Safeguards, apply_together};
pub use error::{Conflict, ConflictReason, DiffError};

use crate::memory::{Body, Handle, Limits, Live, Usage};
use crate::{
    Access, Context, Errno, File, FileKind, FileSystem, HostClock, Metadata, NewNode, Node, Result,
    SetAttributes, StatFs, TimeSource, Walk,
};
use file::{LowerFile, OverlayDirectory, UpperFile};
use layers::{Child, Layers, Place};
use std::fmt;
use std::sync::Arc;

/// Makes a filesystem appear writable, and keeps the changes in memory.
///
/// * The lower filesystem is only read. Later changes in it are visible, except in files that were changed in the
///   overlay: then [`apply`](Self::apply) reports a conflict.
/// * The first change of a file copies it to memory; for a directory, only its attributes. A renamed directory still
///   shows the contents of the lower one. Hard links stay links of one file.
/// * Inode numbers are those of the lower filesystem, even after a copy; new files have numbers above 2^48.
/// * [`fork`](Self::fork) takes constant time.
///
/// [`diff`](Self::diff) lists the changes, [`patch`](Self::patch) shows them as text, and [`apply`](Self::apply)
/// applies them to a directory of the host.
pub struct Overlay {
    layers: Arc<Layers>,
}

impl Overlay {
    /// An overlay without changes, with the host's clock and no limits.
    pub fn new(lower: Arc<dyn FileSystem>) -> Result<Self> {
        Self::with(lower, Limits::default(), Arc::new(HostClock))
    }

    /// An overlay with these limits for its memory, which takes its timestamps from `time`.
    pub fn with(lower: Arc<dyn FileSystem>, limits: Limits, time: Arc<dyn TimeSource>) -> Result<Self> {
        Ok(Self { layers: Arc::new(Layers::new(lower, limits, time)?) })
    }

    /// A copy of this overlay. Neither sees the other's later changes.
    pub fn fork(&self) -> Self {
        Self { layers: Arc::new(self.layers.fork()) }
    }

    /// What it keeps in memory.
    pub fn usage(&self) -> Usage {
        self.layers.live.read().usage()
    }

    /// Changes the limits for its memory.
    pub fn set_limits(&self, limits: Limits) {
        self.layers.live.write().limits = limits;
    }

    /// The lower filesystem.
    pub fn lower(&self) -> &Arc<dyn FileSystem> {
        &self.layers.lower
    }

    fn place<'a>(&self, node: &'a Node) -> Result<&'a Place> {
        let place = node.get::<Place>().ok_or(Errno::Stale)?;
        match place {
            Place::Upper(handle) if !Arc::ptr_eq(&handle.live, &self.layers.live) => Err(Errno::Stale),
            place => Ok(place),
        }
    }
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

impl FileSystem for Overlay {
    fn root(&self) -> Node {
        self.layers.upper_node(crate::memory::ROOT, self.layers.root_ino, FileKind::Directory)
    }

    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        let extra = self.layers.extra();
        self.layers.walk(&extra, cx, self.place(from)?, names, mountpoints)
    }

    fn lookup_metadata(&self, cx: &Context, directory: &Node, name: &[u8]) -> Option<Result<Metadata>> {
        self.layers.lookup_metadata(cx, self.place(directory).ok()?, name)
    }

    fn open_regular(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        self.layers.open_regular(cx, self.place(directory).ok()?, name)
    }

    fn open_directory(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        self.layers.open_directory(cx, self.place(directory).ok()?, name)
    }

    fn parent(&self, node: &Node) -> Result<Node> {
        let extra = self.layers.extra();
        self.layers.parent(&extra, self.place(node)?)
    }

    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        let extra = self.layers.extra();
        self.layers.path(&extra, self.place(node)?)
    }

    fn metadata(&self, node: &Node) -> Result<Metadata> {
        let extra = self.layers.extra();
        self.layers.metadata(&extra, self.place(node)?)
    }

    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()> {
        let (now, place) = (self.layers.live.now(), self.place(node)?);
        self.layers.change(|extra| {
            let ino = match attributes.size {
                Some(0) => self.layers.promote_empty(extra, place)?,
                _ => self.layers.promote(extra, place)?,
            };
            self.layers.live.write().set_attributes(ino, attributes, now)
        })
    }

    fn read_link(&self, cx: &Context, node: &Node) -> Result<Vec<u8>> {
        let extra = self.layers.extra();
        let place = self.place(node)?;
        match (self.layers.upper_inode(&extra, place), place) {
            (Some(ino), _) => match &self.layers.live.read().get(ino)?.body {
                Body::Symlink(target) => Ok(target.to_vec()),
                _ => Err(Errno::Inval),
            },
            (None, Place::Lower { node, .. }) => self.layers.lower.read_link(cx, node),
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }

    fn may_open_special(&self, node: &Node) -> bool {
        match node.get::<Place>() {
            Some(Place::Lower { node, .. }) => self.layers.lower.may_open_special(node),
            _ => true,
        }
    }

    fn open(&self, cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>> {
        let place = self.place(node)?;
        if node.kind() == FileKind::Directory {
            return Ok(Arc::new(OverlayDirectory::new(Arc::clone(&self.layers), place.clone())));
        }
        if node.kind() != FileKind::Regular {
            return Err(Errno::NxIo);
        }
        let upper = if access.write {
            Some(self.layers.change(|extra| self.layers.promote(extra, place))?)
        } else {
            self.layers.upper_inode(&self.layers.extra(), place)
        };
        match (upper, place) {
            (Some(ino), _) => {
                let handle = Handle::new(&self.layers.live, ino);
                Ok(Arc::new(UpperFile::new(handle, cx, node.ino())))
            }
            (None, Place::Lower { node, .. }) => {
                let file = self.layers.lower.open(cx, node, access)?;
                Ok(Arc::new(LowerFile::new(Arc::clone(&self.layers), place.clone(), file)))
            }
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }

    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node> {
        let now = self.layers.live.now();
        let mut extra = self.layers.extra_mut();
        let parent = self.layers.promote(&mut extra, self.place(directory)?)?;
        if self.layers.child(parent, name)?.is_some() {
            return Err(Errno::Exist);
        }
        let mut store = self.layers.live.write();
        let ino = store.create((parent, name), new, now)?;
        let kind = store.get(ino)?.kind();
        drop(store);
        Ok(self.layers.upper_node(ino, layers::NEW_INODES + ino, kind))
    }

    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()> {
        let now = self.layers.live.now();
        self.layers.change(|extra| {
            let ino = self.layers.promote(extra, self.place(node)?)?;
            let parent = self.layers.promote(extra, self.place(directory)?)?;
            if self.layers.child(parent, name)?.is_some() {
                return Err(Errno::Exist);
            }
            self.layers.live.write().link(ino, (parent, name), now)
        })
    }

    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.layers.change(|extra| {
            let parent = self.layers.promote(extra, self.place(directory)?)?;
            let child = self.layers.child(parent, name)?.ok_or(Errno::NoEnt)?;
            if child.kind() == FileKind::Directory {
                return Err(Errno::IsDir);
            }
            self.layers.remove(extra, (parent, name), &child)
        })
    }

    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.layers.change(|extra| {
            let parent = self.layers.promote(extra, self.place(directory)?)?;
            let child = self.layers.child(parent, name)?.ok_or(Errno::NoEnt)?;
            if child.kind() != FileKind::Directory {
                return Err(Errno::NotDir);
            }
            self.layers.require_empty(extra, &child)?;
            self.layers.remove(extra, (parent, name), &child)
        })
    }

    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()> {
        self.layers.change(|extra| {
            let from = self.layers.promote(extra, self.place(old.0)?)?;
            let to = self.layers.promote(extra, self.place(new.0)?)?;
            self.layers.rename(extra, (from, old.1), (to, new.1))
        })
    }

    fn stat_fs(&self) -> Result<StatFs> {
        Ok(self.layers.live.read().stat_fs())
    }

    fn fork(&self) -> Option<Arc<dyn FileSystem>> {
        Some(Arc::new(Self::fork(self)))
    }

    fn adopt(&self, node: &Node) -> Result<Node> {
        match node.get::<Place>().ok_or(Errno::Stale)? {
            Place::Upper(handle) => {
                let kind = self.layers.live.read().get(handle.ino)?.kind();
                Ok(self.layers.upper_node(handle.ino, node.ino(), kind))
            }
            Place::Lower { .. } => Ok(node.clone()),
        }
    }

    fn in_memory(&self) -> bool {
        true
    }

    fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        self.layers.live.set_time_source(time);
    }
}

impl Live {
    /// An inode's attributes with the number that the overlay shows.
    fn shown_metadata(&self, ino: u64) -> Result<Metadata> {
        let store = self.read();
        let metadata = store.metadata(ino)?;
        Ok(Metadata { ino: layers::shown_ino(&store, ino), ..metadata })
    }
}

impl Child {
    fn kind(&self) -> FileKind {
        match self {
            Self::Upper { kind, .. } => *kind,
            Self::Lower { node, .. } => node.kind(),
        }
    }
}
