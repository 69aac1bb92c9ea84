//! Reading and writing.

use std::future::poll_fn;

use wasmtime::{Caller, Linker};

use super::MODULE;
use super::fd::lookup;
use super::file::note_space;
use super::rights;
use crate::abi::{later, now};
use crate::error::{Errno, Result};
use crate::fd::transfer::{MAX_TRANSFER, at_once, foreground, write_all};
use crate::fd::within_file_size;
use crate::guest::{Guest, Mem, split};

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    later!(linker, MODULE, "fd_read", fd_read, (fd: u32, vectors: u32, count: u32, out: u32));
    later!(linker, MODULE, "fd_write", fd_write, (fd: u32, vectors: u32, count: u32, out: u32));
    now!(linker, MODULE, "fd_pread", fd_pread, (fd: u32, vectors: u32, count: u32, offset: u64, out: u32));
    now!(linker, MODULE, "fd_pwrite", fd_pwrite, (fd: u32, vectors: u32, count: u32, offset: u64, out: u32));
    Ok(())
}

async fn fd_read(caller: &mut Caller<'_, Guest>, fd: u32, vectors: u32, count: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = lookup(guest, fd, rights::FD_READ)?;
    let vectors = mem.vectors(vectors, count)?;
    if description.is_terminal() {
        foreground(&guest.kernel, &guest.process).await?;
    }
    let mut total = 0;
    for (ptr, len) in vectors {
        let len = len.min(u32::try_from(MAX_TRANSFER - total).unwrap_or(0));
        if len == 0 && total > 0 {
            continue;
        }
        let buf = mem.slice_mut(ptr, len)?;
        let read = if total == 0 && !description.is_nonblocking() {
            guest.process.interruptible(poll_fn(|cx| description.poll_read(cx, buf))).await
        } else {
            at_once(|cx| description.poll_read(cx, buf))
        };
        match read {
            Ok(count) => total += count,
            // What was read before is not lost.
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
    let written = match vectors.as_slice() {
        [(ptr, len)] => write_all(&guest.kernel, &guest.process, &description, mem.slice(*ptr, *len)?).await,
        // One write for all: a line made of pieces must not be torn apart by other writers.
        _ => write_all(&guest.kernel, &guest.process, &description, &gather(&mem, &vectors)?).await,
    };
    let total = written?;
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

fn fd_pread(
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
        let count = description.read_at(&mut buf[..want], at)?;
        total += count;
        if count < len as usize {
            break;
        }
    }
    mem.write_u32(out, u32::try_from(total).map_err(|_| Errno::OVERFLOW)?)
}

fn fd_pwrite(
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
    let all = gather(&mem, &mem.vectors(vectors, count)?)?;
    let allowed = within_file_size(&guest.kernel, &guest.process, &description, Some(offset), all.len())?;
    let total = note_space(guest, description.write_at(all.get(..allowed).unwrap_or(&all), offset))?;
    mem.write_u32(out, u32::try_from(total).map_err(|_| Errno::OVERFLOW)?)
}

fn check_offset(offset: u64) -> Result<()> {
    i64::try_from(offset).map(drop).map_err(|_| Errno::INVAL)
}
