//! What an overlay changed.

use super::Overlay;
use super::layers::{Child, Extra, Layers, Place, join};
use crate::memory::{Body, ROOT};
use crate::{Access, Context, DirEntry, Errno, FileKind, Metadata, Node, Result};
use std::sync::Arc;

/// How a path differs from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// There was nothing.
    Added,
    /// It has other contents, another target or other mode bits.
    Changed,
    /// It is gone.
    Removed,
}

/// One path that differs from below. What became another kind of file is `Removed` and `Added`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path from the overlay's root, without a leading slash.
    pub path: Vec<u8>,
    /// What happened.
    pub change: ChangeKind,
    /// The kind of file: now, or for what is removed as it was.
    pub kind: FileKind,
    /// Its permission bits: now, or for what is removed as they were.
    pub mode: u32,
}

/// A path with the file below and the file above, where they differ. It holds no handles: there may be many.
pub(super) struct Delta {
    pub(super) path: Arc<[u8]>,
    pub(super) before: Option<Metadata>,
    pub(super) after: Option<(Source, Metadata)>,
}

/// Where a file above has its contents.
pub(super) enum Source {
    /// In an inode above.
    Upper(u64),
    /// At a path below.
    Lower(Arc<[u8]>),
}

impl Overlay {
    /// Every path that differs from the filesystem below, sorted by its bytes; of a directory added or removed also all
    /// that is in it. A renamed file is removed and added. Times and owners do not count.
    ///
    /// Fails as reading files does.
    pub fn diff(&self) -> Result<Vec<Change>> {
        Ok(self.layers.deltas()?.iter().flat_map(Delta::changes).collect())
    }
}

impl Delta {
    pub(super) fn changes(&self) -> Vec<Change> {
        let change = |change, metadata: &Metadata| Change {
            path: self.path.to_vec(),
            change,
            kind: metadata.kind,
            mode: metadata.mode,
        };
        match (&self.before, &self.after) {
            (Some(old), Some((_, new))) if old.kind == new.kind => {
                vec![change(ChangeKind::Changed, new)]
            }
            (before, after) => {
                let removed = before.iter().map(|metadata| change(ChangeKind::Removed, metadata));
                removed.chain(after.iter().map(|(_, metadata)| change(ChangeKind::Added, metadata))).collect()
            }
        }
    }
}

impl Layers {
    pub(super) fn deltas(&self) -> Result<Vec<Delta>> {
        let extra = self.extra();
        let mut deltas = Vec::new();
        let root = self.shown_node(ROOT, FileKind::Directory);
        let place = root.get::<Place>().ok_or(Errno::Stale)?.clone();
        self.compare(&extra, &Arc::from(&b""[..]), Some(self.lower.root()), Some(place), &mut deltas)?;
        deltas.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(deltas)
    }

    /// The contents of a regular file, or the target of a link, in the overlay.
    pub(super) fn bytes_above(&self, source: &Source) -> Result<Vec<u8>> {
        let ino = match source {
            Source::Lower(path) => return self.bytes_below(&self.lower_at(path)?),
            Source::Upper(ino) => *ino,
        };
        let store = self.live.read();
        match &store.get(ino)?.body {
            Body::Symlink(target) => Ok(target.to_vec()),
            Body::File(content) => {
                let size = usize::try_from(content.len()).map_err(|_| Errno::FBig)?;
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(size).map_err(|_| Errno::NoMem)?;
                bytes.resize(size, 0);
                content.read(&mut bytes, 0);
                Ok(bytes)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The same below.
    pub(super) fn bytes_below(&self, node: &Node) -> Result<Vec<u8>> {
        match node.kind() {
            FileKind::Symlink => self.lower.read_link(&Context::ROOT, node),
            FileKind::Regular => {
                let file = self.lower.open(&Context::ROOT, node, Access { read: true, write: false })?;
                let mut bytes = Vec::new();
                let mut piece = vec![0; 256 * 1024];
                loop {
                    let count = file.read_at(&mut piece, bytes.len() as u64)?;
                    if count == 0 {
                        return Ok(bytes);
                    }
                    bytes.extend_from_slice(&piece[..count]);
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    fn compare(
        &self,
        extra: &Extra,
        path: &Arc<[u8]>,
        before: Option<Node>,
        after: Option<Place>,
        deltas: &mut Vec<Delta>,
    ) -> Result<()> {
        if let (Some(_), Some(Place::Lower { path: same, .. })) = (&before, &after)
            && same == path
            && !(extra.has_links && after_is_directory(&after))
            && self.settle(extra, after.as_ref().ok_or(Errno::Stale)?).is_none()
        {
            return Ok(());
        }
        let old =
            before.map(|node| self.lower.metadata(&node).map(|metadata| (node, metadata))).transpose()?;
        let new =
            after.map(|place| self.metadata(extra, &place).map(|metadata| (place, metadata))).transpose()?;
        for name in self.names_to_compare(extra, path, old.as_ref(), new.as_ref())? {
            let old_child = match &old {
                Some((node, metadata)) if metadata.kind == FileKind::Directory => {
                    self.child_below(node, &name)?
                }
                _ => None,
            };
            let new_child = match &new {
                Some((place, metadata)) if metadata.kind == FileKind::Directory => {
                    self.child_above(extra, place, &name)?
                }
                _ => None,
            };
            self.compare(extra, &join(path, &name), old_child, new_child, deltas)?;
        }
        let differs = match (&old, &new) {
            (None, None) => false,
            (Some((node, old)), Some((place, new))) => {
                old.kind != new.kind
                    || old.mode != new.mode
                    || self.contents_differ(extra, node, old, place, new)?
            }
            _ => true,
        };
        if differs {
            let before = old.map(|(_, metadata)| metadata);
            let after = new.map(|(place, metadata)| (self.source(extra, &place), metadata));
            deltas.push(Delta { path: Arc::clone(path), before, after });
        }
        Ok(())
    }

    /// Where the contents of a place are.
    fn source(&self, extra: &Extra, place: &Place) -> Source {
        match (self.settle(extra, place), place) {
            (Some(ino), _) => Source::Upper(ino),
            (None, Place::Upper(handle)) => Source::Upper(handle.ino),
            (None, Place::Lower { path, .. }) => Source::Lower(Arc::clone(path)),
        }
    }

    fn contents_differ(
        &self,
        extra: &Extra,
        node: &Node,
        old: &Metadata,
        place: &Place,
        new: &Metadata,
    ) -> Result<bool> {
        match old.kind {
            FileKind::Regular if old.size != new.size => Ok(true),
            FileKind::Regular | FileKind::Symlink => {
                Ok(self.bytes_below(node)? != self.bytes_above(&self.source(extra, place))?)
            }
            FileKind::CharDevice => Ok(old.rdev != new.rdev),
            _ => Ok(false),
        }
    }

    /// Names in either directory that can differ.
    fn names_to_compare(
        &self,
        extra: &Extra,
        path: &[u8],
        old: Option<&(Node, Metadata)>,
        new: Option<&(Place, Metadata)>,
    ) -> Result<Vec<Box<[u8]>>> {
        let old = old.filter(|(_, metadata)| metadata.kind == FileKind::Directory);
        let new = new.filter(|(_, metadata)| metadata.kind == FileKind::Directory);
        if let (Some(_), Some((place, _))) = (old, new)
            && let Some(ino) = self.settle(extra, place)
            && !extra.has_links
        {
            let store = self.live.read();
            let inode = store.get(ino)?;
            if inode.origin.as_ref().is_some_and(|origin| *origin.path == *path) {
                // Names unknown above are as below.
                return Ok(inode.names()?.iter().map(|(name, _)| Box::from(&**name)).collect());
            }
        }
        let mut names: Vec<DirEntry> = Vec::new();
        if let Some((node, _)) = old {
            names.extend(self.list_lower(node)?);
        }
        if let Some((place, _)) = new {
            names.extend(self.list(extra, place)?);
        }
        let mut names: Vec<_> = names.into_iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn child_below(&self, directory: &Node, name: &[u8]) -> Result<Option<Node>> {
        match self.lower.walk(&Context::ROOT, directory, &[name], &[]) {
            Ok(walk) => Ok(Some(walk.node)),
            Err(Errno::NoEnt) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    fn child_above(&self, extra: &Extra, directory: &Place, name: &[u8]) -> Result<Option<Place>> {
        match (self.settle(extra, directory), directory) {
            (Some(ino), _) => Ok(self.child(ino, name)?.and_then(|child| match child {
                Child::Upper { ino, kind } => self.shown_node(ino, kind).get::<Place>().cloned(),
                Child::Lower { path, node } => Some(Place::Lower { path, node }),
            })),
            (None, Place::Lower { path, node }) => {
                let child = self.child_below(node, name)?;
                Ok(child.map(|node| Place::Lower { path: join(path, name), node }))
            }
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }
}

/// A directory below can show changes only by further names of files that were copied up by one of them.
fn after_is_directory(after: &Option<Place>) -> bool {
    matches!(after, Some(Place::Lower { node, .. }) if node.kind() == FileKind::Directory)
}
