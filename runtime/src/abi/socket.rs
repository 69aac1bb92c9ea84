//! Sockets.

use std::sync::Arc;

use wasmtime::{Caller, Linker};

use super::fd::CLOEXEC;
use super::{MODULE, async_host_fn, host_fn, note_limit};
use crate::error::{Errno, Result};
use crate::fd::socket::address::MAX_ADDRESS;
use crate::fd::table::Descriptor;
use crate::fd::{Description, NONBLOCK};
use crate::guest::{Guest, split};
use crate::io::sockets;
use crate::io::transfer::MAX_TRANSFER;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "socket", socket, (domain: u32, kind: u32, flags: u32, out: u32));
    host_fn!(linker, MODULE, "bind", bind, (fd: u32, address: u32, size: u32));
    host_fn!(linker, MODULE, "listen", listen, (fd: u32, backlog: u32));
    async_host_fn!(linker, MODULE, "accept", accept, (fd: u32, flags: u32, out: u32));
    async_host_fn!(linker, MODULE, "connect", connect, (fd: u32, address: u32, size: u32));
    host_fn!(linker, MODULE, "getname", getname, (fd: u32, peer: u32, address: u32, room: u32, out: u32));
    async_host_fn!(linker, MODULE, "send", send,
        (fd: u32, data: u32, len: u32, flags: u32, address: u32, size: u32, out: u32));
    async_host_fn!(linker, MODULE, "recv", recv,
        (fd: u32, data: u32, len: u32, flags: u32, out: u32, address: u32, room: u32, out_size: u32));
    host_fn!(linker, MODULE, "shutdown", shutdown, (fd: u32, how: u32));
    host_fn!(linker, MODULE, "getsockopt", getsockopt, (fd: u32, level: u32, name: u32, out: u32));
    host_fn!(linker, MODULE, "setsockopt", setsockopt, (fd: u32, level: u32, name: u32, value: u32));
    Ok(())
}

fn description(guest: &Guest, fd: u32) -> Result<Arc<Description>> {
    Ok(guest.process.files.lock().get(fd)?.description.clone())
}

fn insert(guest: &Guest, description: Arc<Description>, flags: u32) -> Result<u32> {
    let descriptor = Descriptor::new(description, flags & CLOEXEC != 0);
    guest.process.files.lock().insert(descriptor, 0).map_err(|errno| note_limit(guest, errno))
}

fn socket(caller: &mut Caller<'_, Guest>, domain: u32, kind: u32, flags: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let created = sockets::create(&guest.kernel, &guest.process, domain, kind, flags & NONBLOCK != 0)?;
    mem.write_u32(out, insert(guest, created, flags)?)
}

fn bind(caller: &mut Caller<'_, Guest>, fd: u32, address: u32, size: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let address = mem.slice(address, check(size)?)?;
    sockets::bind(&guest.kernel, &guest.process, sockets::of(&*description(guest, fd)?)?, address)
}

/// No address is longer.
fn check(size: u32) -> Result<u32> {
    if size as usize > MAX_ADDRESS { Err(Errno::INVAL) } else { Ok(size) }
}

fn listen(caller: &mut Caller<'_, Guest>, fd: u32, backlog: u32) -> Result<()> {
    sockets::of(&*description(caller.data(), fd)?)?.listen(backlog)
}

async fn accept(caller: &mut Caller<'_, Guest>, fd: u32, flags: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let listening = description(guest, fd)?;
    let (kernel, process) = (&guest.kernel, &guest.process);
    let accepted = sockets::accept(kernel, process, &listening, true, flags & NONBLOCK != 0).await?;
    mem.write_u32(out, insert(guest, accepted, flags)?)
}

async fn connect(caller: &mut Caller<'_, Guest>, fd: u32, address: u32, size: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let address = mem.slice(address, check(size)?)?;
    let description = description(guest, fd)?;
    sockets::connect(&guest.kernel, &guest.process, &description, address, true).await
}

fn getname(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    peer: u32,
    address: u32,
    room: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let name = sockets::name(sockets::of(&*description(guest, fd)?)?, peer != 0)?;
    put_address(&mut mem, &name, address, room, out)
}

/// Stores as much of an address as there is room for, and its whole size.
fn put_address(
    mem: &mut crate::guest::Mem<'_>,
    name: &[u8],
    address: u32,
    room: u32,
    out: u32,
) -> Result<()> {
    let fits = name.get(..room as usize).unwrap_or(name);
    mem.write(address, fits)?;
    mem.write_u32(out, u32::try_from(name.len()).map_err(|_| Errno::OVERFLOW)?)
}

#[allow(clippy::too_many_arguments, reason = "the guest ABI has as many")]
async fn send(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    data: u32,
    len: u32,
    flags: u32,
    address: u32,
    size: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let address = if address == 0 { None } else { Some(mem.slice(address, check(size)?)?) };
    let bytes = mem.slice(data, len)?;
    let bytes = bytes.get(..MAX_TRANSFER).unwrap_or(bytes);
    let description = description(guest, fd)?;
    let (kernel, process) = (&guest.kernel, &guest.process);
    let sent = sockets::send(kernel, process, &description, bytes, flags, address).await?;
    mem.write_u32(out, u32::try_from(sent).map_err(|_| Errno::OVERFLOW)?)
}

#[allow(clippy::too_many_arguments, reason = "the guest ABI has as many")]
async fn recv(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    data: u32,
    len: u32,
    flags: u32,
    out: u32,
    address: u32,
    room: u32,
    out_size: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let description = description(guest, fd)?;
    let len = len.min(u32::try_from(MAX_TRANSFER).unwrap_or(u32::MAX));
    let buffer = mem.slice_mut(data, len)?;
    let received = sockets::receive(&guest.process, &description, buffer, flags).await?;
    mem.write_u32(out, u32::try_from(received.count).map_err(|_| Errno::OVERFLOW)?)?;
    if address == 0 {
        return Ok(());
    }
    put_address(&mut mem, &received.from.unwrap_or_default(), address, room, out_size)
}

fn shutdown(caller: &mut Caller<'_, Guest>, fd: u32, how: u32) -> Result<()> {
    sockets::shutdown(sockets::of(&*description(caller.data(), fd)?)?, how)
}

fn getsockopt(caller: &mut Caller<'_, Guest>, fd: u32, level: u32, name: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let value = sockets::option(sockets::of(&*description(guest, fd)?)?, level, name)?;
    mem.write_u32(out, value)
}

fn setsockopt(caller: &mut Caller<'_, Guest>, fd: u32, level: u32, name: u32, value: u32) -> Result<()> {
    sockets::of(&*description(caller.data(), fd)?)?.set_option(level, name, value)
}
