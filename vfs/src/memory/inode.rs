//! One inode of a filesystem in memory.

use super::content::Content;
use super::directory::{Directory, Entry};
use super::names::Names;
use crate::{Errno, FileKind, Metadata, NewBody, NewNode, Result, Time};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Inode {
    pub(crate) body: Body,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Number of names; for a directory `2 + subdirectories`. 0 when removed.
    pub(crate) nlink: u32,
    pub(crate) atime: Time,
    pub(crate) mtime: Time,
    pub(crate) ctime: Time,
    /// The directory that holds `name`. For a directory: its parent.
    pub(crate) parent: u64,
    /// The name that was given last.
    pub(crate) name: Arc<[u8]>,
    /// In an overlay: the lower file that this one was copied from.
    pub(crate) origin: Option<Arc<Origin>>,
}

#[derive(Clone)]
pub(crate) enum Body {
    File(Content),
    Directory(Directory),
    Symlink(Arc<[u8]>),
    Fifo,
    Socket,
    CharDevice(u32),
}

/// The lower file that an inode of an overlay was copied up from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Its path in the lower filesystem. A directory continues to show the names there.
    pub(crate) path: Box<[u8]>,
    /// Its attributes when it was copied up.
    pub(crate) metadata: Metadata,
}

impl Inode {
    pub(crate) fn new(new: &NewNode<'_>, parent: u64, name: Arc<[u8]>, now: Time) -> Self {
        let (body, nlink, mode) = match new.body {
            NewBody::File => (Body::File(Content::default()), 1, new.mode),
            NewBody::Directory => (Body::Directory(Directory::default()), 2, new.mode),
            NewBody::Symlink(target) => (Body::Symlink(Arc::from(target)), 1, 0o777),
            NewBody::Fifo => (Body::Fifo, 1, new.mode),
            NewBody::Socket => (Body::Socket, 1, new.mode),
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
            Body::Socket => FileKind::Socket,
            Body::CharDevice(_) => FileKind::CharDevice,
        }
    }

    pub(crate) fn names(&self) -> Result<&Names<Entry>> {
        match &self.body {
            Body::Directory(directory) => directory.names(),
            _ => Err(Errno::NotDir),
        }
    }

    pub(crate) fn names_mut(&mut self) -> Result<&mut Names<Entry>> {
        match &mut self.body {
            Body::Directory(directory) => directory.names_mut(),
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
            Body::Directory(_) | Body::Fifo | Body::Socket | Body::CharDevice(_) => 0,
        }
    }
}

pub(crate) fn metadata(ino: u64, inode: &Inode) -> Metadata {
    // Directories have the size that is usual on disk filesystems.
    let (size, stored, rdev) = match &inode.body {
        Body::File(content) => (content.len(), content.stored(), 0),
        Body::Directory(_) => (4096, 4096, 0),
        Body::Symlink(target) => (target.len() as u64, 0, 0),
        Body::Fifo | Body::Socket => (0, 0, 0),
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
