//! Sockets: libc's calls.

use super::{check, last};
use crate::socket::ADDRESS_ROOM;
use crate::{Address, Errno, Family, Fd, Half, Result, SocketKind, socket_flags};
use libc::{c_int, c_void, sockaddr, socklen_t};

/// Room for every address, aligned as one.
#[repr(C, align(8))]
struct Room([u8; ADDRESS_ROOM]);

impl Room {
    fn new() -> (Self, socklen_t) {
        (Self([0; ADDRESS_ROOM]), ADDRESS_ROOM as socklen_t)
    }

    fn of(address: &Address) -> Result<(Self, socklen_t)> {
        let bytes = address.to_bytes()?;
        let (mut room, _) = Self::new();
        room.0[..bytes.len()].copy_from_slice(&bytes);
        Ok((room, bytes.len() as socklen_t))
    }

    fn pointer(&self) -> *const sockaddr {
        self.0.as_ptr().cast()
    }

    fn address(&self, size: socklen_t) -> Result<Address> {
        Address::from_bytes(self.0.get(..size as usize).unwrap_or_default())
    }
}

fn kind_flags(flags: u32) -> c_int {
    let mut out = 0;
    if flags & socket_flags::CLOEXEC != 0 {
        out |= libc::SOCK_CLOEXEC;
    }
    if flags & socket_flags::NONBLOCK != 0 {
        out |= libc::SOCK_NONBLOCK;
    }
    out
}

/// `socket(2)`.
pub fn socket(family: Family, kind: SocketKind, flags: u32) -> Result<Fd> {
    // SAFETY: plain numbers.
    check(unsafe { libc::socket(family as c_int, kind as c_int | kind_flags(flags), 0) })
}

/// `bind(2)`.
pub fn bind(fd: Fd, address: &Address) -> Result<()> {
    let (room, size) = Room::of(address)?;
    // SAFETY: a live address of this size.
    check(unsafe { libc::bind(fd, room.pointer(), size) }).map(drop)
}

/// `listen(2)`.
pub fn listen(fd: Fd, backlog: u32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::listen(fd, backlog.cast_signed()) }).map(drop)
}

/// `accept4(2)`.
pub fn accept(fd: Fd, flags: u32) -> Result<Fd> {
    // SAFETY: no address is asked for.
    check(unsafe { libc::accept4(fd, std::ptr::null_mut(), std::ptr::null_mut(), kind_flags(flags)) })
}

/// `connect(2)`.
pub fn connect(fd: Fd, address: &Address) -> Result<()> {
    let (room, size) = Room::of(address)?;
    // SAFETY: a live address of this size.
    check(unsafe { libc::connect(fd, room.pointer(), size) }).map(drop)
}

/// `getsockname(2)`.
pub fn own_name(fd: Fd) -> Result<Address> {
    let (mut room, mut size) = Room::new();
    // SAFETY: room and size are live.
    check(unsafe { libc::getsockname(fd, room.0.as_mut_ptr().cast(), &mut size) })?;
    room.address(size)
}

/// `getpeername(2)`.
pub fn peer_name(fd: Fd) -> Result<Address> {
    let (mut room, mut size) = Room::new();
    // SAFETY: room and size are live.
    check(unsafe { libc::getpeername(fd, room.0.as_mut_ptr().cast(), &mut size) })?;
    room.address(size)
}

/// `send(2)`; with an address, `sendto(2)`.
pub fn send(fd: Fd, data: &[u8], flags: u32, to: Option<&Address>) -> Result<usize> {
    let to = to.map(Room::of).transpose()?;
    let (at, size) = to.as_ref().map_or((std::ptr::null(), 0), |(room, size)| (room.pointer(), *size));
    // SAFETY: pointers and lengths are of live borrows.
    let sent = unsafe { libc::sendto(fd, data.as_ptr().cast(), data.len(), flags.cast_signed(), at, size) };
    check(sent as i64).map(|n| n as usize)
}

/// `recv(2)`.
pub fn recv(fd: Fd, buf: &mut [u8], flags: u32) -> Result<usize> {
    // SAFETY: pointer and length are of a live exclusive borrow.
    let got = unsafe { libc::recv(fd, buf.as_mut_ptr().cast(), buf.len(), flags.cast_signed()) };
    check(got as i64).map(|n| n as usize)
}

/// `recvfrom(2)`: how much was received, and from where.
pub fn recv_from(fd: Fd, buf: &mut [u8], flags: u32) -> Result<(usize, Address)> {
    let (mut room, mut size) = Room::new();
    // SAFETY: pointers and lengths are of live exclusive borrows.
    let got = unsafe {
        libc::recvfrom(
            fd,
            buf.as_mut_ptr().cast(),
            buf.len(),
            flags.cast_signed(),
            room.0.as_mut_ptr().cast(),
            &mut size,
        )
    };
    let got = check(got as i64)?;
    Ok((got as usize, room.address(size)?))
}

/// `shutdown(2)`.
pub fn shutdown(fd: Fd, half: Half) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::shutdown(fd, half as c_int) }).map(drop)
}

/// `SO_ERROR`: how a connection that was begun without waiting failed, if it did. Takes it.
pub fn socket_error(fd: Fd) -> Result<Option<Errno>> {
    let (mut value, mut size): (c_int, _) = (0, size_of::<c_int>() as socklen_t);
    let at = (&raw mut value).cast::<c_void>();
    // SAFETY: value and size are live.
    if unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_ERROR, at, &mut size) } < 0 {
        return Err(last());
    }
    Ok((value != 0).then(|| Errno::from_raw_os(value)))
}

/// `setsockopt(2)` with Linux's numbers.
pub fn set_socket_option(fd: Fd, level: u32, name: u32, value: u32) -> Result<()> {
    let value = value.cast_signed();
    let (at, size) = ((&raw const value).cast::<c_void>(), size_of::<c_int>() as socklen_t);
    // SAFETY: the value is live.
    check(unsafe { libc::setsockopt(fd, level.cast_signed(), name.cast_signed(), at, size) }).map(drop)
}
