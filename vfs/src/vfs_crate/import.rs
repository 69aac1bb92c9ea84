//! Mounting a filesystem of the crate `vfs`.

use super::{from_vfs, time};
use crate::permit::permit;
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, FileSystem, Metadata, NewBody, NewNode, Node, Result,
    SetAttributes, SetTime, StatFs, Time, Walk,
};
use std::hash::{Hash, Hasher};
use std::io::{Read, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};
use vfs::{SeekAndRead, VfsFileType, VfsPath};

/// Adapts any filesystem of the crate `vfs`, such as an archive or embedded files, for mounting.
///
/// That interface has only directories and regular files by path. Therefore:
/// * everything belongs to user 1000, directories have mode 0755 and files 0644; mode and owner cannot be changed, and
///   links, FIFOs and devices cannot be created (`EPERM`);
/// * inode numbers are derived from the path: a renamed file gets another, and a [`Location`](crate::Location) or open
///   file refers to the path, not to the file;
/// * a write that does not append rewrites the whole file, up to 1 GiB (`EFBIG`).
pub struct ImportedFs {
    root: VfsPath,
}

/// A file by its path.
struct Place {
    path: VfsPath,
}

const ROOT_INO: u64 = 1;

/// The largest file that is rewritten as a whole, in bytes.
const MAX_REWRITTEN: u64 = 1 << 30;

impl ImportedFs {
    /// A filesystem whose root is `root`.
    pub fn new(root: VfsPath) -> Self {
        Self { root }
    }

    fn path<'a>(&self, node: &'a Node) -> Result<&'a VfsPath> {
        node.get::<Place>().map(|place| &place.path).ok_or(Errno::Stale)
    }

    fn child(&self, directory: &Node, name: &[u8]) -> Result<VfsPath> {
        let name = std::str::from_utf8(name).map_err(|_| Errno::NoEnt)?;
        self.path(directory)?.join(name).map_err(|error| from_vfs(&error))
    }

    fn find(&self, path: VfsPath) -> Result<(Node, Metadata)> {
        let metadata = self.look(&path)?;
        Ok((Node::new(metadata.ino, metadata.kind, Place { path }), metadata))
    }

    fn look(&self, path: &VfsPath) -> Result<Metadata> {
        if !path.exists().map_err(|error| from_vfs(&error))? {
            return Err(Errno::NoEnt);
        }
        let found = path.metadata().map_err(|error| from_vfs(&error))?;
        let directory = found.file_type == VfsFileType::Directory;
        let mtime = found.modified.map_or(Time::default(), time);
        Ok(Metadata {
            dev: 0,
            ino: self.ino(path),
            kind: if directory { FileKind::Directory } else { FileKind::Regular },
            mode: if directory { 0o755 } else { 0o644 },
            nlink: if directory { 2 } else { 1 },
            uid: Context::USER.uid,
            gid: Context::USER.gid,
            rdev: 0,
            size: if directory { 4096 } else { found.len },
            blocks: found.len.div_ceil(4096) * 8,
            atime: found.accessed.map_or(mtime, time),
            mtime,
            ctime: mtime,
        })
    }

    fn ino(&self, path: &VfsPath) -> u64 {
        if path == &self.root {
            return ROOT_INO;
        }
        // This hasher has fixed keys, so the numbers are the same in every run.
        #[allow(deprecated, reason = "the replacement has random keys")]
        let mut hasher = std::hash::SipHasher::new();
        path.as_str().hash(&mut hasher);
        hasher.finish() >> 16 | 1 << 47
    }
}

impl FileSystem for ImportedFs {
    fn root(&self) -> Node {
        Node::new(ROOT_INO, FileKind::Directory, Place { path: self.root.clone() })
    }

    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        let mut at = from.clone();
        for (index, name) in names.iter().enumerate() {
            if at.kind() != FileKind::Directory {
                return Err(Errno::NotDir);
            }
            permit(cx, &self.look(self.path(&at)?)?, 1)?;
            let (node, metadata) = self.find(self.child(&at, name)?)?;
            let consumed = index + 1;
            if consumed == names.len() || mountpoints.binary_search(&node.ino()).is_ok() {
                return Ok(Walk { node, consumed, directory: None, metadata: Some(metadata) });
            }
            at = node;
        }
        Err(Errno::Inval)
    }

    fn parent(&self, node: &Node) -> Result<Node> {
        let path = self.path(node)?;
        if path == &self.root { Ok(self.root()) } else { self.find(path.parent()).map(|(node, _)| node) }
    }

    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        let path = Self::path(self, node)?;
        self.look(path)?;
        let below = path.as_str().strip_prefix(self.root.as_str()).ok_or(Errno::NoEnt)?;
        Ok(below.trim_start_matches('/').as_bytes().to_vec())
    }

    fn metadata(&self, node: &Node) -> Result<Metadata> {
        self.look(Self::path(self, node)?)
    }

    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()> {
        let path = Self::path(self, node)?;
        let now = self.look(path)?;
        let keeps = attributes.mode.is_none_or(|mode| mode == now.mode)
            && attributes.uid.is_none_or(|uid| uid == now.uid)
            && attributes.gid.is_none_or(|gid| gid == now.gid);
        if !keeps {
            return Err(Errno::Perm);
        }
        if let Some(size) = attributes.size {
            let mut bytes = read_all(path)?;
            grow(&mut bytes, size)?;
            bytes.truncate(usize::try_from(size).map_err(|_| Errno::FBig)?);
            write_all(path, &bytes)?;
        }
        if let Some(SetTime::At(mtime)) = attributes.mtime {
            path.set_modification_time(super::system_time(mtime)).map_err(|error| from_vfs(&error))?;
        }
        if let Some(SetTime::At(atime)) = attributes.atime {
            path.set_access_time(super::system_time(atime)).map_err(|error| from_vfs(&error))?;
        }
        Ok(())
    }

    fn read_link(&self, _cx: &Context, _node: &Node) -> Result<Vec<u8>> {
        Err(Errno::Inval)
    }

    fn open(&self, _cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>> {
        let path = Self::path(self, node)?.clone();
        let reader = match node.kind() {
            FileKind::Regular if access.read => {
                Some(Mutex::new(path.open_file().map_err(|error| from_vfs(&error))?))
            }
            _ => None,
        };
        Ok(Arc::new(ImportedFile {
            fs: Self::new(self.root.clone()),
            path,
            // A reader may show the file as it was when it was opened, so a file that is also written is reopened for
            // each read.
            reader: reader.filter(|_| !access.write),
            scan: Mutex::default(),
        }))
    }

    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node> {
        let path = match self.child(directory, name) {
            // A name that is not UTF-8 cannot be created.
            Err(Errno::NoEnt) => return Err(Errno::Inval),
            path => path?,
        };
        if path.exists().map_err(|error| from_vfs(&error))? {
            return Err(Errno::Exist);
        }
        match new.body {
            NewBody::File => write_all(&path, b"")?,
            NewBody::Directory => path.create_dir().map_err(|error| from_vfs(&error))?,
            _ => return Err(Errno::Perm),
        }
        self.find(path).map(|(node, _)| node)
    }

    fn link(&self, _node: &Node, _directory: &Node, _name: &[u8]) -> Result<()> {
        Err(Errno::Perm)
    }

    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()> {
        let path = self.child(directory, name)?;
        if self.look(&path)?.kind == FileKind::Directory {
            return Err(Errno::IsDir);
        }
        path.remove_file().map_err(|error| from_vfs(&error))
    }

    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()> {
        let path = self.child(directory, name)?;
        if self.look(&path)?.kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        require_empty(&path)?;
        path.remove_dir().map_err(|error| from_vfs(&error))
    }

    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()> {
        let (from, to) = (self.child(old.0, old.1)?, self.child(new.0, new.1)?);
        if from == to {
            return Ok(());
        }
        let directory = self.look(&from)?.kind == FileKind::Directory;
        if directory && format!("{}/", to.as_str()).starts_with(&format!("{}/", from.as_str())) {
            return Err(Errno::Inval);
        }
        match self.look(&to) {
            Err(Errno::NoEnt) => {}
            Err(errno) => return Err(errno),
            Ok(victim) => match (directory, victim.kind == FileKind::Directory) {
                (true, false) => return Err(Errno::NotDir),
                (false, true) => return Err(Errno::IsDir),
                (true, true) => {
                    require_empty(&to)?;
                    to.remove_dir().map_err(|error| from_vfs(&error))?;
                }
                (false, false) => to.remove_file().map_err(|error| from_vfs(&error))?,
            },
        }
        let moved = if directory { from.move_dir(&to) } else { from.move_file(&to) };
        moved.map_err(|error| from_vfs(&error))
    }

    fn stat_fs(&self) -> Result<StatFs> {
        Ok(StatFs { block_size: 4096, name_length: 255, ..StatFs::default() })
    }
}

fn require_empty(path: &VfsPath) -> Result<()> {
    match path.read_dir().map_err(|error| from_vfs(&error))?.next() {
        None => Ok(()),
        Some(_) => Err(Errno::NotEmpty),
    }
}

fn read_all(path: &VfsPath) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    path.open_file().map_err(|error| from_vfs(&error))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Extends with zeros. The length is limited, because there are no sparse files.
fn grow(bytes: &mut Vec<u8>, size: u64) -> Result<()> {
    if size > MAX_REWRITTEN {
        return Err(Errno::FBig);
    }
    let size = usize::try_from(size).map_err(|_| Errno::FBig)?;
    if size > bytes.len() {
        bytes.resize(size, 0);
    }
    Ok(())
}

fn write_all(path: &VfsPath, bytes: &[u8]) -> Result<()> {
    let mut file = path.create_file().map_err(|error| from_vfs(&error))?;
    file.write_all(bytes)?;
    Ok(file.flush()?)
}

struct ImportedFile {
    fs: ImportedFs,
    path: VfsPath,
    reader: Option<Mutex<Box<dyn SeekAndRead + Send>>>,
    /// The names at the start of the scan, sorted.
    scan: Mutex<Vec<DirEntry>>,
}

impl File for ImportedFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let mut fresh;
        let mut guard;
        let reader: &mut dyn SeekAndRead = match &self.reader {
            Some(reader) => {
                guard = reader.lock().unwrap_or_else(PoisonError::into_inner);
                &mut **guard
            }
            None => {
                fresh = self.path.open_file().map_err(|error| from_vfs(&error))?;
                &mut *fresh
            }
        };
        reader.seek(SeekFrom::Start(offset))?;
        let mut done = 0;
        while done < buf.len() {
            match reader.read(&mut buf[done..])? {
                0 => break,
                count => done += count,
            }
        }
        Ok(done)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        if offset == self.fs.look(&self.path)?.size {
            return self.append_counted(buf).map(|(count, _)| count);
        }
        let mut bytes = read_all(&self.path)?;
        let end = offset.checked_add(buf.len() as u64).ok_or(Errno::FBig)?;
        grow(&mut bytes, end)?;
        let start = usize::try_from(offset).map_err(|_| Errno::FBig)?;
        let place = bytes.get_mut(start..start + buf.len()).ok_or(Errno::FBig)?;
        place.copy_from_slice(buf);
        write_all(&self.path, &bytes)?;
        Ok(buf.len())
    }

    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)> {
        let mut file = self.path.append_file().map_err(|error| from_vfs(&error))?;
        file.write_all(buf)?;
        file.flush()?;
        drop(file);
        Ok((buf.len(), self.fs.look(&self.path)?.size))
    }

    fn metadata(&self) -> Result<Metadata> {
        self.fs.look(&self.path)
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        let (node, _) = self.fs.find(self.path.clone())?;
        self.fs.set_attributes(&node, attributes)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::NotSup)
    }

    fn read_dir(&self, _cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor == 0 {
            scan.clear();
            for path in self.path.read_dir().map_err(|error| from_vfs(&error))? {
                let Ok(metadata) = self.fs.look(&path) else {
                    continue;
                };
                let name = path.filename().as_bytes().into();
                scan.push(DirEntry { name, ino: metadata.ino, kind: metadata.kind, next: 0 });
            }
            scan.sort_unstable_by(|one, two| one.name.cmp(&two.name));
            for (next, entry) in (1..).zip(&mut *scan) {
                entry.next = next;
            }
        }
        Ok(scan.iter().filter(|entry| entry.next > cursor).take(256).cloned().collect())
    }
}
