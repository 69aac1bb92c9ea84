//! Descriptors: pipe, socketpair, dup, close-on-exec, open.

use sandshell_vfs::OpenOptions;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::fd::table::Descriptor;
use crate::fd::{APPEND, Description, NONBLOCK, Object, READ, WRITE};
use crate::guest::{Guest, split};
use crate::io::{open, sockets};
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::{Process, RLIMIT_NOFILE};

pub(super) const CLOEXEC: u32 = 1;

const OPEN_CREATE: u32 = 8;
const OPEN_EXCL: u32 = 0x10;
const OPEN_TRUNC: u32 = 0x20;
const OPEN_DIRECTORY: u32 = 0x40;
const OPEN_NOFOLLOW: u32 = 0x80;
const OPEN_CLOEXEC: u32 = 0x100;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "pipe", pipe, (out: u32, flags: u32));
    host_fn!(linker, MODULE, "socketpair", socketpair, (out: u32, flags: u32));
    host_fn!(linker, MODULE, "dup", dup, (fd: u32, min: u32, flags: u32, out: u32));
    host_fn!(linker, MODULE, "dup2", dup2, (from: u32, to: u32, flags: u32));
    host_fn!(linker, MODULE, "getfd", getfd, (fd: u32, out: u32));
    host_fn!(linker, MODULE, "setfd", setfd, (fd: u32, bits: u32));
    async_host_fn!(linker, MODULE, "open", open_file,
        (dirfd: i32, path: u32, len: u32, flags: u32, mode: u32, out: u32));
    Ok(())
}

/// Records the sandbox's descriptor limit in the command's outcome if `errno` comes from it, and not from a lower limit
/// that the process has set itself.
pub(crate) fn note_descriptor_limit(kernel: &KernelInner, process: &Process, errno: Errno) -> Errno {
    let own = process.rlimits.lock().get(RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft);
    if errno == Errno::MFILE && own >= u64::from(kernel.limits.descriptors) {
        process.job.record_limit(Limit::Descriptors(kernel.limits.descriptors));
    }
    errno
}

pub(crate) fn note_limit(guest: &Guest, errno: Errno) -> Errno {
    note_descriptor_limit(&guest.kernel, &guest.process, errno)
}

fn pipe(caller: &mut Caller<'_, Guest>, out: u32, flags: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 8)?;
    let pipe = guest.kernel.new_pipe(&guest.process.job)?;
    let end = |read| {
        let object = Object::Pipe { end: pipe.open(read, !read), location: None };
        Description::new(object, if read { READ } else { WRITE })
    };
    let (read, write) = insert_both(guest, end(true), end(false), flags)?;
    mem.write_u32(out, read)?;
    mem.write_u32(out.wrapping_add(4), write)
}

/// Two sockets that are joined with each other: streams of bytes in both directions.
fn socketpair(caller: &mut Caller<'_, Guest>, out: u32, flags: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 8)?;
    let (one, other) = sockets::pair(&guest.kernel, &guest.process)?;
    let (one, other) = insert_both(guest, one, other, flags)?;
    mem.write_u32(out, one)?;
    mem.write_u32(out.wrapping_add(4), other)
}

/// Puts both in the table, or neither.
fn insert_both(
    guest: &Guest,
    one: Arc<Description>,
    other: Arc<Description>,
    flags: u32,
) -> Result<(u32, u32)> {
    let descriptor = |description| Descriptor::new(description, flags & CLOEXEC != 0);
    let mut files = guest.process.files.lock();
    let first = files.insert(descriptor(one), 0).map_err(|errno| note_limit(guest, errno))?;
    match files.insert(descriptor(other), 0) {
        Ok(second) => Ok((first, second)),
        Err(errno) => {
            let removed = files.remove(first)?;
            // Dropped without the lock, because closing may wake others that need the table.
            drop(files);
            drop(removed);
            Err(note_limit(guest, errno))
        }
    }
}

fn dup(caller: &mut Caller<'_, Guest>, fd: u32, min: u32, flags: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let copied = {
        let mut files = guest.process.files.lock();
        let mut descriptor = files.get(fd)?.clone();
        descriptor.close_on_exec = flags & CLOEXEC != 0;
        descriptor.preopen = None;
        files.insert(descriptor, min).map_err(|errno| note_limit(guest, errno))?
    };
    mem.write_u32(out, copied)
}

fn dup2(caller: &mut Caller<'_, Guest>, from: u32, to: u32, flags: u32) -> Result<()> {
    let mut files = caller.data().process.files.lock();
    let mut descriptor = files.get(from)?.clone();
    if from == to {
        return Ok(());
    }
    descriptor.close_on_exec = flags & CLOEXEC != 0;
    descriptor.preopen = None;
    let replaced = files.replace(to, descriptor)?;
    drop(files);
    drop(replaced);
    Ok(())
}

fn getfd(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let close_on_exec = guest.process.files.lock().get(fd)?.close_on_exec;
    mem.write_u32(out, u32::from(close_on_exec))
}

fn setfd(caller: &mut Caller<'_, Guest>, fd: u32, bits: u32) -> Result<()> {
    caller.data().process.files.lock().get_mut(fd)?.close_on_exec = bits & CLOEXEC != 0;
    Ok(())
}

async fn open_file(
    caller: &mut Caller<'_, Guest>,
    dirfd: i32,
    path: u32,
    len: u32,
    flags: u32,
    mode: u32,
    out: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let path = mem.path(path, len)?;
    let base = open::base(&guest.kernel, &guest.process, dirfd.cast_unsigned())?;
    let how = OpenOptions {
        read: flags & READ != 0,
        write: flags & WRITE != 0,
        append: flags & APPEND != 0,
        create: flags & OPEN_CREATE != 0,
        exclusive: flags & OPEN_EXCL != 0,
        truncate: flags & OPEN_TRUNC != 0,
        directory: flags & OPEN_DIRECTORY != 0,
        nofollow: flags & OPEN_NOFOLLOW != 0,
        mode: mode & 0o7777 & !guest.process.umask.load(Ordering::Relaxed),
    };
    let access = flags & (READ | WRITE) | if how.append { WRITE } else { 0 };
    let status = access | flags & (APPEND | NONBLOCK);
    let description = open::open(&guest.kernel, &guest.process, &base, path, &how, status).await?;
    let descriptor = Descriptor::new(description, flags & OPEN_CLOEXEC != 0);
    let fd = guest.process.files.lock().insert(descriptor, 0).map_err(|errno| note_limit(guest, errno))?;
    split(caller)?.0.write_u32(out, fd)
}
