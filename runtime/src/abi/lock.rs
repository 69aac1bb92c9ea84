//! Locks of files.

use std::future::poll_fn;
use std::sync::Arc;

use sandshell_vfs::FileKey;
use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn};
use crate::error::{Errno, Result};
use crate::fd::lock::{Asking, Range};
use crate::fd::{Description, READ, WRITE};
use crate::guest::{Guest, split};
use crate::io::transfer::at_once;
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
    let (description, key) = file(&guest.process, fd)?;
    let lock = description.whole_lock(&guest.kernel.locks, key);
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
    let asking = Asking { locks: &guest.kernel.locks, key, process: guest.process.pid };
    if operation & AT_ONCE != 0 {
        return at_once(|cx| asking.poll_whole(cx, lock, exclusive));
    }
    guest.process.interruptible(poll_fn(|cx| asking.poll_whole(cx, lock, exclusive))).await
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
    if command > SET_WAITING || kind > NONE || start >= end || (command == GET && kind == NONE) {
        return Err(Errno::INVAL);
    }
    let process = guest.process.clone();
    let locks = guest.kernel.locks.clone();
    let (description, key) = file(&process, fd)?;
    let range = Range { owner: process.pid, exclusive: kind == WRITING, start, end };
    if command == GET {
        let found = locks.conflict(key, range);
        let (kind, range) = match found {
            Some(found) if found.exclusive => (WRITING, found),
            Some(found) => (READING, found),
            None => (NONE, range),
        };
        let mut bytes = [0; 24];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&range.owner.to_le_bytes());
        bytes[8..16].copy_from_slice(&range.start.to_le_bytes());
        bytes[16..].copy_from_slice(&range.end.to_le_bytes());
        return mem.write(out, &bytes);
    }
    if kind == NONE {
        return locks.release_range(key, range);
    }
    if description.flags() & if kind == WRITING { WRITE } else { READ } == 0 {
        return Err(Errno::BADF);
    }
    // Before the lock is there: a descriptor that closes takes it away.
    process.files.lock().note_locks(&locks, process.pid, key);
    let asking = Asking { locks: &locks, key, process: process.pid };
    if command == SET {
        return at_once(|cx| asking.poll_range(cx, range)).map_err(|errno| match errno {
            // Nobody waits.
            Errno::DEADLK => Errno::AGAIN,
            errno => errno,
        });
    }
    process.interruptible(poll_fn(|cx| asking.poll_range(cx, range))).await
}
