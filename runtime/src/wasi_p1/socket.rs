//! What WASI preview 1 has of sockets; the rest is in `crate::abi::socket`.

use wasmtime::{Caller, Linker};

use super::MODULE;
use super::fd::lookup;
use crate::abi::{async_host_fn, host_fn, note_limit};
use crate::error::{Errno, Result};
use crate::fd::table::Descriptor;
use crate::guest::{Guest, split};
use crate::io::sockets;
use crate::io::transfer::MAX_TRANSFER;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "sock_accept", sock_accept, (fd: u32, flags: u32, out: u32));
    host_fn!(linker, MODULE, "sock_shutdown", sock_shutdown, (fd: u32, how: u32));
    async_host_fn!(linker, MODULE, "sock_recv", sock_recv,
        (fd: u32, data: u32, len: u32, flags: u32, out: u32, out_flags: u32));
    async_host_fn!(linker, MODULE, "sock_send", sock_send, (fd: u32, data: u32, len: u32, flags: u32, out: u32));
    Ok(())
}

/// `fdflags`: the new descriptor is non-blocking.
const FDFLAGS_NONBLOCK: u32 = 4;
/// `riflags` and their bits of `recv(2)`: peek, waitall.
const RECEIVE_FLAGS: [(u32, u32); 2] = [(1, 0x2), (2, 0x100)];

async fn sock_accept(caller: &mut Caller<'_, Guest>, fd: u32, flags: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let listening = lookup(guest, fd, 0)?;
    let nonblocking = flags & FDFLAGS_NONBLOCK != 0;
    let accepted = sockets::accept(&guest.kernel, &guest.process, &listening, true, nonblocking).await?;
    let descriptor = Descriptor::new(accepted, false);
    let fd = guest.process.files.lock().insert(descriptor, 0).map_err(|errno| note_limit(guest, errno))?;
    mem.write_u32(out, fd)
}

fn sock_shutdown(caller: &mut Caller<'_, Guest>, fd: u32, how: u32) -> Result<()> {
    let description = lookup(caller.data(), fd, 0)?;
    // `sdflags` are bits, for reading and for writing.
    sockets::shutdown(sockets::of(&description)?, how.checked_sub(1).ok_or(Errno::INVAL)?)
}

async fn sock_recv(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    data: u32,
    len: u32,
    flags: u32,
    out: u32,
    out_flags: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    mem.slice(out_flags, 2)?;
    let description = lookup(guest, fd, 0)?;
    let flags = RECEIVE_FLAGS.iter().filter(|(own, _)| flags & own != 0).map(|(_, linux)| linux).sum();
    // Fewer bytes than there is room for is right for every call.
    let (at, len) = mem.vectors(data, len)?.into_iter().find(|(_, len)| *len > 0).unwrap_or((0, 0));
    let buffer = mem.slice_mut(at, len.min(MAX_TRANSFER as u32))?;
    let received = sockets::receive(&guest.process, &description, buffer, flags).await?;
    mem.write_u32(out, u32::try_from(received.count).map_err(|_| Errno::OVERFLOW)?)?;
    mem.write(out_flags, &[0; 2])
}

async fn sock_send(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    data: u32,
    len: u32,
    _flags: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = lookup(guest, fd, 0)?;
    let mut bytes = Vec::new();
    for (at, len) in mem.vectors(data, len)? {
        let piece = mem.slice(at, len)?;
        bytes.extend_from_slice(piece.get(..MAX_TRANSFER - bytes.len()).unwrap_or(piece));
    }
    let (kernel, process) = (&guest.kernel, &guest.process);
    let sent = sockets::send(kernel, process, &description, &bytes, 0, None).await?;
    mem.write_u32(out, u32::try_from(sent).map_err(|_| Errno::OVERFLOW)?)
}
