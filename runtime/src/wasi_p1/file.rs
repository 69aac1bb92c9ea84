//! Attributes and storage of open files.

use sandshell_vfs::{Context, File, Metadata, SetAttributes, SetTime};
use wasmtime::{Caller, Linker};

use super::MODULE;
use super::clock::{time, timestamp};
use super::fd::lookup;
use super::rights::{self, file_type};
use crate::abi::{async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::fd::table::ROOT_FD;
use crate::fd::{Description, Object, WRITE};
use crate::guest::{Guest, Mem, split};
use crate::io::check_file_size;
use crate::offload::by_file;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "fd_advise", fd_advise, (fd: u32, offset: u64, len: u64, advice: u32));
    async_host_fn!(linker, MODULE, "fd_allocate", fd_allocate, (fd: u32, offset: u64, len: u64));
    async_host_fn!(linker, MODULE, "fd_datasync", fd_datasync, (fd: u32));
    async_host_fn!(linker, MODULE, "fd_sync", fd_sync, (fd: u32));
    host_fn!(linker, MODULE, "fd_filestat_get", fd_filestat_get, (fd: u32, out: u32));
    async_host_fn!(linker, MODULE, "fd_filestat_set_size", fd_filestat_set_size, (fd: u32, size: u64));
    async_host_fn!(linker, MODULE, "fd_filestat_set_times", fd_filestat_set_times,
        (fd: u32, atime: u64, mtime: u64, flags: u32));
    Ok(())
}

fn fd_advise(caller: &mut Caller<'_, Guest>, fd: u32, offset: u64, len: u64, advice: u32) -> Result<()> {
    let description = lookup(caller.data(), fd, rights::FD_ADVISE)?;
    if advice > 5 || i64::try_from(offset).is_err() || i64::try_from(len).is_err() {
        return Err(Errno::INVAL);
    }
    match description.object {
        // Advice may be ignored.
        Object::File { .. } | Object::Device { .. } | Object::Terminal(_) => Ok(()),
        Object::Directory { .. } => Err(Errno::BADF),
        _ => Err(Errno::SPIPE),
    }
}

async fn fd_allocate(caller: &mut Caller<'_, Guest>, fd: u32, offset: u64, len: u64) -> Result<()> {
    let guest = caller.data();
    let description = lookup(guest, fd, rights::FD_ALLOCATE)?;
    match &description.object {
        Object::File { file, .. } => {
            let end = offset.saturating_add(len);
            resizable(guest, file.metadata()?.size, end)?;
            let work = move |file: &dyn File, _: &Context| file.allocate(offset, len);
            note_space(guest, by_file(&guest.kernel, &guest.process, &description, work).await)
        }
        Object::Directory { .. } => Err(Errno::BADF),
        Object::Device { .. } | Object::Terminal(_) if description.flags() & WRITE == 0 => Err(Errno::BADF),
        Object::Device { .. } | Object::Terminal(_) => Err(Errno::NODEV),
        _ => Err(Errno::SPIPE),
    }
}

/// `EFBIG` and SIGXFSZ if RLIMIT_FSIZE does not let a file of `size` bytes grow to `wanted`.
fn resizable(guest: &Guest, size: u64, wanted: u64) -> Result<()> {
    if wanted > size && wanted > 0 {
        check_file_size(&guest.kernel, &guest.process, wanted - 1, 1)?;
    }
    Ok(())
}

/// Records a full filesystem in the command's outcome.
pub(super) fn note_space<T>(guest: &Guest, result: Result<T>) -> Result<T> {
    crate::io::note_space(&guest.process, result)
}

async fn fd_datasync(caller: &mut Caller<'_, Guest>, fd: u32) -> Result<()> {
    let guest = caller.data();
    sync(guest, &*lookup(guest, fd, rights::FD_DATASYNC)?).await
}

async fn fd_sync(caller: &mut Caller<'_, Guest>, fd: u32) -> Result<()> {
    let guest = caller.data();
    sync(guest, &*lookup(guest, fd, rights::FD_SYNC)?).await
}

async fn sync(guest: &Guest, description: &Description) -> Result<()> {
    match &description.object {
        Object::File { .. } | Object::Directory { .. } => {
            by_file(&guest.kernel, &guest.process, description, |file, _| file.sync()).await
        }
        // As on Linux: a pipe has no storage to synchronise.
        _ => Err(Errno::INVAL),
    }
}

fn fd_filestat_get(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let metadata = if fd == ROOT_FD {
        guest.kernel.namespace.root().metadata()?
    } else {
        lookup(guest, fd, rights::FD_FILESTAT_GET)?.metadata((guest.process.uid, guest.process.gid))?
    };
    write_filestat(&mut mem, out, &metadata)
}

async fn fd_filestat_set_size(caller: &mut Caller<'_, Guest>, fd: u32, size: u64) -> Result<()> {
    let guest = caller.data();
    let description = lookup(guest, fd, rights::FD_FILESTAT_SET_SIZE)?;
    if i64::try_from(size).is_err() {
        return Err(Errno::INVAL);
    }
    match &description.object {
        Object::File { file, .. } => {
            resizable(guest, file.metadata()?.size, size)?;
            let attributes = SetAttributes { size: Some(size), ..SetAttributes::default() };
            let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
            note_space(guest, by_file(&guest.kernel, &guest.process, &description, work).await)
        }
        Object::Directory { .. } => Err(Errno::BADF),
        _ => Err(Errno::INVAL),
    }
}

async fn fd_filestat_set_times(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    atime: u64,
    mtime: u64,
    flags: u32,
) -> Result<()> {
    let guest = caller.data();
    let description = lookup(guest, fd, rights::FD_FILESTAT_SET_TIMES)?;
    let attributes = set_times(atime, mtime, flags)?;
    match &description.object {
        Object::File { .. } | Object::Directory { .. } => {
            let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
            by_file(&guest.kernel, &guest.process, &description, work).await
        }
        _ => match description.location() {
            Some(location) => Ok(location.set_attributes(&guest.context(), &attributes)?),
            None => Err(Errno::NOSYS),
        },
    }
}

/// Attributes from WASI's times and fstflags. `EINVAL` if the flags ask for both the given time and the current one.
pub(super) fn set_times(atime: u64, mtime: u64, flags: u32) -> Result<SetAttributes> {
    let one = |value, given, now| match (flags & given != 0, flags & now != 0) {
        (true, true) => Err(Errno::INVAL),
        (true, false) => Ok(Some(SetTime::At(time(value)))),
        (false, true) => Ok(Some(SetTime::Now)),
        (false, false) => Ok(None),
    };
    if flags & !15 != 0 {
        return Err(Errno::INVAL);
    }
    Ok(SetAttributes { atime: one(atime, 1, 2)?, mtime: one(mtime, 4, 8)?, ..SetAttributes::default() })
}

/// Writes WASI's filestat.
pub(super) fn write_filestat(mem: &mut Mem<'_>, out: u32, metadata: &Metadata) -> Result<()> {
    let words = [
        metadata.dev,
        metadata.ino,
        u64::from(file_type(metadata.kind)),
        metadata.nlink,
        metadata.size,
        timestamp(metadata.atime),
        timestamp(metadata.mtime),
        timestamp(metadata.ctime),
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    mem.write(out, &bytes)
}
