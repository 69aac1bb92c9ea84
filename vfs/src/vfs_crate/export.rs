//! This crate's filesystems with the interface of the crate `vfs`.

use super::{system_time, to_vfs};
use crate::{
    Context, DirEntry, Errno, File, FileKind, Follow, MemoryFs, MountOptions, Namespace, OpenOptions, Opened,
    Result, SetAttributes, SetTime,
};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::SystemTime;
use vfs::error::VfsErrorKind;
use vfs::{SeekAndRead, SeekAndWrite, VfsFileType, VfsMetadata, VfsResult};

const CX: &Context = &Context::ROOT;

/// The whole namespace, accessed as the superuser. Links are followed. Names that are not UTF-8 get replacement
/// characters.
impl vfs::FileSystem for Namespace {
    fn read_dir(&self, path: &str) -> VfsResult<Box<dyn Iterator<Item = String> + Send>> {
        let how = OpenOptions { directory: true, ..OpenOptions::READ };
        let file = file(open(self, path, &how).map_err(to_vfs)?).map_err(to_vfs)?;
        let mut names: Vec<String> = Vec::new();
        let mut cursor = 0;
        loop {
            let batch: Vec<DirEntry> = file.read_dir(CX, cursor).map_err(to_vfs)?;
            let Some(last) = batch.last() else {
                return Ok(Box::new(names.into_iter()));
            };
            cursor = last.next;
            names.extend(batch.iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()));
        }
    }

    fn create_dir(&self, path: &str) -> VfsResult<()> {
        match Self::create_dir(self, CX, &self.root(), &full(path), 0o755) {
            Err(Errno::Exist) => {
                let kind =
                    Self::metadata(self, CX, &self.root(), &full(path), Follow::Yes).map(|found| found.kind);
                Err(match kind {
                    Ok(FileKind::Directory) => VfsErrorKind::DirectoryExists.into(),
                    _ => VfsErrorKind::FileExists.into(),
                })
            }
            done => done.map_err(to_vfs),
        }
    }

    fn open_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndRead + Send>> {
        let file = regular(open(self, path, &OpenOptions::READ)).map_err(to_vfs)?;
        Ok(Box::new(Cursor { file, offset: 0, append: false }))
    }

    fn create_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        let how = OpenOptions { mode: 0o644, ..OpenOptions::WRITE };
        let file = regular(open(self, path, &how)).map_err(to_vfs)?;
        Ok(Box::new(Cursor { file, offset: 0, append: false }))
    }

    fn append_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        let how = OpenOptions { read: false, write: true, append: true, ..OpenOptions::READ };
        let file = regular(open(self, path, &how)).map_err(to_vfs)?;
        Ok(Box::new(Cursor { file, offset: 0, append: true }))
    }

    fn metadata(&self, path: &str) -> VfsResult<VfsMetadata> {
        let found = Self::metadata(self, CX, &self.root(), &full(path), Follow::Yes).map_err(to_vfs)?;
        let directory = found.kind == FileKind::Directory;
        Ok(VfsMetadata {
            file_type: if directory { VfsFileType::Directory } else { VfsFileType::File },
            len: if directory { 0 } else { found.size },
            created: None,
            modified: Some(system_time(found.mtime)),
            accessed: Some(system_time(found.atime)),
        })
    }

    fn set_modification_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        let mtime = Some(SetTime::At(super::time(time)));
        set(self, path, &SetAttributes { mtime, ..Default::default() })
    }

    fn set_access_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        let atime = Some(SetTime::At(super::time(time)));
        set(self, path, &SetAttributes { atime, ..Default::default() })
    }

    fn exists(&self, path: &str) -> VfsResult<bool> {
        match self.resolve(CX, &self.root(), &full(path), Follow::Yes) {
            Ok(_) => Ok(true),
            Err(Errno::NoEnt | Errno::NotDir) => Ok(false),
            Err(errno) => Err(to_vfs(errno)),
        }
    }

    fn remove_file(&self, path: &str) -> VfsResult<()> {
        self.unlink(CX, &self.root(), &full(path)).map_err(to_vfs)
    }

    fn remove_dir(&self, path: &str) -> VfsResult<()> {
        Self::remove_dir(self, CX, &self.root(), &full(path)).map_err(to_vfs)
    }

    fn move_file(&self, from: &str, to: &str) -> VfsResult<()> {
        self.rename(CX, &self.root(), &full(from), &self.root(), &full(to)).map_err(to_vfs)
    }

    fn move_dir(&self, from: &str, to: &str) -> VfsResult<()> {
        self.rename(CX, &self.root(), &full(from), &self.root(), &full(to)).map_err(to_vfs)
    }
}

/// Behaves as a [`Namespace`] with only this filesystem.
impl vfs::FileSystem for MemoryFs {
    fn read_dir(&self, path: &str) -> VfsResult<Box<dyn Iterator<Item = String> + Send>> {
        vfs::FileSystem::read_dir(&alone(self), path)
    }

    fn create_dir(&self, path: &str) -> VfsResult<()> {
        vfs::FileSystem::create_dir(&alone(self), path)
    }

    fn open_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndRead + Send>> {
        alone(self).open_file(path)
    }

    fn create_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        alone(self).create_file(path)
    }

    fn append_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        alone(self).append_file(path)
    }

    fn metadata(&self, path: &str) -> VfsResult<VfsMetadata> {
        vfs::FileSystem::metadata(&alone(self), path)
    }

    fn set_modification_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        alone(self).set_modification_time(path, time)
    }

    fn set_access_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        alone(self).set_access_time(path, time)
    }

    fn exists(&self, path: &str) -> VfsResult<bool> {
        alone(self).exists(path)
    }

    fn remove_file(&self, path: &str) -> VfsResult<()> {
        alone(self).remove_file(path)
    }

    fn remove_dir(&self, path: &str) -> VfsResult<()> {
        vfs::FileSystem::remove_dir(&alone(self), path)
    }

    fn move_file(&self, from: &str, to: &str) -> VfsResult<()> {
        alone(self).move_file(from, to)
    }

    fn move_dir(&self, from: &str, to: &str) -> VfsResult<()> {
        alone(self).move_dir(from, to)
    }
}

fn alone(fs: &MemoryFs) -> Namespace {
    Namespace::new(Arc::new(fs.share()), MountOptions::default())
}

/// Paths of the crate `vfs` start with a slash, except the root, which is empty.
fn full(path: &str) -> Vec<u8> {
    if path.is_empty() { b"/".to_vec() } else { path.as_bytes().to_vec() }
}

fn open(namespace: &Namespace, path: &str, how: &OpenOptions) -> Result<Opened> {
    namespace.open(CX, &namespace.root(), &full(path), how)
}

fn file(opened: Opened) -> Result<Arc<dyn File>> {
    match opened {
        Opened::File { file, .. } | Opened::Directory { file, .. } => Ok(file),
        _ => Err(Errno::NxIo),
    }
}

fn regular(opened: Result<Opened>) -> Result<Arc<dyn File>> {
    match opened? {
        Opened::File { file, .. } => Ok(file),
        Opened::Directory { .. } => Err(Errno::IsDir),
        _ => Err(Errno::NxIo),
    }
}

fn set(namespace: &Namespace, path: &str, attributes: &SetAttributes) -> VfsResult<()> {
    namespace.set_attributes(CX, &namespace.root(), &full(path), Follow::Yes, attributes).map_err(to_vfs)
}

/// A position in an open file.
struct Cursor {
    file: Arc<dyn File>,
    offset: u64,
    append: bool,
}

impl Read for Cursor {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buf, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

impl Write for Cursor {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.append {
            let (count, end) = self.file.append_counted(buf)?;
            self.offset = end;
            return Ok(count);
        }
        let count = self.file.write_at(buf, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.size.checked_add_signed(by),
        };
        self.offset = offset.ok_or(Errno::Inval)?;
        Ok(self.offset)
    }
}
