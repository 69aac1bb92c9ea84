//! Reading and writing.

use wasmtime::{Caller, Linker};

use super::MODULE;
use super::fd::lookup;
use super::rights;
use crate::abi::async_host_fn;
use crate::error::{Errno, Result};
use crate::guest::{Guest, Mem, split};
use crate::io::once::at_once;
use crate::io::transfer::{self, MAX_TRANSFER, PIECE, write_all};

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "fd_read", fd_read, (fd: u32, vectors: u32, count: u32, out: u32));
    async_host_fn!(linker, MODULE, "fd_write", fd_write, (fd: u32, vectors: u32, count: u32, out: u32));
    async_host_fn!(linker, MODULE, "fd_pread", fd_pread, (fd: u32, vectors: u32, count: u32, offset: u64, out: u32));
    async_host_fn!(linker, MODULE, "fd_pwrite", fd_pwrite, (fd: u32, vectors: u32, count: u32, offset: u64, out: u32));
    Ok(())
}

async fn fd_read(caller: &mut Caller<'_, Guest>, fd: u32, vectors: u32, count: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = lookup(guest, fd, rights::FD_READ)?;
    let vectors = mem.vectors(vectors, count)?;
    let mut total = 0;
    for (ptr, len) in vectors {
        let len = len.min(u32::try_from(MAX_TRANSFER - total).unwrap_or(0));
        if len == 0 && total > 0 {
            continue;
        }
        let buf = mem.slice_mut(ptr, len)?;
        let read = if total == 0 || len as usize > PIECE {
            transfer::read(&guest.kernel, &guest.process, &description, buf).await
        } else {
            at_once(|cx| description.poll_read(cx, buf))
        };
        match read {
            Ok(count) => total += count,
            // Return what was read before the error.
            Err(_) if total > 0 => break,
            Err(errno) => return Err(errno),
        }
        if total < MAX_TRANSFER && read.is_ok_and(|count| count < len as usize) {
            break;
        }
    }
    mem.write_u32(out, u32::try_from(total).map_err(|_| Errno::OVERFLOW)?)
}

async fn fd_write(caller: &mut Caller<'_, Guest>, fd: u32, vectors: u32, count: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = lookup(guest, fd, rights::FD_WRITE)?;
    let vectors = mem.vectors(vectors, count)?;
    let (kernel, process) = (&guest.kernel, &guest.process);
    let all: usize = vectors.iter().map(|(_, len)| *len as usize).sum();
    let total = match vectors.as_slice() {
        [(ptr, len)] => write_all(kernel, process, &description, mem.slice(*ptr, *len)?).await?,
        // One write for all vectors, so that other writers cannot split a line that consists of several.
        _ if all <= PIECE => write_all(kernel, process, &description, &gather(&mem, &vectors)?).await?,
        _ => {
            let mut total = 0;
            for (ptr, len) in &vectors {
                match write_all(kernel, process, &description, mem.slice(*ptr, *len)?).await {
                    Ok(count) => total += count,
                    Err(_) if total > 0 => break,
                    Err(errno) => return Err(errno),
                }
                if total >= MAX_TRANSFER {
                    break;
                }
            }
            total
        }
    };
    mem.write_u32(out, u32::try_from(total).map_err(|_| Errno::OVERFLOW)?)
}

fn gather(mem: &Mem<'_>, vectors: &[(u32, u32)]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for (ptr, len) in vectors {
        let room = MAX_TRANSFER - all.len();
        let piece = mem.slice(*ptr, *len)?;
        all.extend_from_slice(&piece[..piece.len().min(room)]);
    }
    Ok(all)
}

async fn fd_pread(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    vectors: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = lookup(guest, fd, rights::FD_READ | rights::FD_SEEK)?;
    check_offset(offset)?;
    let mut total = 0;
    for (ptr, len) in mem.vectors(vectors, count)? {
        let room = MAX_TRANSFER - total;
        let buf = mem.slice_mut(ptr, len)?;
        let want = buf.len().min(room);
        let at = offset.saturating_add(total as u64);
        let count = transfer::read_at(&guest.process, &description, &mut buf[..want], at).await?;
        total += count;
        if count < len as usize {
            break;
        }
    }
    mem.write_u32(out, u32::try_from(total).map_err(|_| Errno::OVERFLOW)?)
}

async fn fd_pwrite(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    vectors: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = lookup(guest, fd, rights::FD_WRITE | rights::FD_SEEK)?;
    check_offset(offset)?;
    let vectors = mem.vectors(vectors, count)?;
    let (kernel, process) = (&guest.kernel, &guest.process);
    let all: usize = vectors.iter().map(|(_, len)| *len as usize).sum();
    let total = if all <= PIECE {
        transfer::write_at(kernel, process, &description, &gather(&mem, &vectors)?, offset).await?
    } else {
        let mut total = 0;
        for (ptr, len) in &vectors {
            let (buf, at) = (mem.slice(*ptr, *len)?, offset.saturating_add(total as u64));
            match transfer::write_at(kernel, process, &description, buf, at).await {
                Ok(count) => total += count,
                Err(_) if total > 0 => break,
                Err(errno) => return Err(errno),
            }
            if total >= MAX_TRANSFER {
                break;
            }
        }
        total
    };
    mem.write_u32(out, u32::try_from(total).map_err(|_| Errno::OVERFLOW)?)
}

fn check_offset(offset: u64) -> Result<()> {
    i64::try_from(offset).map(drop).map_err(|_| Errno::INVAL)
}
