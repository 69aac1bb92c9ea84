//! Open host files.

use super::super::HostAccess;
use super::super::budget::DescriptorPermit;
use super::directory::{Directory, OpenDir};
use super::exact::Id;
use super::node::{HostNode, allowed};
use super::owner::Owner;
use super::system::{self, PRIVILEGES};
use crate::{Access, Context, DirEntry, Errno, File, FileKind, Metadata, Result, SetAttributes, time_budget};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct HostFile {
    file: std::fs::File,
    _held: DescriptorPermit,
    owner: Owner,
    id: Id,
    /// Whether it may have set-id bits, which the first change of its contents clears.
    privileged: AtomicBool,
}

/// Locks for appending, each for many files.
static APPENDING: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

impl HostFile {
    pub(super) fn new(
        file: std::fs::File,
        held: DescriptorPermit,
        owner: Owner,
        access: Access,
    ) -> Result<Self> {
        let found = cap_std::fs::Metadata::from_file(&file)?;
        let privileged = AtomicBool::new(access.write && owner.metadata(&found).mode & PRIVILEGES != 0);
        Ok(Self { id: system::identity(&found), file, _held: held, owner, privileged })
    }

    /// Writes as much of `buf` as the quota allows.
    fn write(&self, buf: &[u8], offset: u64) -> Result<usize> {
        let allowed = self.owner.budget.write(buf.len() as u64)?;
        let part = buf.get(..usize::try_from(allowed).unwrap_or(usize::MAX)).unwrap_or(buf);
        let written = system::write_at(&self.file, part, offset);
        self.owner.budget.refund(allowed - written.as_ref().map_or(0, |count| *count as u64));
        written
    }

    /// Clears its set-id bits before its contents change: not every host does that for the superuser.
    fn change(&self) -> Result<()> {
        if self.privileged.swap(false, Ordering::AcqRel) {
            system::clear_privileges(&self.file)?;
        }
        Ok(())
    }
}

impl File for HostFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        if offset > i64::MAX as u64 {
            return Err(Errno::Inval);
        }
        system::read_at(&self.file, buf, offset)
    }

    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        if offset > i64::MAX as u64 {
            return Ok(None);
        }
        match system::next_data(&self.file, offset) {
            Err(Errno::Inval | Errno::NotSup) => {
                let size = self.metadata()?.size;
                Ok((offset < size).then_some(offset..size))
            }
            found => found,
        }
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize> {
        if offset >= i64::MAX as u64 {
            return Err(Errno::FBig);
        }
        self.change()?;
        self.write(buf, offset)
    }

    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)> {
        self.change()?;
        let lock = APPENDING.get((self.id.0 % APPENDING.len() as u64) as usize).ok_or(Errno::Io)?;
        let _turn = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.file.metadata()?.len();
        let count = self.write(buf, end)?;
        Ok((count, end + count as u64))
    }

    fn metadata(&self) -> Result<Metadata> {
        Ok(self.owner.metadata(&cap_std::fs::Metadata::from_file(&self.file)?))
    }

    fn set_attributes(&self, _cx: &Context, wanted: &SetAttributes) -> Result<()> {
        let current = self.metadata()?;
        allowed(&current, wanted)?;
        if let Some(size) = wanted.size {
            self.change()?;
            if current.size > super::LARGE && size < current.size {
                time_budget::spend(u64::MAX)?;
            }
            system::set_length(&self.file, size)?;
        }
        if let Some(mode) = wanted.mode
            && mode & 0o7777 != current.mode
        {
            system::set_file_mode(&self.file, mode & 0o7777)?;
        }
        if wanted.atime.is_none() && wanted.mtime.is_none() {
            return Ok(());
        }
        system::set_file_times(&self.file, wanted)
    }

    fn sync(&self) -> Result<()> {
        // A sync may take any amount of time.
        time_budget::spend(u64::MAX)?;
        Ok(self.file.sync_all()?)
    }

    fn allocate(&self, offset: u64, len: u64) -> Result<()> {
        time_budget::spend(len)?;
        self.change()?;
        let end = offset.saturating_add(len);
        self.owner.budget.write_whole(len)?;
        // Also if the file is long enough: then it counts as modified, as on Linux.
        system::set_length(&self.file, self.file.metadata()?.len().max(end))?;
        Ok(())
    }

    fn read_dir(&self, _cx: &Context, _cursor: u64) -> Result<Vec<DirEntry>> {
        Err(Errno::NotDir)
    }
}

/// The most names in one batch.
const BATCH: usize = 256;

/// The cost of listing a name, in bytes of work. Two thousand names are brief.
const NAME: u64 = 512;

pub(super) struct HostDirectory {
    directory: Arc<Directory>,
    /// Held where an open directory can be renamed and removed.
    _open: Option<Arc<OpenDir>>,
    owner: Owner,
    access: HostAccess,
    /// All names at the start of the scan, sorted.
    scan: Mutex<Option<Arc<Vec<DirEntry>>>>,
}

impl HostDirectory {
    pub(super) fn new(directory: Arc<Directory>, owner: Owner, access: HostAccess) -> Result<Self> {
        let open = directory.open(&owner)?;
        let _open = system::OPENS_EARLY.then_some(open);
        Ok(Self { directory, _open, owner, access, scan: Mutex::new(None) })
    }

    fn list(&self) -> Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        let open = self.directory.open(&self.owner)?;
        for entry in open.entries()? {
            time_budget::spend(NAME)?;
            let entry = entry?;
            let Some(name) = system::guest_name(&entry.file_name()) else { continue };
            // Removed meanwhile.
            let Ok(metadata) = open.symlink_metadata(entry.file_name()) else { continue };
            let ino = self.owner.number(system::identity(&metadata));
            let kind: FileKind = self.owner.metadata(&metadata).kind;
            entries.push(DirEntry { name: (*name).into(), ino, kind, next: 0 });
        }
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
        Ok(self.owner.metadata(&self.directory.attributes(&self.owner)?))
    }

    fn set_attributes(&self, _cx: &Context, attributes: &SetAttributes) -> Result<()> {
        if self.access == HostAccess::ReadOnly {
            return Err(Errno::RoFs);
        }
        HostNode::directory(self.directory.clone(), self.metadata()?).set_attributes(&self.owner, attributes)
    }

    fn sync(&self) -> Result<()> {
        system::sync(&*self.directory.open(&self.owner)?)
    }

    fn allocate(&self, _offset: u64, _len: u64) -> Result<()> {
        Err(Errno::IsDir)
    }

    fn read_dir(&self, _cx: &Context, cursor: u64) -> Result<Vec<DirEntry>> {
        let all = {
            let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
            match &*scan {
                Some(all) if cursor != 0 => Arc::clone(all),
                _ => Arc::clone(scan.insert(Arc::new(self.list()?))),
            }
        };
        let start = usize::try_from(cursor).unwrap_or(usize::MAX);
        Ok(all.iter().skip(start).take(BATCH).cloned().collect())
    }
}
