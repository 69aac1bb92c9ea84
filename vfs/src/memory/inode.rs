//! One inode of a filesystem in memory.

use super::content::Content;
use super::names::Names;
use crate::{Errno, FileKind, Metadata, NewBody, NewNode, Result, Time};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Inode {
    pub(crate) body: Body,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Names, for a directory `2 + subdirectories`; 0 once removed.
    pub(crate) nlink: u32,
    pub(crate) atime: Time,
    pub(crate) mtime: Time,
    pub(crate) ctime: Time,
    /// The directory that holds `name`; for a directory its parent.
    pub(crate) parent: u64,
    /// The name last given.
    pub(crate) name: Arc<[u8]>,
    /// In an overlay: the file below that this one continues.
    pub(crate) origin: Option<Arc<Origin>>,
}

#[derive(Clone)]
pub(crate) enum Body {
    File(Content),
    Directory(Names<Entry>),
    Symlink(Arc<[u8]>),
    Fifo,
    CharDevice(u32),
}

/// What a name of a directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) ino: u64,
    /// `None` for a whiteout: the name of the filesystem below is gone.
    pub(crate) kind: Option<FileKind>,
}

/// The file of the filesystem below that an inode of an overlay was copied up from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Its path below. A directory goes on showing the names there.
    pub(crate) path: Box<[u8]>,
    /// Its attributes at the time.
    pub(crate) metadata: Metadata,
}

impl Entry {
    pub(crate) const WHITEOUT: Self = Self { ino: 0, kind: None };

    pub(crate) fn is_whiteout(&self) -> bool {
        self.kind.is_none()
    }
}

impl Inode {
    pub(crate) fn new(new: &NewNode<'_>, parent: u64, name: Arc<[u8]>, now: Time) -> Self {
        let (body, nlink, mode) = match new.body {
            NewBody::File => (Body::File(Content::default()), 1, new.mode),
            NewBody::Directory => (Body::Directory(Names::default()), 2, new.mode),
            NewBody::Symlink(target) => (Body::Symlink(Arc::from(target)), 1, 0o777),
            NewBody::Fifo => (Body::Fifo, 1, new.mode),
            NewBody::CharDevice(rdev) => (Body::CharDevice(rdev), 1, new.mode),
        };
        let NewNode { uid, gid, .. } = *new;
        let mode = mode & 0o7777;
        Self { body, mode, uid, gid, nlink, atime: now, mtime: now, ctime: now, parent, name, origin: None }
    }

    pub(crate) fn kind(&self) -> FileKind {
        match self.body {
            Body::File(_) => FileKind::Regular,
            Body::Directory(_) => FileKind::Directory,
            Body::Symlink(_) => FileKind::Symlink,
            Body::Fifo => FileKind::Fifo,
            Body::CharDevice(_) => FileKind::CharDevice,
        }
    }

    pub(crate) fn names(&self) -> Result<&Names<Entry>> {
        match &self.body {
            Body::Directory(names) => Ok(names),
            _ => Err(Errno::NotDir),
        }
    }

    pub(crate) fn names_mut(&mut self) -> Result<&mut Names<Entry>> {
        match &mut self.body {
            Body::Directory(names) => Ok(names),
            _ => Err(Errno::NotDir),
        }
    }

    pub(crate) fn content(&self) -> Result<&Content> {
        match &self.body {
            Body::File(content) => Ok(content),
            Body::Directory(_) => Err(Errno::IsDir),
            _ => Err(Errno::Inval),
        }
    }

    pub(crate) fn content_mut(&mut self) -> Result<&mut Content> {
        match &mut self.body {
            Body::File(content) => Ok(content),
            Body::Directory(_) => Err(Errno::IsDir),
            _ => Err(Errno::Inval),
        }
    }

    /// Bytes of contents that count against limits.
    pub(crate) fn stored(&self) -> u64 {
        match &self.body {
            Body::File(content) => content.stored(),
            Body::Symlink(target) => target.len() as u64,
            Body::Directory(_) | Body::Fifo | Body::CharDevice(_) => 0,
        }
    }
}

pub(crate) fn metadata(ino: u64, inode: &Inode) -> Metadata {
    // Directories show the size they have on a common disk.
    let (size, stored, rdev) = match &inode.body {
        Body::File(content) => (content.len(), content.stored(), 0),
        Body::Directory(_) => (4096, 4096, 0),
        Body::Symlink(target) => (target.len() as u64, 0, 0),
        Body::Fifo => (0, 0, 0),
        Body::CharDevice(rdev) => (0, 0, u64::from(*rdev)),
    };
    Metadata {
        dev: 0,
        ino,
        kind: inode.kind(),
        mode: inode.mode,
        nlink: u64::from(inode.nlink),
        uid: inode.uid,
        gid: inode.gid,
        rdev,
        size,
        blocks: stored.div_ceil(4096) * 8,
        atime: inode.atime,
        mtime: inode.mtime,
        ctime: inode.ctime,
    }
}
