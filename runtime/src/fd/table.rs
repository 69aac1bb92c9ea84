//! A process's descriptors.

use std::sync::Arc;

use crate::error::{Errno, Result};
use crate::fd::Description;
use crate::fd::lock::{Locks, ProcessLocks};
use sandshell_vfs::FileKey;

/// The descriptor number that always means the root directory.
pub(crate) const ROOT_FD: u32 = 0x10_0000;
/// The directory descriptor that means the working directory (-100).
pub(crate) const CWD_FD: u32 = -100i32 as u32;
/// The size of a table is at most this, even if `RLIMIT_NOFILE` is higher.
pub(crate) const MAX_DESCRIPTORS: u32 = 65536;

/// One entry of the table.
#[derive(Clone)]
pub(crate) struct Descriptor {
    pub(crate) description: Arc<Description>,
    pub(crate) close_on_exec: bool,
    /// WASI rights: for the descriptor itself, and for descriptors that are opened through it.
    pub(crate) rights: u64,
    pub(crate) inheriting: u64,
    /// For a preopened directory, the name under which the guest knows it.
    pub(crate) preopen: Option<Arc<[u8]>>,
    /// Whether paths relative to it must stay below it (for `run --dir`).
    pub(crate) confined: bool,
}

impl Descriptor {
    pub(crate) fn new(description: Arc<Description>, close_on_exec: bool) -> Descriptor {
        Descriptor {
            description,
            close_on_exec,
            rights: u64::MAX,
            inheriting: u64::MAX,
            preopen: None,
            confined: false,
        }
    }
}

/// Descriptors by number. A new one gets the lowest free number.
#[derive(Default)]
pub(crate) struct FdTable {
    slots: Vec<Option<Descriptor>>,
    limit: u32,
    /// The process's locks, once it has asked for one: to close a descriptor is to give up those of its file.
    locks: Option<ProcessLocks>,
}

/// A copy has no locks.
impl Clone for FdTable {
    fn clone(&self) -> FdTable {
        FdTable { slots: self.slots.clone(), limit: self.limit, locks: None }
    }
}

impl FdTable {
    pub(crate) fn new(limit: u32) -> FdTable {
        FdTable { slots: Vec::new(), limit: limit.min(MAX_DESCRIPTORS), locks: None }
    }

    pub(crate) fn set_limit(&mut self, limit: u32) {
        self.limit = limit.min(MAX_DESCRIPTORS);
    }

    pub(crate) fn get(&self, fd: u32) -> Result<&Descriptor> {
        self.slots.get(fd as usize).and_then(Option::as_ref).ok_or(Errno::BADF)
    }

    pub(crate) fn get_mut(&mut self, fd: u32) -> Result<&mut Descriptor> {
        self.slots.get_mut(fd as usize).and_then(Option::as_mut).ok_or(Errno::BADF)
    }

    /// Puts `descriptor` at the lowest free number that is at least `min`; `EMFILE` at the limit.
    pub(crate) fn insert(&mut self, descriptor: Descriptor, min: u32) -> Result<u32> {
        if min >= self.limit {
            return Err(if min > self.limit { Errno::INVAL } else { Errno::MFILE });
        }
        let free = (min..self.limit).find(|fd| self.slots.get(*fd as usize).is_none_or(Option::is_none));
        let fd = free.ok_or(Errno::MFILE)?;
        self.put(fd, descriptor);
        Ok(fd)
    }

    /// Puts `descriptor` at `fd`, returning what was there.
    pub(crate) fn replace(&mut self, fd: u32, descriptor: Descriptor) -> Result<Option<Descriptor>> {
        if fd >= self.limit {
            return Err(Errno::BADF);
        }
        let replaced = self.put(fd, descriptor);
        if let Some(replaced) = &replaced {
            self.closed(replaced);
        }
        Ok(replaced)
    }

    pub(crate) fn remove(&mut self, fd: u32) -> Result<Descriptor> {
        let removed = self.slots.get_mut(fd as usize).and_then(Option::take).ok_or(Errno::BADF)?;
        self.closed(&removed);
        Ok(removed)
    }

    /// Notes that the process `owner` may have locks of a file.
    pub(crate) fn note_locks(&mut self, locks: &Arc<Locks>, owner: u32, key: FileKey) {
        self.locks.get_or_insert_with(|| ProcessLocks::new(locks.clone(), owner)).note(key);
    }

    /// Puts this table in the place of `old`, for a program that replaces another: its process keeps its locks, but for
    /// those of files that it closes.
    pub(crate) fn succeed(mut self, old: &mut FdTable) -> FdTable {
        self.locks = old.locks.take();
        if self.locks.is_some() {
            for closed in old.slots.iter().flatten().filter(|descriptor| descriptor.close_on_exec) {
                self.closed(closed);
            }
        }
        std::mem::replace(old, self)
    }

    fn closed(&mut self, descriptor: &Descriptor) {
        if let Some(locks) = &mut self.locks
            && let Some(location) = descriptor.description.location()
        {
            locks.close(location.key());
        }
    }

    /// The open descriptors, by ascending number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Descriptor)> {
        let numbered = self.slots.iter().enumerate();
        numbered.filter_map(|(fd, slot)| Some((u32::try_from(fd).ok()?, slot.as_ref()?)))
    }

    /// A copy for exec and spawn, without close-on-exec descriptors and preopened directories.
    pub(crate) fn for_exec(&self) -> FdTable {
        let keep = |slot: &Option<Descriptor>| {
            slot.as_ref()
                .filter(|descriptor| !descriptor.close_on_exec && descriptor.preopen.is_none())
                .cloned()
        };
        FdTable { slots: self.slots.iter().map(keep).collect(), limit: self.limit, locks: None }
    }

    fn put(&mut self, fd: u32, descriptor: Descriptor) -> Option<Descriptor> {
        let index = fd as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
        }
        self.slots.get_mut(index).and_then(|slot| slot.replace(descriptor))
    }
}
