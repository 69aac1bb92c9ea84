//! The directory to which changes are applied. Every path is walked from its root, and no link is followed.

use crate::overlay::layers::{join, split};
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, FileSystem, Metadata, NewBody, NewNode, Node,
    RenameHow, Result, SetAttributes,
};
use std::sync::Arc;

pub(super) const CX: &Context = &Context::ROOT;

/// From one path to another.
type Move = (Arc<[u8]>, Arc<[u8]>);

pub(super) struct Target {
    pub(super) fs: Arc<dyn FileSystem>,
}

impl Target {
    pub(super) fn new(fs: Arc<dyn FileSystem>) -> Self {
        Self { fs }
    }

    fn node(&self, path: &[u8]) -> Result<Node> {
        if path.is_empty() {
            return Ok(self.fs.root());
        }
        let (directory, name) = self.place(path)?;
        Ok(self.fs.walk(CX, &directory, &[name], &[])?.node)
    }

    fn directory(&self, path: &[u8]) -> Result<Node> {
        if path.is_empty() {
            return Ok(self.fs.root());
        }
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let walk = self.fs.walk(CX, &self.fs.root(), &names, &[])?;
        if walk.consumed != names.len() || walk.node.kind() != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        Ok(walk.node)
    }

    /// A path's directory and last name.
    fn place<'p>(&self, path: &'p [u8]) -> Result<(Node, &'p [u8])> {
        let (above, name) = split(path);
        Ok((self.directory(above)?, name))
    }

    pub(super) fn metadata(&self, path: &[u8]) -> Result<Option<Metadata>> {
        match self.node(path).and_then(|node| self.fs.metadata(&node)) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(Errno::NoEnt | Errno::NotDir) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    pub(super) fn create(&self, path: &[u8], body: NewBody<'_>, mode: u32) -> Result<Node> {
        let (directory, name) = self.place(path)?;
        let Context { uid, gid, .. } = Context::USER;
        self.fs.create(&directory, name, &NewNode { body, mode, uid, gid })
    }

    pub(super) fn open_new(&self, node: &Node) -> Result<Arc<dyn File>> {
        self.fs.open(CX, node, Access { read: true, write: true })
    }

    pub(super) fn set_mode(&self, path: &[u8], mode: u32) -> Result<()> {
        let mode = SetAttributes { mode: Some(mode), ..SetAttributes::default() };
        self.fs.set_attributes(&self.node(path)?, &mode)
    }

    /// Moves a name to one that does not exist. `EEXIST` otherwise.
    pub(super) fn move_to_vacant(&self, from: &[u8], to: &[u8]) -> Result<()> {
        let (old, new) = (self.place(from)?, self.place(to)?);
        match self.fs.rename_as((&old.0, old.1), (&new.0, new.1), RenameHow::Vacant) {
            // The filesystem cannot check and move atomically.
            Err(Errno::Inval | Errno::NoSys | Errno::NotSup) => {}
            Err(Errno::XDev) if self.is_directory(from)? => return self.move_contents(from, to),
            other => return other,
        }
        if self.metadata(to)?.is_some() {
            return Err(Errno::Exist);
        }
        self.fs.rename((&old.0, old.1), (&new.0, new.1))
    }

    /// Moves a directory file by file, for layered filesystems, as containers have, which cannot move a directory of a
    /// lower layer. Continues an interrupted move. Existing files in the other directory stay.
    pub(super) fn move_contents(&self, from: &[u8], to: &[u8]) -> Result<()> {
        let mut levels: Vec<Move> = vec![(Arc::from(from), Arc::from(to))];
        while let Some((from, to)) = levels.last().cloned() {
            let node = self.node(&from)?;
            if self.metadata(&to)?.is_none() {
                let mode = self.fs.metadata(&node)?.mode;
                self.create(&to, NewBody::Directory, mode)?;
                self.set_mode(&to, mode & 0o1777)?;
            }
            let mut empty = true;
            for entry in self.list(&from)? {
                let (old, new) = (join(&from, &entry.name), join(&to, &entry.name));
                if entry.kind == FileKind::Directory {
                    levels.push((old, new));
                    empty = false;
                } else {
                    self.move_to_vacant(&old, &new)?;
                }
            }
            if empty {
                levels.pop();
                let (above, name) = self.place(&from)?;
                self.fs.remove_dir(&above, name)?;
            }
        }
        Ok(())
    }

    /// Moves a name back. If both are directories, because one was moved partly, they are merged.
    pub(super) fn move_back(&self, from: &[u8], to: &[u8]) -> Result<()> {
        match self.move_to_vacant(from, to) {
            Err(Errno::Exist) if self.is_directory(from)? && self.is_directory(to)? => {
                self.move_contents(from, to)
            }
            other => other,
        }
    }

    fn is_directory(&self, path: &[u8]) -> Result<bool> {
        Ok(self.metadata(path)?.is_some_and(|found| found.kind == FileKind::Directory))
    }

    /// Exchanges two names. Returns whether the filesystem supports that.
    pub(super) fn exchange(&self, one: &[u8], two: &[u8]) -> Result<bool> {
        let (old, new) = (self.place(one)?, self.place(two)?);
        match self.fs.rename_as((&old.0, old.1), (&new.0, new.1), RenameHow::Exchange) {
            Ok(()) => Ok(true),
            Err(Errno::Inval | Errno::NoSys | Errno::NotSup | Errno::XDev) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    pub(super) fn list(&self, path: &[u8]) -> Result<Vec<DirEntry>> {
        let directory = self.fs.open(CX, &self.node(path)?, Access { read: true, write: false })?;
        let mut entries: Vec<DirEntry> = Vec::new();
        loop {
            let batch = directory.read_dir(CX, entries.last().map_or(0, |last| last.next))?;
            if batch.is_empty() {
                return Ok(entries);
            }
            entries.extend(batch);
        }
    }

    /// Makes the contents of a file or the names of a directory durable.
    pub(super) fn sync(&self, path: &[u8]) -> Result<()> {
        self.fs.open(CX, &self.node(path)?, Access { read: true, write: false })?.sync()
    }

    /// Removes a staging directory with everything in it, if it exists.
    pub(super) fn remove_tree(&self, path: &[u8]) -> Result<()> {
        let Some(metadata) = self.metadata(path)? else { return Ok(()) };
        if metadata.kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        let mut levels: Vec<Arc<[u8]>> = vec![Arc::from(path)];
        while let Some(directory) = levels.last().cloned() {
            // A sandbox may have chosen a mode that forbids access.
            let node = self.node(&directory)?;
            if self.fs.metadata(&node)?.mode & 0o700 != 0o700 {
                self.set_mode(&directory, 0o700)?;
            }
            let mut empty = true;
            for entry in self.list(&directory)? {
                if entry.kind == FileKind::Directory {
                    levels.push(join(&directory, &entry.name));
                    empty = false;
                } else {
                    self.fs.unlink(&node, &entry.name)?;
                }
            }
            if empty {
                levels.pop();
                let (above, name) = self.place(&directory)?;
                self.fs.remove_dir(&above, name)?;
            }
        }
        Ok(())
    }
}
