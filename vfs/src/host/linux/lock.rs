//! Locks at the host.
//!
//! They belong to an open file that is used for nothing else, not to this program: no other descriptor that is closed
//! takes them away, and two sandboxes of one program exclude each other. They meet the locks of `fcntl` that programs
//! of the host have, and those of `flock`.

use super::super::HostAccess;
use super::super::budget::DescriptorPermit;
use super::node::{HostNode, Owner};
use super::retry::retry;
use crate::{Access, Errno, HostLock, HostLocks, Result};
use nix::fcntl::{FcntlArg, fcntl};
use rustix::fs::{FlockOperation, flock};
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};

pub(super) struct LockedFile {
    fd: OwnedFd,
    /// Whether a lock may keep others from reading: not where the sandbox may only read.
    may_exclude: bool,
    _held: DescriptorPermit,
}

impl LockedFile {
    /// Opens the file again that `open` is a descriptor of.
    pub(super) fn new(open: BorrowedFd<'_>, node: &HostNode, owner: &Owner) -> Result<Self> {
        let held = owner.budget.descriptor()?;
        let write = owner.access == HostAccess::ReadWrite && owner.permit_change(node).is_ok();
        let fd = match node.reopen(Access { read: true, write }) {
            Ok(fd) => fd,
            // Its mode does not allow it, or it is being executed. The guest's own open file has what the guest asks
            // for, and lives on in this one.
            Err(_) => open.try_clone_to_owned()?,
        };
        Ok(Self { fd, may_exclude: write, _held: held })
    }

    fn set(&self, kind: Kind, bytes: &Range<u64>) -> Result<()> {
        let Some(lock) = description(kind, bytes) else { return Ok(()) };
        granted(loop {
            match fcntl(&self.fd, FcntlArg::F_OFD_SETLK(&lock)) {
                Err(nix::Error::EINTR) => {}
                done => break done.map(drop).map_err(|errno| Errno::from_raw(errno as i32)),
            }
        })
    }
}

impl HostLocks for LockedFile {
    fn lock(&self, bytes: Range<u64>, exclusive: bool) -> Result<()> {
        let kind = if exclusive && self.may_exclude { libc::F_WRLCK } else { libc::F_RDLCK };
        self.set(kind, &bytes)
    }

    fn unlock(&self, bytes: Range<u64>) -> Result<()> {
        self.set(libc::F_UNLCK, &bytes)
    }

    fn conflict(&self, bytes: Range<u64>, exclusive: bool) -> Result<Option<HostLock>> {
        let kind = if exclusive && self.may_exclude { libc::F_WRLCK } else { libc::F_RDLCK };
        let Some(mut lock) = description(kind, &bytes) else { return Ok(None) };
        match fcntl(&self.fd, FcntlArg::F_OFD_GETLK(&mut lock)) {
            Ok(_) if i32::from(lock.l_type) == libc::F_UNLCK => return Ok(None),
            Ok(_) => {}
            Err(errno) => return granted(Err(Errno::from_raw(errno as i32))).map(|()| None),
        }
        let start = u64::try_from(lock.l_start).unwrap_or_default();
        let end = match u64::try_from(lock.l_len) {
            Ok(0) | Err(_) => u64::MAX,
            Ok(length) => start.saturating_add(length),
        };
        Ok(Some(HostLock { bytes: start..end, exclusive: i32::from(lock.l_type) == libc::F_WRLCK }))
    }

    fn lock_whole(&self, exclusive: bool) -> Result<()> {
        let operation = if exclusive && self.may_exclude {
            FlockOperation::NonBlockingLockExclusive
        } else {
            FlockOperation::NonBlockingLockShared
        };
        granted(retry(|| flock(&self.fd, operation)))
    }

    fn unlock_whole(&self) -> Result<()> {
        granted(retry(|| flock(&self.fd, FlockOperation::NonBlockingUnlock)))
    }
}

impl Drop for LockedFile {
    /// To close the descriptor is not enough: a fork of this program has it, too, and so may the guest's own open file.
    fn drop(&mut self) {
        let _ = self.set(libc::F_UNLCK, &(0..u64::MAX));
        let _ = self.unlock_whole();
    }
}

type Kind = libc::c_int;

/// The bytes as the kernel wants them; `None` if they all lie beyond the largest offset, where nobody can lock
/// anything.
fn description(kind: Kind, bytes: &Range<u64>) -> Option<libc::flock> {
    let start = libc::off_t::try_from(bytes.start).ok()?;
    // 0: to the end, wherever it is.
    let length = libc::off_t::try_from(bytes.end).map_or(0, |end| end - start);
    Some(libc::flock {
        l_type: libc::c_short::try_from(kind).ok()?,
        l_whence: libc::c_short::try_from(libc::SEEK_SET).ok()?,
        l_start: start,
        l_len: length,
        l_pid: 0,
    })
}

/// What the kernel's answer means here.
fn granted(answer: Result<()>) -> Result<()> {
    match answer {
        Err(Errno::Acces) => Err(Errno::Again),
        // A read lock of a file that is open for writing only, or the other way round.
        Err(Errno::BadF) => Err(Errno::NoLck),
        // No locks of open files (before Linux 3.15), or none on this filesystem: the host's programs have none either.
        Err(Errno::Inval | Errno::NoSys | Errno::NotSup) => Ok(()),
        answer => answer,
    }
}
