//! Opening files.

use super::resolve::{LastName, Resolver, Target};
use super::{Location, Namespace, Opened, change, permission};
use crate::permit::permit;
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, HostLocks, LinkTarget, Metadata, NewBody, OpenOptions,
    Result, SetAttributes,
};
use std::ops::Range;
use std::sync::Arc;

pub(super) fn open(
    namespace: &Namespace,
    cx: &Context,
    base: &Location,
    path: &[u8],
    how: &OpenOptions,
) -> Result<Opened> {
    for _ in 0..MAX_LOST {
        match open_once(namespace, cx, base, path, how) {
            // Another program of the host has just put another file there.
            Err(Errno::Stale) => {}
            opened => return opened,
        }
    }
    Err(Errno::Stale)
}

fn open_once(
    namespace: &Namespace,
    cx: &Context,
    base: &Location,
    path: &[u8],
    how: &OpenOptions,
) -> Result<Opened> {
    if how.create {
        if how.directory {
            return Err(Errno::Inval);
        }
        return create(namespace, cx, base, path, how);
    }
    let follow = if how.nofollow { crate::Follow::No } else { crate::Follow::Yes };
    let mut resolver = Resolver::new(namespace, cx);
    let target = match resolver.split(base, path)? {
        Some((directory, name)) => match read_only(cx, &directory, name, how) {
            Some(opened) => return opened,
            None => resolver.finish(&directory, name, follow)?,
        },
        None => resolver.resolve(base, path, follow)?,
    };
    match target {
        Target::Found { at, metadata } => existing(cx, at, metadata, how),
        Target::Descriptor { pid, fd, .. } => Ok(Opened::Descriptor { pid, fd }),
    }
}

/// Opens a file for reading only, or a directory for listing, if the filesystem has a shortcut for that.
fn read_only(cx: &Context, directory: &Location, name: &[u8], how: &OpenOptions) -> Option<Result<Opened>> {
    if !how.read || how.write || how.append || how.truncate {
        return None;
    }
    let (fs, parent) = (directory.fs(), directory.node());
    let opened = match how.directory {
        true => fs.open_directory(cx, parent, name)?,
        false => fs.open_regular(cx, parent, name)?,
    };
    let (node, file) = match opened {
        Ok(opened) => opened,
        Err(errno) => return Some(Err(errno)),
    };
    let location = directory.at(node);
    if how.directory && location.is_covered() {
        return None;
    }
    let file = Arc::new(OpenFile::new(file, &location, Access { read: true, write: false }));
    Some(Ok(match how.directory {
        true => Opened::Directory { file, location },
        false => Opened::File { file, location },
    }))
}

pub(super) fn open_location(cx: &Context, at: &Location, how: &OpenOptions) -> Result<Opened> {
    existing(cx, at.clone(), None, how)
}

/// How often a name is looked up again that was free and exists when it is created, or that is another file's when it
/// is opened.
const MAX_LOST: usize = 64;

/// `O_CREAT`. If the last component is a link, its target may be missing and is created then.
fn create(
    namespace: &Namespace,
    cx: &Context,
    base: &Location,
    path: &[u8],
    how: &OpenOptions,
) -> Result<Opened> {
    let mut resolver = Resolver::new(namespace, cx);
    let mut base = base.clone();
    let mut path = path.to_vec();
    let mut lost = 0;
    loop {
        let last = resolver.parent(&base, &path)?;
        let LastName::Normal(name) = last.name else {
            return Err(if how.exclusive { Errno::Exist } else { Errno::IsDir });
        };
        if last.trailing {
            return Err(Errno::IsDir);
        }
        let Some((node, metadata)) = resolver.child(&last.directory, name)? else {
            match create_missing(cx, &last.directory, name, how) {
                // The file was created meanwhile: look it up again. But a host that takes two names for one has the
                // other one, and always will.
                Err(Errno::Exist) if !how.exclusive && lost < MAX_LOST => {
                    lost += 1;
                    continue;
                }
                created => return created,
            }
        };
        if how.exclusive {
            return Err(Errno::Exist);
        }
        let at = last.directory.at(node);
        if at.kind() != FileKind::Symlink {
            return existing(cx, at.covered(), metadata, how);
        }
        if how.nofollow {
            return Err(Errno::Loop);
        }
        resolver.count_link()?;
        match at.fs().follow_link(cx, at.node())? {
            LinkTarget::Path(text) => (base, path) = (last.directory, text),
            LinkTarget::Location(at) => return existing(cx, at, None, how),
            LinkTarget::Descriptor { pid, fd, .. } => return Ok(Opened::Descriptor { pid, fd }),
        }
    }
}

fn create_missing(cx: &Context, directory: &Location, name: &[u8], how: &OpenOptions) -> Result<Opened> {
    let at = change::create_in(cx, directory, name, NewBody::File, how.mode)?;
    let access = Access { read: how.read, write: how.write || how.append };
    let file = at.fs().open(cx, at.node(), access)?;
    Ok(Opened::File { file: Arc::new(OpenFile::new(file, &at, access)), location: at })
}

/// Opens a file of any kind, after checking permissions.
fn existing(cx: &Context, at: Location, metadata: Option<Metadata>, how: &OpenOptions) -> Result<Opened> {
    let access = Access { read: how.read, write: how.write || how.append };
    let kind = at.kind();
    let directory = kind == FileKind::Directory;
    if how.directory && !directory {
        return Err(Errno::NotDir);
    }
    if kind == FileKind::Symlink {
        return Err(Errno::Loop);
    }
    if directory && (access.write || how.truncate || how.create) {
        return Err(Errno::IsDir);
    }
    let metadata = match metadata {
        Some(metadata) => metadata,
        None => at.metadata()?,
    };
    let changes = access.write || how.truncate;
    permit(cx, &metadata, if access.read { 4 } else { 0 } | if changes { 2 } else { 0 })?;
    if changes {
        at.permit_write()?;
    }
    match kind {
        FileKind::Regular => {
            if how.truncate {
                at.fs().set_attributes(at.node(), &SetAttributes { size: Some(0), ..Default::default() })?;
            }
            let file = at.fs().open(cx, at.node(), access)?;
            Ok(Opened::File { file: Arc::new(OpenFile::new(file, &at, access)), location: at })
        }
        FileKind::Directory => {
            let file = at.fs().open(cx, at.node(), access)?;
            Ok(Opened::Directory { file: Arc::new(OpenFile::new(file, &at, access)), location: at })
        }
        FileKind::Fifo | FileKind::CharDevice if !at.fs().may_open_special(at.node()) => Err(Errno::NxIo),
        FileKind::Fifo => Ok(Opened::Fifo { key: at.key(), location: at }),
        FileKind::CharDevice => {
            let rdev = u32::try_from(metadata.rdev).map_err(|_| Errno::NxIo)?;
            Ok(Opened::Device { location: at, rdev })
        }
        FileKind::Socket | FileKind::BlockDevice | FileKind::Symlink => Err(Errno::NxIo),
    }
}

/// An open file that adds the mount's device number and checks the access mode and permissions.
struct OpenFile {
    file: Arc<dyn File>,
    dev: u64,
    access: Access,
    directory: bool,
    read_only: bool,
}

impl OpenFile {
    fn new(file: Arc<dyn File>, at: &Location, access: Access) -> Self {
        let directory = at.kind() == FileKind::Directory;
        Self { file, dev: at.key().dev, access, directory, read_only: at.read_only() }
    }

    fn readable(&self) -> Result<()> {
        match (self.directory, self.access.read) {
            (true, _) => Err(Errno::IsDir),
            (_, false) => Err(Errno::BadF),
            _ => Ok(()),
        }
    }

    fn writable(&self) -> Result<()> {
        if self.access.write { Ok(()) } else { Err(Errno::BadF) }
    }
}

impl File for OpenFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        self.readable()?;
        self.file.read_at(buf, offset)
    }

    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        self.readable()?;
        self.file.next_data(offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        self.writable()?;
        self.file.write_at(buf, offset)
    }

    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)> {
        self.writable()?;
        self.file.append_counted(buf)
    }

    fn metadata(&self) -> Result<Metadata> {
        Ok(Metadata { dev: self.dev, ..self.file.metadata()? })
    }

    fn metadata_when_opened(&self) -> Result<Metadata> {
        Ok(Metadata { dev: self.dev, ..self.file.metadata_when_opened()? })
    }

    fn set_attributes(&self, cx: &Context, attributes: &SetAttributes) -> Result<()> {
        if self.read_only {
            return Err(Errno::RoFs);
        }
        let attributes =
            permission::prepare(cx, &self.file.metadata()?, attributes, Some(self.access.write))?;
        self.file.set_attributes(cx, &attributes)
    }

    fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    fn allocate(&self, offset: u64, len: u64) -> Result<()> {
        self.writable()?;
        match offset.checked_add(len) {
            _ if len == 0 => Err(Errno::Inval),
            Some(end) if end <= i64::MAX as u64 => self.file.allocate(offset, len),
            _ => Err(Errno::FBig),
        }
    }

    fn read_dir(&self, cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        if !self.directory {
            return Err(Errno::NotDir);
        }
        self.file.read_dir(cx, cursor)
    }

    fn host_locks(&self) -> Result<Option<Box<dyn HostLocks>>> {
        self.file.host_locks()
    }
}
