//! The two layers, and looking up names in them.

use crate::memory::{Content, Handle, Limits, Live, Names, Origin, ROOT, Store, Tree};
use crate::permit::permit;
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, FileSystem, Metadata, Node, Result, SetAttributes,
    TimeSource, Walk,
};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Added to the numbers of upper inodes that are no copies of lower ones.
pub(super) const NEW_INODES: u64 = 1 << 48;

/// The upper layer in memory and the lower filesystem.
///
/// Invariant: a lower file is copied up only together with all its ancestor directories. So below a name that the upper
/// layer does not know, everything is as in the lower layer.
///
/// Locks are taken in the order `extra`, the store of `live`. The lower filesystem is called while `extra` is locked.
pub(super) struct Layers {
    pub(super) live: Arc<Live>,
    pub(super) lower: Arc<dyn FileSystem>,
    pub(super) root_ino: u64,
    extra: RwLock<Extra>,
}

/// State besides the upper inodes. Locking it for writing excludes all other changes.
#[derive(Clone, Default)]
pub(super) struct Extra {
    /// Upper inodes by the lower path that they were copied from.
    pub(super) promoted: Names<u64>,
    /// Upper inodes by the lower inode number, for files with several names.
    pub(super) linked: Tree<u64>,
    /// Whether `linked` was ever used.
    pub(super) has_links: bool,
    /// Lower files whose names were removed or replaced, by lower path.
    pub(super) removed: Names<Metadata>,
    /// A large file that a change has to copy up first; see [`Layers::change`].
    pub(super) wanted: Option<(Arc<[u8]>, Node)>,
    /// The contents of that file.
    pub(super) fetched: Option<Fetched>,
}

/// A large lower file that was read in order to be copied up.
#[derive(Clone)]
pub(super) struct Fetched {
    pub(super) path: Arc<[u8]>,
    pub(super) metadata: Metadata,
    pub(super) content: Content,
}

/// The layer in which a node of the overlay was found.
#[derive(Clone)]
pub(super) enum Place {
    Upper(Handle),
    /// In the lower filesystem. It may have been copied up since.
    Lower {
        path: Arc<[u8]>,
        node: Node,
    },
}

/// What a name in an upper directory refers to.
pub(super) enum Child {
    Upper { ino: u64, kind: FileKind },
    Lower { path: Arc<[u8]>, node: Node },
}

impl Layers {
    pub(super) fn new(lower: Arc<dyn FileSystem>, limits: Limits, time: Arc<dyn TimeSource>) -> Result<Self> {
        let metadata = lower.metadata(&lower.root())?;
        let live = Live::new(limits, metadata.mode, metadata.uid, metadata.gid, time);
        {
            let mut store = live.write();
            let root = store.get_mut(ROOT)?;
            (root.atime, root.mtime, root.ctime) = (metadata.atime, metadata.mtime, metadata.ctime);
            root.nlink = directory_links(&metadata);
            root.origin = Some(Arc::new(Origin { path: Box::default(), metadata }));
        }
        let mut extra = Extra::default();
        extra.promoted.insert(Arc::from(&b""[..]), ROOT);
        Ok(Self { live, lower, root_ino: metadata.ino, extra: RwLock::new(extra) })
    }

    pub(super) fn fork(&self) -> Self {
        let extra = self.extra();
        Self {
            live: self.live.fork(),
            lower: Arc::clone(&self.lower),
            root_ino: self.root_ino,
            extra: RwLock::new(extra.clone()),
        }
    }

    pub(super) fn extra(&self) -> RwLockReadGuard<'_, Extra> {
        self.extra.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn extra_mut(&self) -> RwLockWriteGuard<'_, Extra> {
        self.extra.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the lock for changes. If a large file has to be copied up, `work` fails with `ERESTART`; the
    /// file is then read without the lock, which others wait for, and `work` is called again.
    pub(super) fn change<T>(&self, mut work: impl FnMut(&mut Extra) -> Result<T>) -> Result<T> {
        let mut fetched = None;
        loop {
            let mut extra = self.extra_mut();
            extra.fetched = fetched.take();
            let done = work(&mut extra);
            let unused = extra.fetched.take();
            let wanted = extra.wanted.take();
            drop(extra);
            drop(unused);
            match (done, wanted) {
                (Err(Errno::Restart), Some((path, node))) => fetched = Some(self.fetch(path, &node)?),
                (done, _) => return done,
            }
        }
    }

    /// A node for an upper inode.
    pub(super) fn upper_node(&self, ino: u64, shown: u64, kind: FileKind) -> Node {
        Node::new(shown, kind, Place::Upper(Handle::new(&self.live, ino)))
    }

    /// The upper inode of a node, if there is one by now.
    pub(super) fn upper_inode(&self, extra: &Extra, place: &Place) -> Option<u64> {
        match place {
            Place::Upper(handle) => Some(handle.ino),
            Place::Lower { path, node } => self.copied(extra, path, node),
        }
    }

    /// Sets attributes of what is at a place, which is copied up for it.
    pub(super) fn set_attributes_at(&self, place: &Place, attributes: &SetAttributes) -> Result<()> {
        let now = self.live.now();
        self.change(|extra| {
            let ino = self.promote(extra, place)?;
            self.live.write().set_attributes(ino, attributes, now)
        })
    }

    /// As [`upper_inode`](Self::upper_inode), for an open file. Its lower inode number cannot have been reused, so the
    /// lower filesystem need not be asked.
    pub(super) fn upper_inode_of_open(&self, extra: &Extra, place: &Place) -> Option<u64> {
        let ino = match place {
            Place::Upper(handle) => handle.ino,
            Place::Lower { path, node } => {
                *extra.promoted.get(path).or_else(|| extra.linked.get(node.ino()).ok().flatten())?
            }
        };
        self.live.read().get(ino).is_ok().then_some(ino)
    }

    /// The upper inode that a lower file was copied to.
    pub(super) fn copied(&self, extra: &Extra, path: &[u8], node: &Node) -> Option<u64> {
        let ino = extra.promoted.get(path).or_else(|| {
            // Only files with several names are found by number, because numbers of removed files are reused.
            let linked = extra.linked.get(node.ino()).ok().flatten()?;
            let metadata = self.lower.metadata(node).ok()?;
            (metadata.nlink > 1 && metadata.kind != FileKind::Directory).then_some(linked)
        })?;
        self.live.read().get(*ino).is_ok().then_some(*ino)
    }

    pub(super) fn metadata(&self, extra: &Extra, place: &Place) -> Result<Metadata> {
        match (self.upper_inode(extra, place), place) {
            (Some(ino), _) => self.live.shown_metadata(ino),
            (None, Place::Lower { node, .. }) => self.lower.metadata(node),
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }

    pub(super) fn walk(
        &self,
        extra: &Extra,
        cx: &Context,
        from: &Place,
        names: &[&[u8]],
        mountpoints: &[u64],
    ) -> Result<Walk> {
        let mut directory = match (self.upper_inode(extra, from), from) {
            (Some(ino), _) => ino,
            (None, Place::Lower { path, node }) => {
                return self.walk_lower(extra, cx, path, node, names, mountpoints);
            }
            (None, Place::Upper(_)) => return Err(Errno::Stale),
        };
        for (index, name) in names.iter().enumerate() {
            let (entry, origin) = {
                let store = self.live.read();
                let inode = store.get(directory)?;
                let known = inode.names()?.get(name).copied();
                if cx.uid != 0 {
                    permit(cx, &store.metadata(directory)?, 1)?;
                }
                let unchanged = |origin: &Arc<Origin>| {
                    let Metadata { mode, uid, gid, .. } = origin.metadata;
                    (mode, uid, gid) == (inode.mode, inode.uid, inode.gid)
                };
                (known, inode.origin.as_ref().map(|origin| (Arc::clone(origin), unchanged(origin))))
            };
            let Some(entry) = entry else {
                let (origin, unchanged) = origin.ok_or(Errno::NoEnt)?;
                let rest = names.get(index..).unwrap_or_default();
                let below = self.lower_at(&origin.path)?;
                // If the upper mode or owner differs, the lower filesystem must not check this directory's permissions.
                let rest = if unchanged { rest } else { rest.get(..1).unwrap_or_default() };
                let cx = if unchanged { cx } else { &Context::ROOT };
                let mut walk = self.walk_lower(extra, cx, &origin.path, &below, rest, mountpoints)?;
                walk.consumed += index;
                if walk.directory.is_some() && walk.consumed == index + 1 {
                    walk.directory = Some(self.shown_node(directory, FileKind::Directory));
                }
                if !unchanged && walk.consumed < names.len() && walk.node.kind() != FileKind::Symlink {
                    if mountpoints.binary_search(&walk.node.ino()).is_ok() {
                        return Ok(walk);
                    }
                    let place = walk.node.get::<Place>().ok_or(Errno::Stale)?.clone();
                    let done = walk.consumed;
                    let mut walk =
                        self.walk(extra, cx, &place, names.get(done..).unwrap_or_default(), mountpoints)?;
                    walk.consumed += done;
                    return Ok(walk);
                }
                return Ok(walk);
            };
            let kind = entry.kind.ok_or(Errno::NoEnt)?;
            let consumed = index + 1;
            let shown = shown_ino(&self.live.read(), entry.ino);
            let link = kind == FileKind::Symlink;
            if consumed == names.len() || link || mountpoints.binary_search(&shown).is_ok() {
                let metadata = Some(self.live.shown_metadata(entry.ino)?);
                let node = self.upper_node(entry.ino, shown, kind);
                let directory = link.then(|| self.shown_node(directory, FileKind::Directory));
                return Ok(Walk { node, consumed, directory, metadata });
            }
            directory = entry.ino;
        }
        Err(Errno::Inval)
    }

    /// What a name in an upper directory refers to, in either layer.
    pub(super) fn child(&self, directory: u64, name: &[u8]) -> Result<Option<Child>> {
        let origin = {
            let store = self.live.read();
            let inode = store.get(directory)?;
            match inode.names()?.get(name) {
                Some(entry) => {
                    return Ok(entry.kind.map(|kind| Child::Upper { ino: entry.ino, kind }));
                }
                None => inode.origin.clone(),
            }
        };
        let Some(origin) = origin else {
            return Ok(None);
        };
        let Some(node) = self.lower_child(&origin.path, name)? else {
            return Ok(None);
        };
        Ok(Some(Child::Lower { path: join(&origin.path, name), node }))
    }

    /// The lower file of a name in a lower directory.
    pub(super) fn lower_child(&self, directory: &[u8], name: &[u8]) -> Result<Option<Node>> {
        match self.lower_at(&join(directory, name)) {
            Ok(node) => Ok(Some(node)),
            Err(Errno::NoEnt | Errno::NotDir) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// The lower file at a path. No link is followed.
    pub(super) fn lower_at(&self, path: &[u8]) -> Result<Node> {
        let root = self.lower.root();
        if path.is_empty() {
            return Ok(root);
        }
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let walk = self.lower.walk(&Context::ROOT, &root, &names, &[])?;
        if walk.consumed == names.len() { Ok(walk.node) } else { Err(Errno::NoEnt) }
    }

    pub(super) fn parent(&self, extra: &Extra, place: &Place) -> Result<Node> {
        match (self.upper_inode(extra, place), place) {
            (Some(ino), _) => {
                let parent = self.live.read().get(ino)?.parent;
                self.live.read().get(parent)?;
                Ok(self.shown_node(parent, FileKind::Directory))
            }
            (None, Place::Lower { path, .. }) => {
                let above = split(path).0;
                match extra.promoted.get(above) {
                    Some(ino) => Ok(self.shown_node(*ino, FileKind::Directory)),
                    None => Ok(lower_node(Arc::from(above), self.lower_at(above)?)),
                }
            }
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }

    pub(super) fn path(&self, extra: &Extra, place: &Place) -> Result<Vec<u8>> {
        match (self.upper_inode(extra, place), place) {
            (Some(ino), _) => self.live.read().path(ino),
            (None, Place::Lower { path, .. }) => {
                self.lower_at(path)?;
                let mut above: &[u8] = path;
                loop {
                    above = split(above).0;
                    let Some(ino) = extra.promoted.get(above) else {
                        continue;
                    };
                    let store = self.live.read();
                    let mut whole = store.path(*ino)?;
                    // The next name must not have been removed in the upper layer.
                    let rest = path.get(above.len()..).unwrap_or_default();
                    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
                    let first = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
                    if store.get(*ino)?.names()?.get(first).is_some() {
                        return Err(Errno::NoEnt);
                    }
                    if !whole.is_empty() {
                        whole.push(b'/');
                    }
                    whole.extend_from_slice(rest);
                    return Ok(whole);
                }
            }
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }

    /// All names of a directory in both layers, sorted.
    pub(super) fn list(&self, extra: &Extra, place: &Place) -> Result<Vec<DirEntry>> {
        self.list_given(self.upper_inode(extra, place), place, None)
    }

    /// As [`list`](Self::list), after [`upper_inode`](Self::upper_inode), so that the lock need not be held. `open` is
    /// the lower directory, if it is open already.
    pub(super) fn list_given(
        &self,
        upper: Option<u64>,
        place: &Place,
        open: Option<&dyn File>,
    ) -> Result<Vec<DirEntry>> {
        let entries = match (upper, place) {
            (Some(ino), _) => {
                let (names, origin) = {
                    let store = self.live.read();
                    let inode = store.get(ino)?;
                    (inode.names()?.clone(), inode.origin.clone().filter(|_| inode.nlink > 0))
                };
                let mut entries = match origin.map(|origin| self.lower_at(&origin.path)) {
                    // The lower directory was removed by somebody else: only the upper names remain.
                    None | Some(Err(Errno::NoEnt | Errno::NotDir)) => Vec::new(),
                    Some(below) => self.list_lower(&below?)?,
                };
                entries.retain(|entry| names.get(&entry.name).is_none());
                let store = self.live.read();
                entries.extend(names.iter().filter_map(|(name, entry)| {
                    let (ino, kind) = (shown_ino(&store, entry.ino), entry.kind?);
                    Some(DirEntry { name: name.clone().into(), ino, kind, next: 0 })
                }));
                entries
            }
            (None, Place::Lower { node, .. }) => match open {
                Some(open) => list_all(open)?,
                None => self.list_lower(node)?,
            },
            (None, Place::Upper(_)) => return Err(Errno::Stale),
        };
        let mut entries = entries;
        entries.sort_unstable_by(|one, two| one.name.cmp(&two.name));
        for (next, entry) in (1..).zip(&mut entries) {
            entry.next = next;
        }
        Ok(entries)
    }

    /// A node for an upper inode with its shown number.
    pub(super) fn shown_node(&self, ino: u64, kind: FileKind) -> Node {
        let shown = shown_ino(&self.live.read(), ino);
        self.upper_node(ino, shown, kind)
    }

    fn walk_lower(
        &self,
        extra: &Extra,
        cx: &Context,
        path: &[u8],
        from: &Node,
        names: &[&[u8]],
        mountpoints: &[u64],
    ) -> Result<Walk> {
        let walk = self.lower.walk(cx, from, names, mountpoints)?;
        let consumed = names.get(..walk.consumed).unwrap_or_default();
        let whole = consumed.iter().fold(Arc::from(path), |path: Arc<[u8]>, name| join(&path, name));
        let several = walk.metadata.is_none_or(|metadata| metadata.nlink > 1);
        if several
            && walk.node.kind() != FileKind::Directory
            && let Some(ino) = self.copied(extra, &whole, &walk.node)
        {
            let node = self.shown_node(ino, walk.node.kind());
            let metadata = Some(self.live.shown_metadata(ino)?);
            return Ok(Walk {
                node,
                metadata,
                directory: self.lower_directory(&whole, walk.directory),
                ..walk
            });
        }
        let directory = self.lower_directory(&whole, walk.directory);
        Ok(Walk { node: lower_node(whole, walk.node), directory, ..walk })
    }

    fn lower_directory(&self, path: &[u8], node: Option<Node>) -> Option<Node> {
        node.map(|node| lower_node(Arc::from(split(path).0), node))
    }

    pub(super) fn list_lower(&self, node: &Node) -> Result<Vec<DirEntry>> {
        list_all(&*self.lower.open(&Context::ROOT, node, Access { read: true, write: false })?)
    }
}

fn list_all(file: &dyn File) -> Result<Vec<DirEntry>> {
    let mut entries: Vec<DirEntry> = Vec::new();
    loop {
        let cursor = entries.last().map_or(0, |entry| entry.next);
        let batch = file.read_dir(&Context::ROOT, cursor)?;
        if batch.is_empty() {
            return Ok(entries);
        }
        entries.extend(batch);
    }
}

/// The inode number that the overlay shows for an upper inode.
pub(super) fn shown_ino(store: &Store, ino: u64) -> u64 {
    match store.get(ino) {
        Ok(inode) => inode.origin.as_ref().map_or(NEW_INODES + ino, |origin| origin.metadata.ino),
        Err(_) => NEW_INODES + ino,
    }
}

/// The link count of a directory. Some filesystems report 1 for all.
pub(super) fn directory_links(metadata: &Metadata) -> u32 {
    u32::try_from(metadata.nlink).unwrap_or(u32::MAX).max(2)
}

pub(super) fn lower_node(path: Arc<[u8]>, node: Node) -> Node {
    Node::new(node.ino(), node.kind(), Place::Lower { path, node })
}

pub(super) fn join(directory: &[u8], name: &[u8]) -> Arc<[u8]> {
    if directory.is_empty() { Arc::from(name) } else { Arc::from([directory, b"/", name].concat()) }
}

/// Splits a path into its directory and last name.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (path.get(..slash).unwrap_or_default(), path.get(slash + 1..).unwrap_or_default()),
        None => (b"", path),
    }
}
