//! Traverses a tree of files.

use super::{Location, Namespace, Opened};
use crate::memory::{Entry, Store};
use crate::permit::permit;
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, Follow, MAX_PATH, Metadata, OpenOptions, Result,
};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// A visitor of the files below a directory: see [`Namespace::survey`]. Paths are relative to that directory.
pub trait Surveyor {
    /// Shows an entry. `Break` ends the survey.
    fn entry(&mut self, below: &[u8], entry: Surveyed<'_>) -> ControlFlow<()>;

    /// Whether to go into the directory that was just shown.
    fn enter(&mut self, below: &[u8]) -> bool;

    /// Reports a directory that is left out: it may not be both read and searched, was removed meanwhile, or its path
    /// is too long.
    fn left_out(&mut self, below: &[u8], errno: Errno);
}

/// An entry that is shown to a [`Surveyor`]. Attributes and contents are only read on request.
pub struct Surveyed<'a> {
    kind: FileKind,
    cx: &'a Context,
    source: Source<'a>,
    buffer: &'a mut Vec<u8>,
}

enum Source<'a> {
    /// An inode of a filesystem in memory, and its device number.
    Stored(&'a Store, u64, u64),
    /// A name in a directory.
    Named(&'a Namespace, &'a Location, &'a [u8]),
    /// The root of a mount.
    Mounted(&'a Location),
}

impl Surveyed<'_> {
    /// Its kind; links are not followed.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Its attributes; links are not followed.
    pub fn metadata(&self) -> Result<Metadata> {
        match self.source {
            Source::Stored(store, ino, dev) => Ok(Metadata { dev, ..store.metadata(ino)? }),
            Source::Named(namespace, directory, name) => {
                namespace.metadata(self.cx, directory, name, Follow::No)
            }
            Source::Mounted(at) => at.metadata(),
        }
    }

    /// The bytes of a regular file. `EACCES` if it may not be read, `EFBIG` if there are more than `max`, `EINVAL` for
    /// other kinds.
    pub fn content(&mut self, max: u64) -> Result<&[u8]> {
        match self.source {
            Source::Stored(store, ino, _) => {
                permit(self.cx, &store.metadata(ino)?, 4)?;
                store.content(ino, max, self.buffer)
            }
            Source::Named(namespace, directory, name) => {
                let how = OpenOptions { nofollow: true, ..OpenOptions::READ };
                match namespace.open(self.cx, directory, name, &how)? {
                    Opened::File { file, .. } => read_whole(&*file, max, self.buffer),
                    _ => Err(Errno::Inval),
                }
            }
            Source::Mounted(_) => Err(Errno::Inval),
        }
    }
}

pub(super) fn survey(namespace: &Namespace, cx: &Context, start: &Location, surveyor: &mut dyn Surveyor) {
    let mut traversal = Traversal { namespace, cx, surveyor, below: Vec::new(), buffer: Vec::new() };
    // The surveyor knows whether it ended the survey early.
    let _ = traversal.mount(start);
}

/// The most levels whose directories are kept open. A tree can have more levels than a process may have open files.
const MAX_HANDLES: usize = 64;

struct Traversal<'a> {
    namespace: &'a Namespace,
    cx: &'a Context,
    surveyor: &'a mut dyn Surveyor,
    /// The path of the current entry.
    below: Vec<u8>,
    /// The buffer for contents that have to be copied.
    buffer: Vec<u8>,
}

/// An entry of a store's directory: its name, inode and kind.
type Stored<'s> = (&'s [u8], u64, FileKind);

/// A directory on the way down.
struct Level<D, E> {
    directory: D,
    entries: std::vec::IntoIter<E>,
    /// The length of its path.
    length: usize,
}

impl Traversal<'_> {
    /// Traverses what is below a directory. Recurses only for mounts in mounts.
    fn mount(&mut self, at: &Location) -> ControlFlow<()> {
        match at.fs().frozen() {
            Some(frozen) => self.traverse_snapshot(at, frozen.store()),
            None => self.traverse_listing(at),
        }
    }

    /// Traverses a snapshot of inodes in memory.
    fn traverse_snapshot(&mut self, start: &Location, store: &Store) -> ControlFlow<()> {
        let mounts = start.mount.children();
        let mut levels = Vec::new();
        let mut next = Some(start.node().ino());
        loop {
            if let Some(directory) = next.take() {
                match self.open_stored(store, directory) {
                    Ok(level) => levels.push(level),
                    Err(errno) => self.surveyor.left_out(&self.below, errno),
                }
            }
            let Some(level) = levels.last_mut() else { return ControlFlow::Continue(()) };
            self.below.truncate(level.length);
            let Some((name, ino, kind)) = level.entries.next() else {
                levels.pop();
                continue;
            };
            push(&mut self.below, name);
            let directory = kind == FileKind::Directory;
            if directory && let Some(at) = mounts.location(ino) {
                self.show_mount(&at.covered())?;
                continue;
            }
            let source = Source::Stored(store, ino, start.key().dev);
            let entry = Surveyed { kind, cx: self.cx, source, buffer: &mut self.buffer };
            self.surveyor.entry(&self.below, entry)?;
            if directory && self.surveyor.enter(&self.below) {
                next = Some(ino);
            }
        }
    }

    fn open_stored<'s>(&self, store: &'s Store, directory: u64) -> Result<Level<(), Stored<'s>>> {
        permit(self.cx, &store.metadata(directory)?, 5)?;
        self.check_length()?;
        let names = store.get(directory)?.names()?.iter();
        let mut entries: Vec<Stored<'_>> =
            names.filter_map(|(name, Entry { ino, kind })| Some((&**name, *ino, (*kind)?))).collect();
        sort(&mut entries, |entry| (entry.0, entry.2));
        Ok(Level { directory: (), entries: entries.into_iter(), length: self.below.len() })
    }

    /// Traverses a filesystem by listing each directory.
    fn traverse_listing(&mut self, start: &Location) -> ControlFlow<()> {
        let base = self.below.len();
        let mut levels: Vec<Level<Option<Location>, DirEntry>> = Vec::new();
        let mut next = Some(start.clone());
        loop {
            if let Some(directory) = next.take() {
                match self.open_listed(directory) {
                    Ok(level) => {
                        levels.push(level);
                        let far = levels.len().checked_sub(MAX_HANDLES + 1);
                        if let Some(far) = far.and_then(|far| levels.get_mut(far)) {
                            far.directory = None;
                        }
                    }
                    Err(errno) => self.surveyor.left_out(&self.below, errno),
                }
            }
            let Some(level) = levels.last_mut() else { return ControlFlow::Continue(()) };
            self.below.truncate(level.length);
            let directory = match &level.directory {
                Some(directory) => directory,
                None => match self.find_again(start, base) {
                    Ok(directory) => level.directory.insert(directory),
                    Err(errno) => {
                        self.surveyor.left_out(&self.below, errno);
                        levels.pop();
                        continue;
                    }
                },
            };
            let Some(DirEntry { name, kind, .. }) = level.entries.next() else {
                levels.pop();
                continue;
            };
            push(&mut self.below, &name);
            let source = Source::Named(self.namespace, directory, &name);
            let entry = Surveyed { kind, cx: self.cx, source, buffer: &mut self.buffer };
            self.surveyor.entry(&self.below, entry)?;
            if kind != FileKind::Directory || !self.surveyor.enter(&self.below) {
                continue;
            }
            match self.namespace.resolve(self.cx, directory, &name, Follow::No) {
                Ok(at) if !at.same_mount(directory) => self.mount(&at)?,
                Ok(at) => next = Some(at),
                Err(errno) => self.surveyor.left_out(&self.below, errno),
            }
        }
    }

    fn open_listed(&self, at: Location) -> Result<Level<Option<Location>, DirEntry>> {
        if at.kind() != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        permit(self.cx, &at.metadata()?, 5)?;
        self.check_length()?;
        let file = at.fs().open(self.cx, at.node(), Access { read: true, write: false })?;
        let mut entries: Vec<DirEntry> = Vec::new();
        loop {
            let batch = file.read_dir(self.cx, entries.last().map_or(0, |last| last.next))?;
            if batch.is_empty() {
                break;
            }
            entries.extend(batch);
        }
        sort(&mut entries, |entry| (&*entry.name, entry.kind));
        Ok(Level { directory: Some(at), entries: entries.into_iter(), length: self.below.len() })
    }

    /// Resolves the directory at the current path again, after its handle was released.
    fn find_again(&self, start: &Location, base: usize) -> Result<Location> {
        let path = self.below.get(base..).unwrap_or_default();
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let path = if path.is_empty() { &b"."[..] } else { path };
        self.namespace.resolve(self.cx, start, path, Follow::No)
    }

    /// Shows the root of a mount, and traverses what is below it.
    fn show_mount(&mut self, at: &Location) -> ControlFlow<()> {
        let entry =
            Surveyed { kind: at.kind(), cx: self.cx, source: Source::Mounted(at), buffer: &mut self.buffer };
        self.surveyor.entry(&self.below, entry)?;
        if self.surveyor.enter(&self.below) { self.mount(at) } else { ControlFlow::Continue(()) }
    }

    /// Leaves out directories whose path no operation would accept. This also limits the depth.
    fn check_length(&self) -> Result<()> {
        if self.below.len() > MAX_PATH { Err(Errno::NameTooLong) } else { Ok(()) }
    }
}

fn push(path: &mut Vec<u8>, name: &[u8]) {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

/// Sorts names such that files come in the order of whole paths: `a-b` before `a/b`. They are already sorted by their
/// bytes.
fn sort<E>(entries: &mut [E], key: impl for<'e> Fn(&'e E) -> (&'e [u8], FileKind)) {
    let directory = |entry: &E| key(entry).1 == FileKind::Directory;
    if entries.iter().any(directory) {
        entries.sort_by(|one, two| order(key(one), key(two)));
    }
}

fn order(one: (&[u8], FileKind), two: (&[u8], FileKind)) -> Ordering {
    fn bytes((name, kind): (&[u8], FileKind)) -> impl Iterator<Item = &u8> {
        name.iter().chain((kind == FileKind::Directory).then_some(&b'/'))
    }
    bytes(one).cmp(bytes(two))
}

/// Reads a whole file into the buffer, which never shrinks.
fn read_whole<'b>(file: &dyn File, max: u64, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let size = file.metadata()?.size;
    let mut length = 0;
    loop {
        if size > max || length as u64 > max {
            return Err(Errno::FBig);
        }
        // One byte more than expected, to notice files that grew meanwhile or report no size.
        let wanted = usize::try_from(size).map_err(|_| Errno::FBig)?.max(length).saturating_add(1);
        if buffer.len() < wanted {
            buffer.resize(wanted.max(length.saturating_mul(2)), 0);
        }
        match file.read_at(buffer.get_mut(length..).unwrap_or_default(), length as u64)? {
            0 => break,
            count => length += count,
        }
        if length as u64 == size {
            break;
        }
    }
    Ok(buffer.get(..length).unwrap_or_default())
}
