//! Locks of files.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use sandshell_vfs::FileKey;
use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn};
use crate::error::{Errno, Result};
use crate::fd::lock::{Asking, Range};
use crate::fd::{Description, READ, WRITE};
use crate::guest::{Guest, split};
use crate::io::once::at_once;
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::Process;

/// Operations of `flock`, as Linux numbers them.
const SHARED: u32 = 1;
const EXCLUSIVE: u32 = 2;
const AT_ONCE: u32 = 4;
const UNLOCK: u32 = 8;

/// Commands of `lock`.
const GET: u32 = 0;
const SET: u32 = 1;
const SET_WAITING: u32 = 2;

/// Kinds of locks.
const READING: u32 = 0;
const WRITING: u32 = 1;
const NONE: u32 = 2;

/// How long is waited before the host is asked again for what others have there: this long at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "flock", flock, (fd: u32, operation: u32));
    async_host_fn!(linker, MODULE, "lock", lock, (fd: u32, command: u32, kind: u32, start: u64, end: u64, out: u32));
    Ok(())
}

/// An open file and what identifies it; `EINVAL` for what is none.
fn file(process: &Process, fd: u32) -> Result<(Arc<Description>, FileKey)> {
    let description = process.files.lock().get(fd)?.description.clone();
    let key = description.location().ok_or(Errno::INVAL)?.key();
    Ok((description, key))
}

async fn flock(caller: &mut Caller<'_, Guest>, fd: u32, operation: u32) -> Result<()> {
    let guest = caller.data();
    lock_whole(&guest.kernel, &guest.process, fd, operation).await
}

/// `flock(2)`.
pub(crate) async fn lock_whole(
    kernel: &KernelInner,
    process: &Process,
    fd: u32,
    operation: u32,
) -> Result<()> {
    let (description, key) = file(process, fd)?;
    let lock = description.whole_lock(&kernel.locks, key);
    let exclusive = match operation & !AT_ONCE {
        SHARED => false,
        EXCLUSIVE => true,
        UNLOCK => {
            lock.release();
            return Ok(());
        }
        _ => return Err(Errno::INVAL),
    };
    if lock.is_held(exclusive) {
        return Ok(());
    }
    // As on Linux, to change the kind is to give up one lock and to ask for another.
    lock.release();
    let asking = Asking { locks: &kernel.locks, key, file: description.regular_file(), process: process.pid };
    let ask = |cx: &mut Context<'_>| asking.poll_whole(cx, lock, exclusive);
    let asked =
        if operation & AT_ONCE != 0 { at_once(ask) } else { process.interruptible(until_granted(ask)).await };
    note_descriptor_limit(process, asked)
}

/// Asks until nobody has what is wanted, in the sandbox or at the host. Those in the sandbox tell when they give it up;
/// for the others it is asked again and again.
async fn until_granted(mut ask: impl FnMut(&mut Context<'_>) -> Poll<Result<()>>) -> Result<()> {
    let (mut pause, longest) = PAUSES;
    loop {
        match poll_fn(&mut ask).await {
            Err(Errno::AGAIN) => tokio::time::sleep(pause).await,
            asked => return asked,
        }
        pause = longest.min(pause * 2);
    }
}

/// A locked file of the host takes one of its descriptors.
fn note_descriptor_limit<T>(process: &Process, asked: Result<T>) -> Result<T> {
    if matches!(asked, Err(Errno::NFILE)) {
        process.job.record_limit(Limit::HostDescriptors);
    }
    asked
}

async fn lock(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    command: u32,
    kind: u32,
    start: u64,
    end: u64,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let process = guest.process.clone();
    match command {
        GET => {
            let found = find_lock(&guest.kernel, &process, fd, kind, start, end)?;
            let (kind, range) = match found {
                Some(found) => (if found.exclusive { WRITING } else { READING }, found),
                None => (NONE, Range { owner: process.pid, exclusive: kind == WRITING, start, end }),
            };
            let mut bytes = [0; 24];
            bytes[..4].copy_from_slice(&kind.to_le_bytes());
            bytes[4..8].copy_from_slice(&range.owner.to_le_bytes());
            bytes[8..16].copy_from_slice(&range.start.to_le_bytes());
            bytes[16..].copy_from_slice(&range.end.to_le_bytes());
            mem.write(out, &bytes)
        }
        SET | SET_WAITING => {
            let kernel = guest.kernel.clone();
            lock_range(&kernel, &process, fd, kind, start, end, command == SET_WAITING).await
        }
        _ => Err(Errno::INVAL),
    }
}

/// `fcntl(F_GETLK)`: the first lock of another process that excludes one of this kind for the bytes from `start` to
/// before `end`, or one of another program of the host.
pub(crate) fn find_lock(
    kernel: &KernelInner,
    process: &Process,
    fd: u32,
    kind: u32,
    start: u64,
    end: u64,
) -> Result<Option<Range>> {
    if kind > WRITING || start >= end {
        return Err(Errno::INVAL);
    }
    let (description, key) = file(process, fd)?;
    let wanted = Range { owner: process.pid, exclusive: kind == WRITING, start, end };
    match (kernel.locks.conflict(key, wanted), description.regular_file()) {
        (None, Some(file)) => {
            note_descriptor_limit(process, kernel.locks.conflict_at_host(key, file, wanted))
        }
        (found, _) => Ok(found),
    }
}

/// `fcntl(F_SETLK)`, or `F_SETLKW` if it waits: takes or gives back a lock for the bytes from `start` to before `end`.
pub(crate) async fn lock_range(
    kernel: &KernelInner,
    process: &Process,
    fd: u32,
    kind: u32,
    start: u64,
    end: u64,
    waits: bool,
) -> Result<()> {
    if kind > NONE || start >= end {
        return Err(Errno::INVAL);
    }
    let locks = &kernel.locks;
    let (description, key) = file(process, fd)?;
    let range = Range { owner: process.pid, exclusive: kind == WRITING, start, end };
    if kind == NONE {
        return locks.release_range(key, range);
    }
    if description.flags() & if kind == WRITING { WRITE } else { READ } == 0 {
        return Err(Errno::BADF);
    }
    // Before the lock is there: a descriptor that closes takes it away.
    process.files.lock().note_locks(locks, process.pid, key);
    let asking = Asking { locks, key, file: description.regular_file(), process: process.pid };
    let ask = |cx: &mut Context<'_>| asking.poll_range(cx, range);
    let asked = if waits {
        process.interruptible(until_granted(ask)).await
    } else {
        at_once(ask).map_err(|errno| match errno {
            // Nobody waits.
            Errno::DEADLK => Errno::AGAIN,
            errno => errno,
        })
    };
    note_descriptor_limit(process, asked)
}
