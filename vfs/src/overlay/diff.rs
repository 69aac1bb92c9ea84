//! The changes of an overlay.

use super::Overlay;
use super::error::{DiffError, MAX_NAMES};
use super::layers::{Child, Extra, Layers, Place, join};
use crate::memory::ROOT;
use crate::{Change, ChangeKind, DirEntry, Errno, FileKind, MAX_PATH, Metadata, Node, Result};
use std::sync::Arc;

/// A path that differs, with both files. It holds no handles, because there may be many.
pub(super) struct Delta {
    pub(super) path: Arc<[u8]>,
    pub(super) before: Option<Metadata>,
    pub(super) after: Option<(Source, Metadata)>,
}

/// Where the contents of a shown file are.
pub(super) enum Source {
    /// In an upper inode.
    Upper(u64),
    /// At a path of the lower filesystem.
    Lower(Arc<[u8]>),
}

impl Overlay {
    /// Every path that differs from the lower filesystem, sorted by its bytes. For a directory that was added or
    /// removed, also everything in it. A renamed file is removed and added. Times and owners do not count, nor do names
    /// of sockets that were added.
    ///
    /// # Errors
    /// [`DiffError::TooDeep`] for a path of more than 4095 bytes, [`DiffError::TooMany`], or [`DiffError::Failed`] if a
    /// file cannot be read.
    pub fn diff(&self) -> std::result::Result<Vec<Change>, DiffError> {
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
            old_mode: None,
            size: metadata.size,
        };
        match (&self.before, &self.after) {
            (Some(old), Some((_, new))) if old.kind == new.kind => {
                vec![Change { old_mode: Some(old.mode), ..change(ChangeKind::Changed, new) }]
            }
            (before, after) => {
                let removed = before.iter().map(|metadata| change(ChangeKind::Removed, metadata));
                removed.chain(after.iter().map(|(_, metadata)| change(ChangeKind::Added, metadata))).collect()
            }
        }
    }
}

/// A path that is still to be compared. It holds no handles, because directories can be nested deeply.
struct Pending {
    path: Arc<[u8]>,
    /// Whether the lower filesystem may have this path.
    before: bool,
    after: Option<Above>,
}

/// What the overlay shows at a path.
enum Above {
    Upper(u64, FileKind),
    /// The lower file at this path, which may differ from the shown path.
    Lower(Arc<[u8]>),
}

impl Layers {
    pub(super) fn deltas(&self) -> std::result::Result<Vec<Delta>, DiffError> {
        let extra = self.extra();
        self.deltas_with(&extra)
    }

    /// As [`deltas`](Self::deltas), for callers that have locked `extra`.
    pub(super) fn deltas_with(&self, extra: &Extra) -> std::result::Result<Vec<Delta>, DiffError> {
        let root = Above::Upper(ROOT, FileKind::Directory);
        let mut pending = vec![Pending { path: Arc::from(&b""[..]), before: true, after: Some(root) }];
        let mut deltas = Vec::new();
        let mut names = 0;
        while let Some(next) = pending.pop() {
            if next.path.len() > MAX_PATH {
                let path = next.path.get(..80).unwrap_or_default().to_vec();
                return Err(DiffError::TooDeep { path });
            }
            let (path, known) = (Arc::clone(&next.path), (deltas.len(), pending.len()));
            self.compare(extra, next, &mut pending, &mut deltas)
                .map_err(|errno| DiffError::Failed { path: path.to_vec(), errno })?;
            let found = deltas.iter().skip(known.0).map(|delta| &delta.path);
            let found = found.chain(pending.iter().skip(known.1).map(|pending| &pending.path));
            names += found.map(|path| path.len()).sum::<usize>();
            if names > MAX_NAMES {
                return Err(DiffError::TooMany);
            }
        }
        deltas.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(deltas)
    }

    /// Compares one path, and adds the names below it that are to be compared.
    fn compare(
        &self,
        extra: &Extra,
        next: Pending,
        pending: &mut Vec<Pending>,
        deltas: &mut Vec<Delta>,
    ) -> Result<()> {
        let path = &next.path;
        let before = if next.before { self.found_below(path)? } else { None };
        let after = match next.after {
            None => None,
            Some(Above::Upper(ino, kind)) => self.shown_node(ino, kind).get::<Place>().cloned(),
            Some(Above::Lower(from)) => {
                let node = if from == *path { before.clone() } else { self.found_below(&from)? };
                node.map(|node| Place::Lower { path: from, node })
            }
        };
        if let (Some(_), Some(Place::Lower { path: same, .. })) = (&before, &after)
            && same == path
            && !(extra.has_links && after_is_directory(&after))
            && self.upper_inode(extra, after.as_ref().ok_or(Errno::Stale)?).is_none()
        {
            return Ok(());
        }
        let old =
            before.map(|node| self.lower.metadata(&node).map(|metadata| (node, metadata))).transpose()?;
        let new =
            after.map(|place| self.metadata(extra, &place).map(|metadata| (place, metadata))).transpose()?;
        let is_directory = |metadata: &Metadata| metadata.kind == FileKind::Directory;
        for name in self.names_to_compare(extra, path, old.as_ref(), new.as_ref())? {
            let after = match &new {
                Some((place, metadata)) if is_directory(metadata) => self.child_above(extra, place, &name)?,
                _ => None,
            };
            let before = old.as_ref().is_some_and(|(_, metadata)| is_directory(metadata));
            pending.push(Pending { path: join(path, &name), before, after });
        }
        let differs = match (&old, &new) {
            (None, None) => false,
            // The name of a socket is of no use without its server.
            (None, Some((_, new))) if new.kind == FileKind::Socket => false,
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

    /// The lower file at a path, if it still exists.
    fn found_below(&self, path: &[u8]) -> Result<Option<Node>> {
        match self.lower_at(path) {
            Ok(node) => Ok(Some(node)),
            Err(Errno::NoEnt | Errno::NotDir) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Where the contents of a node are.
    fn source(&self, extra: &Extra, place: &Place) -> Source {
        match (self.upper_inode(extra, place), place) {
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
                Ok(!self.contents_below(node)?.equals(&self.contents_above(&self.source(extra, place))?)?)
            }
            FileKind::CharDevice => Ok(old.rdev != new.rdev),
            _ => Ok(false),
        }
    }

    /// The names in either directory that may differ.
    fn names_to_compare(
        &self,
        extra: &Extra,
        path: &[u8],
        old: Option<&(Node, Metadata)>,
        new: Option<&(Place, Metadata)>,
    ) -> Result<Vec<Arc<[u8]>>> {
        let old = old.filter(|(_, metadata)| metadata.kind == FileKind::Directory);
        let new = new.filter(|(_, metadata)| metadata.kind == FileKind::Directory);
        if let (Some(_), Some((place, _))) = (old, new)
            && let Some(ino) = self.upper_inode(extra, place)
            && !extra.has_links
        {
            let store = self.live.read();
            let inode = store.get(ino)?;
            if inode.origin.as_ref().is_some_and(|origin| *origin.path == *path) {
                // Names that the upper layer does not know are unchanged.
                return Ok(inode.names()?.iter().map(|(name, _)| name.clone()).collect());
            }
        }
        let mut names: Vec<DirEntry> = Vec::new();
        if let Some((node, _)) = old {
            names.extend(self.list_lower(node)?);
        }
        if let Some((place, _)) = new {
            names.extend(self.list(extra, place)?);
        }
        let mut names: Vec<_> = names.into_iter().map(|entry| Arc::from(entry.name)).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn child_above(&self, extra: &Extra, directory: &Place, name: &[u8]) -> Result<Option<Above>> {
        match (self.upper_inode(extra, directory), directory) {
            (Some(ino), _) => Ok(self.child(ino, name)?.map(|child| match child {
                Child::Upper { ino, kind } => Above::Upper(ino, kind),
                Child::Lower { path, .. } => Above::Lower(path),
            })),
            (None, Place::Lower { path, .. }) => Ok(Some(Above::Lower(join(path, name)))),
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }
}

/// Whether it is a lower directory. It can contain changes only through other names of files that were copied up.
fn after_is_directory(after: &Option<Place>) -> bool {
    matches!(after, Some(Place::Lower { node, .. }) if node.kind() == FileKind::Directory)
}
