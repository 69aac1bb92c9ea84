//! Descriptors: status, flags, rights, preopens, close, renumber, seek.

use std::sync::Arc;

use wasmtime::{Caller, Linker};

use super::MODULE;
use super::rights::{self, effective, open_type};
use crate::abi::host_fn;
use crate::error::{Errno, Result};
use crate::fd::Description;
use crate::fd::table::ROOT_FD;
use crate::guest::{Guest, split};

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "fd_close", fd_close, (fd: u32));
    host_fn!(linker, MODULE, "fd_renumber", fd_renumber, (from: u32, to: u32));
    host_fn!(linker, MODULE, "fd_fdstat_get", fd_fdstat_get, (fd: u32, out: u32));
    host_fn!(linker, MODULE, "fd_fdstat_set_flags", fd_fdstat_set_flags, (fd: u32, flags: u32));
    host_fn!(linker, MODULE, "fd_fdstat_set_rights", fd_fdstat_set_rights, (fd: u32, base: u64, inheriting: u64));
    host_fn!(linker, MODULE, "fd_prestat_get", fd_prestat_get, (fd: u32, out: u32));
    host_fn!(linker, MODULE, "fd_prestat_dir_name", fd_prestat_dir_name, (fd: u32, buf: u32, len: u32));
    host_fn!(linker, MODULE, "fd_seek", fd_seek, (fd: u32, delta: i64, whence: u32, out: u32));
    host_fn!(linker, MODULE, "fd_tell", fd_tell, (fd: u32, out: u32));
    Ok(())
}

/// The description of `fd`. `ENOTCAPABLE` if the descriptor lacks one of the `needed` rights.
pub(super) fn lookup(guest: &Guest, fd: u32, needed: u64) -> Result<Arc<Description>> {
    let files = guest.process.files.lock();
    let descriptor = files.get(fd)?;
    if descriptor.rights & needed != needed {
        return Err(Errno::NOTCAPABLE);
    }
    Ok(descriptor.description.clone())
}

fn fd_close(caller: &mut Caller<'_, Guest>, fd: u32) -> Result<()> {
    let closed = caller.data().process.files.lock().remove(fd)?;
    drop(closed);
    Ok(())
}

fn fd_renumber(caller: &mut Caller<'_, Guest>, from: u32, to: u32) -> Result<()> {
    let mut files = caller.data().process.files.lock();
    // The target must be open too: WASI lets no program choose an unused number.
    files.get(to)?;
    let replaced = if from == to {
        files.get(from)?;
        None
    } else {
        let descriptor = files.remove(from)?;
        files.replace(to, descriptor)?
    };
    drop(files);
    drop(replaced);
    Ok(())
}

fn fd_fdstat_get(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let mut bytes = [0; 24];
    let (kind, flags, base, inheriting) = if fd == ROOT_FD {
        (3, 0, u64::MAX >> 34, u64::MAX >> 34)
    } else {
        let files = guest.process.files.lock();
        let descriptor = files.get(fd)?;
        let (base, inheriting) = effective(descriptor);
        let description = &descriptor.description;
        (open_type(description), rights::fdflags(description.flags()), base, inheriting)
    };
    bytes[0] = kind;
    bytes[2..4].copy_from_slice(&flags.to_le_bytes());
    bytes[8..16].copy_from_slice(&base.to_le_bytes());
    bytes[16..24].copy_from_slice(&inheriting.to_le_bytes());
    mem.write(out, &bytes)
}

fn fd_fdstat_set_flags(caller: &mut Caller<'_, Guest>, fd: u32, flags: u32) -> Result<()> {
    let description = lookup(caller.data(), fd, rights::FD_FDSTAT_SET_FLAGS)?;
    if flags & !rights::ALL_FLAGS != 0 {
        return Err(Errno::INVAL);
    }
    description.set_flags(rights::status_flags(flags));
    Ok(())
}

/// Rights can be dropped, never gained.
fn fd_fdstat_set_rights(caller: &mut Caller<'_, Guest>, fd: u32, base: u64, inheriting: u64) -> Result<()> {
    let mut files = caller.data().process.files.lock();
    let descriptor = files.get_mut(fd)?;
    let (had_base, had_inheriting) = effective(descriptor);
    if base & !had_base != 0 || inheriting & !had_inheriting != 0 {
        return Err(Errno::NOTCAPABLE);
    }
    (descriptor.rights, descriptor.inheriting) = (base, inheriting);
    Ok(())
}

fn fd_prestat_get(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let (tag, length) = {
        let files = guest.process.files.lock();
        if fd == ROOT_FD {
            (0u32, 1)
        } else if guest.program.native || fd < 3 {
            return Err(Errno::BADF);
        } else {
            match &files.get(fd)?.preopen {
                Some(name) => (0, name.len()),
                // wasi-libc scans from 3 until an error: an unknown tag makes it continue past an inherited descriptor.
                None => (1, 0),
            }
        }
    };
    mem.slice(out, 8)?;
    mem.write_u32(out, tag)?;
    mem.write_u32(out.wrapping_add(4), u32::try_from(length).map_err(|_| Errno::OVERFLOW)?)
}

fn fd_prestat_dir_name(caller: &mut Caller<'_, Guest>, fd: u32, buf: u32, len: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let name: Arc<[u8]> = if fd == ROOT_FD {
        b"/"[..].into()
    } else {
        let files = guest.process.files.lock();
        let descriptor = files.get(fd)?;
        descriptor.preopen.clone().ok_or(if descriptor.description.is_directory() {
            Errno::BADF
        } else {
            Errno::NOTDIR
        })?
    };
    if (len as usize) < name.len() {
        return Err(Errno::NAMETOOLONG);
    }
    mem.write(buf, &name)
}

fn fd_seek(caller: &mut Caller<'_, Guest>, fd: u32, delta: i64, whence: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 8)?;
    let needed = if delta == 0 && whence == 1 { rights::FD_TELL } else { rights::FD_SEEK };
    let offset = lookup(guest, fd, needed)?.seek(delta, whence)?;
    mem.write_u64(out, offset)
}

fn fd_tell(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let offset = lookup(guest, fd, rights::FD_TELL)?.seek(0, 1)?;
    mem.write_u64(out, offset)
}
