//! Open host files.

use super::super::budget::DescriptorPermit;
use super::known_kinds::KnownKinds;
use super::lock::LockedFile;
use super::node::{HostNode, Owner};
use super::path_cache::Moment;
use super::retry::retry;
use super::{HostAccess, set_attributes};
use crate::{
    Access, Context, DirEntry, Errno, File, FileKind, HostLocks, Metadata, Result, SetAttributes, time_budget,
};
use rustix::fs::{AtFlags, FallocateFlags, Mode, RawDir, SeekFrom};
use rustix::io::ReadWriteFlags;
use std::cell::Cell;
use std::io::IoSlice;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct HostFile {
    /// `None` if the node's own descriptor is used, which is open for reading.
    fd: Option<(OwnedFd, DescriptorPermit)>,
    node: HostNode,
    owner: Owner,
    /// Whether it may have set-id bits, which the first change of its contents clears.
    privileged: AtomicBool,
}

impl HostFile {
    pub(super) fn new(
        fd: OwnedFd,
        held: DescriptorPermit,
        node: HostNode,
        owner: Owner,
        access: Access,
    ) -> Result<Self> {
        let privileged = access.write && mode(&fd)? & PRIVILEGES != 0;
        Ok(Self { fd: Some((fd, held)), node, owner, privileged: AtomicBool::new(privileged) })
    }

    /// A file whose node was made by opening it for reading.
    pub(super) fn reading(node: HostNode, owner: Owner) -> Self {
        Self { fd: None, node, owner, privileged: AtomicBool::new(false) }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match &self.fd {
            Some((fd, _)) => fd.as_fd(),
            None => self.node.as_fd(),
        }
    }

    /// Writes as much of `buf` as the quota allows.
    fn write(&self, buf: &[u8], write: impl Fn(&[u8]) -> rustix::io::Result<usize>) -> Result<usize> {
        let allowed = self.owner.budget.write(buf.len() as u64)?;
        let part = buf.get(..usize::try_from(allowed).unwrap_or(usize::MAX)).unwrap_or(buf);
        let written = retry(|| write(part));
        self.owner.budget.refund(allowed - written.map_or(0, |count| count as u64));
        written
    }

    /// Clears its set-id bits before its contents change: the kernel does not do that for the superuser.
    fn change(&self) -> Result<()> {
        if self.privileged.swap(false, Ordering::AcqRel) {
            clear_privileges(self.fd())?;
        }
        Ok(())
    }
}

/// Set-user-ID and set-group-ID.
pub(super) const PRIVILEGES: u32 = 0o6000;

fn mode(fd: impl AsFd) -> Result<u32> {
    Ok(retry(|| rustix::fs::fstat(&fd))?.st_mode & 0o7777)
}

/// Clears a file's set-id bits.
pub(super) fn clear_privileges(fd: impl AsFd) -> Result<()> {
    let mode = mode(&fd)?;
    if mode & PRIVILEGES == 0 {
        return Ok(());
    }
    retry(|| rustix::fs::fchmod(&fd, Mode::from_raw_mode(mode & !PRIVILEGES)))
}

/// Bytes that are reserved at a time.
const PIECE: u64 = 16 << 20;

impl File for HostFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        if offset > i64::MAX as u64 {
            return Err(Errno::Inval);
        }
        retry(|| rustix::io::pread(self.fd(), &mut *buf, offset))
    }

    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        // The descriptor's offset is used for nothing else.
        let seek = |to| retry(|| rustix::fs::seek(self.fd(), to));
        if offset > i64::MAX as u64 {
            return Ok(None);
        }
        match seek(SeekFrom::Data(offset)) {
            Ok(start) => Ok(Some(start..seek(SeekFrom::Hole(start))?)),
            Err(Errno::NxIo) => Ok(None),
            Err(Errno::Inval | Errno::NotSup) => {
                let size = self.metadata()?.size;
                Ok((offset < size).then_some(offset..size))
            }
            Err(errno) => Err(errno),
        }
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        if offset >= i64::MAX as u64 {
            return Err(Errno::FBig);
        }
        self.change()?;
        self.write(buf, |buf| rustix::io::pwrite(self.fd(), buf, offset))
    }

    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)> {
        self.change()?;
        // With this flag the kernel ignores the offset.
        let append =
            |buf: &[u8]| rustix::io::pwritev2(self.fd(), &[IoSlice::new(buf)], 0, ReadWriteFlags::APPEND);
        let count = self.write(buf, append)?;
        let size = retry(|| rustix::fs::fstat(self.fd()))?.st_size;
        Ok((count, u64::try_from(size).unwrap_or_default()))
    }

    fn metadata(&self) -> Result<Metadata> {
        Ok(self.owner.metadata(&retry(|| rustix::fs::fstat(self.fd()))?))
    }

    fn metadata_when_opened(&self) -> Result<Metadata> {
        // Without a descriptor of its own, the node was made by opening.
        if self.fd.is_none() { Ok(self.node.first_metadata()) } else { self.metadata() }
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        let mut rest = *attributes;
        if let Some(size) = rest.size.take() {
            self.change()?;
            // Use the open descriptor: the mode may not allow opening the file again.
            let current = self.metadata()?;
            if current.blocks > super::LARGE / 512 && size < current.size {
                time_budget::spend(u64::MAX)?;
            }
            retry(|| rustix::fs::ftruncate(self.fd(), size))?;
        }
        set_attributes(&self.node, &self.owner, &rest)
    }

    fn sync(&self) -> Result<()> {
        // A sync may take any amount of time.
        time_budget::spend(u64::MAX)?;
        retry(|| rustix::fs::fsync(self.fd()))
    }

    fn allocate(&self, offset: u64, len: u64) -> Result<()> {
        time_budget::spend(len)?;
        self.change()?;
        let end = offset.saturating_add(len);
        let mut at = offset;
        while at < end {
            time_budget::spend(0)?;
            let piece = (end - at).min(PIECE);
            self.owner.budget.write_whole(piece)?;
            retry(|| rustix::fs::fallocate(self.fd(), FallocateFlags::empty(), at, piece))?;
            at += piece;
        }
        Ok(())
    }

    fn read_dir(&self, _cx: &Context, _cursor: u64) -> Result<Vec<DirEntry>> {
        Err(Errno::NotDir)
    }

    fn host_locks(&self) -> Result<Option<Box<dyn HostLocks>>> {
        // This program's own files have locks of its own, which no sandbox shall hold up.
        if self.owner.trusted.as_ref().is_some_and(|trusted| trusted.is_shown()) {
            return Ok(None);
        }
        Ok(Some(Box::new(LockedFile::new(self.fd(), &self.node, &self.owner)?)))
    }
}

/// The most names in one batch.
const BATCH: usize = 256;

/// The cost of listing a name, in bytes of work. Two thousand names are brief.
const NAME: u64 = 512;

/// Bytes of entries that one system call returns.
const SCAN_BUFFER: usize = 32 << 10;

thread_local! {
    /// Kept, as an allocation of this size takes as long as reading a few names.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

pub(super) struct HostDirectory {
    node: HostNode,
    owner: Owner,
    access: HostAccess,
    known_kinds: Arc<KnownKinds>,
    /// Whether the node's own descriptor is open for reading and still at the start of the directory.
    unread: AtomicBool,
    /// All names at the start of the scan, sorted.
    scan: Mutex<Option<Arc<Vec<DirEntry>>>>,
}

impl HostDirectory {
    pub(super) fn new(
        node: HostNode,
        owner: Owner,
        access: HostAccess,
        known_kinds: Arc<KnownKinds>,
    ) -> Self {
        Self { node, owner, access, known_kinds, unread: AtomicBool::new(false), scan: Mutex::new(None) }
    }

    /// A directory whose node was made by opening it for reading.
    pub(super) fn opened(
        node: HostNode,
        owner: Owner,
        access: HostAccess,
        known_kinds: Arc<KnownKinds>,
    ) -> Self {
        Self { unread: AtomicBool::new(true), ..Self::new(node, owner, access, known_kinds) }
    }

    fn list(&self) -> Result<Vec<DirEntry>> {
        if self.unread.swap(false, Ordering::AcqRel) {
            self.list_by(self.node.as_fd())
        } else {
            self.list_by(self.node.listing()?.as_fd())
        }
    }

    fn list_by(&self, fd: BorrowedFd<'_>) -> Result<Vec<DirEntry>> {
        let (mut entries, mut buffer) = (Vec::new(), BUFFER.take());
        buffer.reserve(SCAN_BUFFER);
        let mut scan = RawDir::new(fd, buffer.spare_capacity_mut());
        while let Some(entry) = scan.next() {
            let entry = entry.map_err(number)?;
            time_budget::spend(NAME)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let kind = match entry.file_type() {
                rustix::fs::FileType::Unknown => {
                    match rustix::fs::statat(self.node.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
                        Ok(stat) => self.owner.metadata(&stat).kind,
                        // Removed meanwhile.
                        Err(_) => continue,
                    }
                }
                known => FileKind::from_mode(known.as_raw_mode()).unwrap_or(FileKind::Socket),
            };
            let ino = self.owner.number(entry.ino(), self.node.device());
            entries.push(DirEntry { name: name.into(), ino, kind, next: 0 });
        }
        BUFFER.set(buffer);
        Ok(super::super::in_order(entries))
    }
}

impl File for HostDirectory {
    fn read_at(&self, _buf: &mut [u8], _offset: u64) -> Result<usize> {
        Err(Errno::IsDir)
    }

    fn write_at(&self, _buf: &[u8], _offset: u64) -> Result<usize> {
        Err(Errno::IsDir)
    }

    fn append_counted(&self, _buf: &[u8]) -> Result<(usize, u64)> {
        Err(Errno::IsDir)
    }

    fn metadata(&self) -> Result<Metadata> {
        self.node.metadata(&self.owner)
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        if self.access == HostAccess::ReadOnly {
            return Err(Errno::RoFs);
        }
        set_attributes(&self.node, &self.owner, attributes)
    }

    fn sync(&self) -> Result<()> {
        let fd = self.node.listing()?;
        retry(|| rustix::fs::fsync(&fd))
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::IsDir)
    }

    fn read_dir(&self, _cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        let all = {
            let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
            match &*scan {
                Some(all) if cursor != 0 => Arc::clone(all),
                _ => {
                    let before = Moment::now();
                    let all = Arc::new(self.list()?);
                    self.known_kinds.listed(self.node.identity(), before, &all);
                    Arc::clone(scan.insert(all))
                }
            }
        };
        let start = usize::try_from(cursor).unwrap_or(usize::MAX);
        Ok(all.iter().skip(start).take(BATCH).cloned().collect())
    }
}

fn number(errno: rustix::io::Errno) -> Errno {
    Errno::from_raw(errno.raw_os_error())
}
