//! Sockets: the kernel's calls.

use super::check;
use crate::socket::ADDRESS_ROOM;
use crate::{Address, Errno, Family, Fd, Half, Result, SocketKind};

mod k {
    #[link(wasm_import_module = "sandshell")]
    unsafe extern "C" {
        pub(super) fn socket(domain: u32, kind: u32, flags: u32, out: *mut u32) -> i32;
        pub(super) fn bind(fd: u32, address: *const u8, size: usize) -> i32;
        pub(super) fn listen(fd: u32, backlog: u32) -> i32;
        pub(super) fn accept(fd: u32, flags: u32, out: *mut u32) -> i32;
        pub(super) fn connect(fd: u32, address: *const u8, size: usize) -> i32;
        pub(super) fn getname(fd: u32, peer: u32, address: *mut u8, room: usize, out: *mut usize) -> i32;
        pub(super) fn send(
            fd: u32,
            data: *const u8,
            len: usize,
            flags: u32,
            address: *const u8,
            size: usize,
            out: *mut usize,
        ) -> i32;
        pub(super) fn recv(
            fd: u32,
            data: *mut u8,
            len: usize,
            flags: u32,
            out: *mut usize,
            address: *mut u8,
            room: usize,
            size: *mut usize,
        ) -> i32;
        pub(super) fn shutdown(fd: u32, how: u32) -> i32;
        pub(super) fn getsockopt(fd: u32, level: u32, name: u32, out: *mut u32) -> i32;
        pub(super) fn setsockopt(fd: u32, level: u32, name: u32, value: u32) -> i32;
    }
}

/// `socket(2)`. There is no network: sockets reach others of the same sandbox.
pub fn socket(family: Family, kind: SocketKind, flags: u32) -> Result<Fd> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::socket(family as u32, kind as u32, flags, &mut out) })?;
    Ok(out.cast_signed())
}

/// `bind(2)`.
pub fn bind(fd: Fd, address: &Address) -> Result<()> {
    let bytes = address.to_bytes()?;
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::bind(fd.cast_unsigned(), bytes.as_ptr(), bytes.len()) })
}

/// `listen(2)`.
pub fn listen(fd: Fd, backlog: u32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::listen(fd.cast_unsigned(), backlog) })
}

/// `accept4(2)`.
pub fn accept(fd: Fd, flags: u32) -> Result<Fd> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::accept(fd.cast_unsigned(), flags, &mut out) })?;
    Ok(out.cast_signed())
}

/// `connect(2)`.
pub fn connect(fd: Fd, address: &Address) -> Result<()> {
    let bytes = address.to_bytes()?;
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::connect(fd.cast_unsigned(), bytes.as_ptr(), bytes.len()) })
}

/// `getsockname(2)`.
pub fn own_name(fd: Fd) -> Result<Address> {
    name(fd, 0)
}

/// `getpeername(2)`.
pub fn peer_name(fd: Fd) -> Result<Address> {
    name(fd, 1)
}

fn name(fd: Fd, peer: u32) -> Result<Address> {
    let mut bytes = [0; ADDRESS_ROOM];
    let mut size = 0;
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::getname(fd.cast_unsigned(), peer, bytes.as_mut_ptr(), bytes.len(), &mut size) })?;
    Address::from_bytes(bytes.get(..size).unwrap_or_default())
}

/// `send(2)`; with an address, `sendto(2)`.
pub fn send(fd: Fd, data: &[u8], flags: u32, to: Option<&Address>) -> Result<usize> {
    let bytes = to.map(Address::to_bytes).transpose()?;
    let at = bytes.as_ref().map_or(std::ptr::null(), |bytes| bytes.as_ptr());
    let size = bytes.as_ref().map_or(0, Vec::len);
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows; without an address the kernel reads none.
    check(unsafe { k::send(fd.cast_unsigned(), data.as_ptr(), data.len(), flags, at, size, &mut out) })?;
    Ok(out.min(data.len()))
}

/// `recv(2)`.
pub fn recv(fd: Fd, buf: &mut [u8], flags: u32) -> Result<usize> {
    Ok(receive(fd, buf, flags, &mut [])?.0)
}

/// `recvfrom(2)`: how much was received, and from where.
pub fn recv_from(fd: Fd, buf: &mut [u8], flags: u32) -> Result<(usize, Address)> {
    let mut bytes = [0; ADDRESS_ROOM];
    let (count, size) = receive(fd, buf, flags, &mut bytes)?;
    Ok((count, Address::from_bytes(bytes.get(..size).unwrap_or_default())?))
}

/// How much was received, and the size of the sender's address, which is stored in `from` unless that is empty.
fn receive(fd: Fd, buf: &mut [u8], flags: u32, from: &mut [u8]) -> Result<(usize, usize)> {
    let (mut out, mut size) = (0, 0);
    let address = if from.is_empty() { std::ptr::null_mut() } else { from.as_mut_ptr() };
    // SAFETY: pointers and lengths are of live borrows; without an address the kernel writes none.
    check(unsafe {
        k::recv(
            fd.cast_unsigned(),
            buf.as_mut_ptr(),
            buf.len(),
            flags,
            &mut out,
            address,
            from.len(),
            &mut size,
        )
    })?;
    Ok((out.min(buf.len()), size))
}

/// `shutdown(2)`.
pub fn shutdown(fd: Fd, half: Half) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::shutdown(fd.cast_unsigned(), half as u32) })
}

/// `SO_ERROR`: how a connection that was begun without waiting failed, if it did. Takes it.
pub fn socket_error(fd: Fd) -> Result<Option<Errno>> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::getsockopt(fd.cast_unsigned(), 1, 4, &mut out) })?;
    Ok((out != 0).then(|| of_linux(out)))
}

/// The option's value is an integer like every other one, and so Linux's number.
fn of_linux(number: u32) -> Errno {
    match number {
        2 => Errno::NOENT,
        11 => Errno::AGAIN,
        13 => Errno::ACCES,
        32 => Errno::PIPE,
        98 => Errno::ADDRINUSE,
        99 => Errno::ADDRNOTAVAIL,
        101 => Errno::NETUNREACH,
        103 => Errno::CONNABORTED,
        104 => Errno::CONNRESET,
        110 => Errno::TIMEDOUT,
        111 => Errno::CONNREFUSED,
        113 => Errno::HOSTUNREACH,
        _ => Errno::IO,
    }
}

/// `setsockopt(2)` with Linux's numbers.
pub fn set_socket_option(fd: Fd, level: u32, name: u32, value: u32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::setsockopt(fd.cast_unsigned(), level, name, value) })
}
