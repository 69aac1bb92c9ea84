//! Changes in an overlay: copying up, removing, renaming.

use super::layers::{Child, Extra, Fetched, Layers, Place, directory_links, join, split};
use crate::memory::{Body, Content, Directory, Entry, Inode, Origin};
use crate::time_budget::{self, BRIEF};
use crate::{Access, Context, Errno, FileKind, Metadata, Node, Result};
use std::sync::Arc;

/// Bytes that are read from a lower file at a time.
const PIECE: usize = 256 * 1024;

impl Layers {
    /// The upper inode of a node. Copies the node up if there is none yet.
    pub(super) fn promote(&self, extra: &mut Extra, place: &Place) -> Result<u64> {
        match (self.upper_inode(extra, place), place) {
            (Some(ino), _) => Ok(ino),
            (None, Place::Lower { path, node }) => self.copy_up(extra, path, node, true),
            (None, Place::Upper(_)) => Err(Errno::Stale),
        }
    }

    /// As [`promote`](Self::promote), without copying the contents.
    pub(super) fn promote_empty(&self, extra: &mut Extra, place: &Place) -> Result<u64> {
        match (self.upper_inode(extra, place), place) {
            (None, Place::Lower { path, node }) => self.copy_up(extra, path, node, false),
            _ => self.promote(extra, place),
        }
    }

    /// Removes a name. The caller has checked that this is possible.
    pub(super) fn remove(&self, extra: &mut Extra, at: (u64, &[u8]), child: &Child) -> Result<()> {
        let now = self.live.now();
        let below = self.below(at)?;
        let child = &self.prepare_removal(extra, at, child)?;
        let mut store = self.live.write();
        match child {
            Child::Upper { kind: FileKind::Directory, .. } => {
                let gone = store.remove_dir(at, now)?;
                self.live.release(&mut store, gone);
            }
            Child::Upper { .. } => {
                let gone = store.unlink(at, now)?;
                self.live.release(&mut store, gone);
            }
            Child::Lower { .. } => {}
        }
        drop(store);
        if let Child::Lower { path, node } = child {
            self.uncount_lower_name(extra, at.0, path, node)?;
        }
        if let Some((path, metadata)) = below {
            if extra.removed.get(&path).is_none() {
                extra.removed.insert(path, metadata);
            }
            self.live.write().white_out(at, now)?;
        }
        Ok(())
    }

    pub(super) fn rename(&self, extra: &mut Extra, old: (u64, &[u8]), new: (u64, &[u8])) -> Result<()> {
        let source = self.child(old.0, old.1)?.ok_or(Errno::NoEnt)?;
        let victim = self.child(new.0, new.1)?;
        let directory = source.kind() == FileKind::Directory;
        if let Some(victim) = &victim {
            match (directory, victim.kind() == FileKind::Directory) {
                (true, false) => return Err(Errno::NotDir),
                (false, true) => return Err(Errno::IsDir),
                (true, true) => self.require_empty(extra, victim)?,
                (false, false) => {}
            }
        }
        let source_ino = match &source {
            Child::Upper { ino, .. } => *ino,
            Child::Lower { path, node } => {
                let (path, node) = (Arc::clone(path), node.clone());
                self.promote_name(extra, old, path, &node)?
            }
        };
        let same = match &victim {
            Some(Child::Upper { ino, .. }) => *ino == source_ino,
            Some(Child::Lower { path, node }) => self.copied(extra, path, node) == Some(source_ino),
            None => false,
        };
        if same {
            return Ok(());
        }
        let victim = match &victim {
            Some(victim) => Some(self.prepare_removal(extra, new, victim)?),
            None => None,
        };
        let now = self.live.now();
        let (below_old, below_new) = (self.below(old)?, self.below(new)?);
        let mut store = self.live.write();
        let gone = store.rename(old, new, now)?;
        self.live.release(&mut store, gone);
        drop(store);
        if let Some(Child::Lower { path, node }) = &victim {
            self.uncount_lower_name(extra, new.0, path, node)?;
        }
        for (path, metadata) in [&below_old, &below_new].into_iter().flatten() {
            if extra.removed.get(path).is_none() {
                extra.removed.insert(Arc::clone(path), *metadata);
            }
        }
        if below_old.is_some() {
            self.live.write().white_out(old, now)?;
        }
        Ok(())
    }

    /// `ENOTEMPTY` if the directory shows any name.
    pub(super) fn require_empty(&self, extra: &Extra, directory: &Child) -> Result<()> {
        let names = match directory {
            Child::Upper { ino, kind } => {
                let node = self.shown_node(*ino, *kind);
                self.list(extra, node.get::<Place>().ok_or(Errno::Stale)?)?
            }
            Child::Lower { path, node } => {
                self.list(extra, &Place::Lower { path: Arc::clone(path), node: node.clone() })?
            }
        };
        if names.is_empty() { Ok(()) } else { Err(Errno::NotEmpty) }
    }

    /// Prepares a name for removal. A lower file with further names is copied up first, because their link count must
    /// decrease.
    fn prepare_removal(&self, extra: &mut Extra, at: (u64, &[u8]), child: &Child) -> Result<Child> {
        match child {
            Child::Upper { ino, kind } => Ok(Child::Upper { ino: *ino, kind: *kind }),
            Child::Lower { path, node } => {
                let (path, node) = (Arc::clone(path), node.clone());
                let kind = node.kind();
                if kind != FileKind::Directory && self.lower.metadata(&node)?.nlink > 1 {
                    let ino = self.promote_name(extra, at, path, &node)?;
                    return Ok(Child::Upper { ino, kind });
                }
                Ok(Child::Lower { path, node })
            }
        }
    }

    /// The path and attributes of the lower file for a name in an upper directory, even if it is hidden.
    fn below(&self, (directory, name): (u64, &[u8])) -> Result<Option<(Arc<[u8]>, Metadata)>> {
        let Some(origin) = self.live.read().get(directory)?.origin.clone() else {
            return Ok(None);
        };
        let Some(node) = self.lower_child(&origin.path, name)? else {
            return Ok(None);
        };
        Ok(Some((join(&origin.path, name), self.lower.metadata(&node)?)))
    }

    /// Decreases upper link counts for a name that exists only in the lower filesystem.
    fn uncount_lower_name(&self, extra: &Extra, directory: u64, path: &[u8], node: &Node) -> Result<()> {
        let copied = self.copied(extra, path, node);
        let mut store = self.live.write();
        if node.kind() == FileKind::Directory {
            let directory = store.get_mut(directory)?;
            directory.nlink = directory.nlink.saturating_sub(1).max(2);
        } else if let Some(ino) = copied {
            let inode = store.get_mut(ino)?;
            inode.nlink = inode.nlink.saturating_sub(1);
            let gone = (inode.nlink == 0).then_some(ino);
            self.live.release(&mut store, gone);
        }
        Ok(())
    }

    /// Creates an upper entry for a name that refers to a lower file.
    fn promote_name(&self, extra: &mut Extra, at: (u64, &[u8]), path: Arc<[u8]>, node: &Node) -> Result<u64> {
        match self.copied(extra, &path, node) {
            // Another name of a file that was copied up: its link count includes this name already.
            Some(ino) => {
                let mut store = self.live.write();
                let kind = store.get(ino)?.kind();
                let directory = store.get_mut(at.0)?;
                directory.names_mut()?.insert(Arc::from(at.1), Entry { ino, kind: Some(kind) });
                Ok(ino)
            }
            None => self.copy_up(extra, &path, node, true),
        }
    }

    /// Copies a file up, after its ancestor directories that are not copied yet. `whole`: with its contents.
    fn copy_up(&self, extra: &mut Extra, path: &[u8], node: &Node, whole: bool) -> Result<u64> {
        let mut missing = Vec::new();
        let mut above = split(path).0;
        let mut parent = loop {
            match extra.promoted.get(above) {
                Some(ino) => break *ino,
                // The root is always there.
                None if above.is_empty() => return Err(Errno::Stale),
                None => missing.push(above),
            }
            above = split(above).0;
        };
        for directory in missing.into_iter().rev() {
            let node = self.lower_at(directory)?;
            parent = self.copy_into(extra, parent, directory, &node, true)?;
        }
        self.copy_into(extra, parent, path, node, whole)
    }

    fn copy_into(
        &self,
        extra: &mut Extra,
        parent: u64,
        path: &[u8],
        node: &Node,
        whole: bool,
    ) -> Result<u64> {
        let name = split(path).1;
        if self.live.read().get(parent)?.names()?.get(name).is_some() {
            // The name was removed or replaced in the upper layer, and only a handle on the file is left.
            return Err(Errno::NoEnt);
        }
        let mut metadata = self.lower.metadata(node)?;
        let body = match metadata.kind {
            FileKind::Regular if !whole => Body::File(Content::default()),
            FileKind::Regular => match extra.fetched.take_if(|fetched| *fetched.path == *path) {
                Some(fetched) => {
                    metadata = fetched.metadata;
                    Body::File(fetched.content)
                }
                None if metadata.size > BRIEF => {
                    time_budget::spend(metadata.size)?;
                    extra.wanted = Some((Arc::from(path), node.clone()));
                    return Err(Errno::Restart);
                }
                None => Body::File(self.read_lower(node)?),
            },
            FileKind::Directory => Body::Directory(Directory::default()),
            FileKind::Symlink => Body::Symlink(Arc::from(self.lower.read_link(&Context::ROOT, node)?)),
            FileKind::Fifo => Body::Fifo,
            FileKind::CharDevice => Body::CharDevice(u32::try_from(metadata.rdev).unwrap_or_default()),
            FileKind::Socket => Body::Socket,
            FileKind::BlockDevice => return Err(Errno::Perm),
        };
        let inode = Inode {
            body,
            mode: metadata.mode,
            uid: metadata.uid,
            gid: metadata.gid,
            nlink: match metadata.kind {
                FileKind::Directory => directory_links(&metadata),
                _ => u32::try_from(metadata.nlink).unwrap_or(u32::MAX),
            },
            atime: metadata.atime,
            mtime: metadata.mtime,
            ctime: metadata.ctime,
            parent,
            name: Arc::from(name),
            origin: Some(Arc::new(Origin { path: Box::from(path), metadata })),
        };
        let ino = self.live.write().insert_copy(parent, inode)?;
        extra.promoted.insert(Arc::from(path), ino);
        if metadata.nlink > 1 && metadata.kind != FileKind::Directory {
            extra.linked.insert(metadata.ino, ino)?;
            extra.has_links = true;
        }
        Ok(ino)
    }

    pub(super) fn fetch(&self, path: Arc<[u8]>, node: &Node) -> Result<Fetched> {
        let metadata = self.lower.metadata(node)?;
        Ok(Fetched { path, metadata, content: self.read_lower(node)? })
    }

    fn read_lower(&self, node: &Node) -> Result<Content> {
        let file = self.lower.open(&Context::ROOT, node, Access { read: true, write: false })?;
        let room = self.live.read().room();
        let size = file.metadata()?.size;
        let mut content = Content::default();
        let mut piece = vec![0; PIECE];
        let mut offset = 0;
        // Holes stay holes.
        while let Some(data) = file.next_data(offset)? {
            offset = data.start;
            while offset < data.end {
                let wanted = usize::try_from(data.end - offset).unwrap_or(PIECE).min(PIECE);
                let count = file.read_at(&mut piece[..wanted], offset)?;
                if count == 0 {
                    // The file was truncated meanwhile.
                    return Ok(content);
                }
                if content.stored() + count as u64 > room {
                    return Err(Errno::NoSpc);
                }
                time_budget::spend(0)?;
                content.write(&piece[..count], offset, u64::MAX)?;
                offset += count as u64;
            }
        }
        if size > content.len() {
            content.resize(size)?;
        }
        Ok(content)
    }
}
