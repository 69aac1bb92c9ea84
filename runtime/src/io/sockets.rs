//! Calls on sockets on behalf of a process: with waiting, interruption, limits and the files of Unix sockets.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use sandshell_vfs::{FileKind, Follow};

use super::once::at_once;
use crate::error::{Errno, Result};
use crate::fd::pipe::Pipe;
use crate::fd::socket::address::Address;
use crate::fd::socket::names::{Other, destination, is_local};
use crate::fd::socket::options::{SO_ACCEPTCONN, SO_ERROR, SOL_SOCKET};
use crate::fd::socket::stream::Connection;
use crate::fd::socket::{Family, Kind, Socket, Target};
use crate::fd::{Description, NONBLOCK, Object, READ, WRITE};
use crate::kernel::KernelInner;
use crate::process::Process;
use crate::process::signal::SIGPIPE;

/// Linux's flags of `send` and `recv`.
const MSG_PEEK: u32 = 0x2;
const MSG_TRUNC: u32 = 0x20;
const MSG_DONTWAIT: u32 = 0x40;
const MSG_WAITALL: u32 = 0x100;
const MSG_NOSIGNAL: u32 = 0x4000;
const MSG_MORE: u32 = 0x8000;
const MSG_CMSG_CLOEXEC: u32 = 0x4000_0000;

/// `W_OK` of `access(2)`: what connecting to a Unix socket needs.
const MAY_WRITE: u32 = 2;

/// Ports that only user 0 may take.
const PRIVILEGED: u16 = 1024;

/// The socket of a description. `ENOTSOCK` if it is something else.
pub(crate) fn of(description: &Description) -> Result<&Socket> {
    match &description.object {
        Object::Socket(socket) => Ok(socket),
        _ => Err(Errno::NOTSOCK),
    }
}

/// `socket(2)` with Linux's numbers. `EAFNOSUPPORT` for families that need a network.
pub(crate) fn create(
    kernel: &KernelInner,
    process: &Process,
    family: u32,
    kind: u32,
    nonblocking: bool,
) -> Result<Arc<Description>> {
    let family = match family {
        1 => Family::Unix,
        2 => Family::Inet,
        10 => Family::Inet6,
        _ => return Err(Errno::AFNOSUPPORT),
    };
    let (kind, permit) = match kind {
        1 => (Kind::Stream, None),
        2 => (Kind::Datagram, Some(kernel.pipe_permit(&process.job)?)),
        _ => return Err(Errno::PROTONOSUPPORT),
    };
    let place = kernel.socket_place(&process.job)?;
    let socket = Socket::new(kernel.next_socket(), place, family, kind, permit);
    Ok(describe(socket, nonblocking))
}

/// `socketpair(2)` for streams.
pub(crate) fn pair(kernel: &KernelInner, process: &Process) -> Result<(Arc<Description>, Arc<Description>)> {
    let ids = (kernel.next_socket(), kernel.next_socket());
    let new_pipe = || kernel.new_pipe(&process.job);
    let places = (kernel.socket_place(&process.job)?, kernel.socket_place(&process.job)?);
    let (one, other) = Socket::pair(ids, places, &new_pipe()?, &new_pipe()?);
    Ok((describe(one, false), describe(other, false)))
}

fn describe(socket: Socket, nonblocking: bool) -> Arc<Description> {
    let flags = if nonblocking { READ | WRITE | NONBLOCK } else { READ | WRITE };
    Description::new(Object::Socket(Box::new(socket)), flags)
}

/// `bind(2)`. The name of a Unix socket is a new file, or an abstract name that begins with NUL.
pub(crate) fn bind(kernel: &KernelInner, process: &Process, socket: &Socket, address: &[u8]) -> Result<()> {
    let address = Address::decode(address, socket.family)?;
    let name = match &address {
        Address::Ip(ip) if !is_local(ip.ip().to_canonical()) => return Err(Errno::ADDRNOTAVAIL),
        Address::Ip(ip) if (1..PRIVILEGED).contains(&ip.port()) && process.uid != 0 => {
            return Err(Errno::ACCES);
        }
        Address::Ip(ip) => return socket.bind(*ip),
        _ if socket.is_bound() => return Err(Errno::INVAL),
        // Linux chooses an abstract name of five digits.
        Address::Unix(name) if name.is_empty() => {
            let name = format!("\0{:05x}", socket.id() & 0xf_ffff).into_bytes();
            return socket.bind_other(Other::Abstract(socket.kind, name.clone()), Address::Unix(name));
        }
        Address::Unix(name) if name.first() == Some(&0) => Other::Abstract(socket.kind, name.clone()),
        Address::Unix(path) => {
            let (namespace, cx, cwd) = (&kernel.namespace, process.context(), process.cwd());
            let mode = 0o777 & !process.umask.load(Ordering::Relaxed);
            namespace.make_node(&cx, &cwd, path, FileKind::Socket, mode).map_err(|errno| match errno {
                sandshell_vfs::Errno::Exist => Errno::ADDRINUSE,
                errno => errno.into(),
            })?;
            Other::File(socket.kind, namespace.resolve(&cx, &cwd, path, Follow::No)?.key())
        }
    };
    socket.bind_other(name, address)
}

/// `accept(2)`. Without `waits` as if it was non-blocking. `nonblocking` is for the new socket.
pub(crate) async fn accept(
    kernel: &KernelInner,
    process: &Process,
    description: &Description,
    waits: bool,
    nonblocking: bool,
) -> Result<Arc<Description>> {
    let socket = of(description)?;
    // Before, so that nobody's connection is lost.
    let place = kernel.socket_place(&process.job)?;
    let connection: Connection = if description.is_nonblocking() || !waits {
        at_once(|cx| socket.poll_accept(cx))?
    } else {
        process.interruptible(poll_fn(|cx| socket.poll_accept(cx))).await?
    };
    let accepted = Socket::connected(kernel.next_socket(), place, socket.family, connection);
    socket.pass_options(&accepted);
    Ok(describe(accepted, nonblocking))
}

/// `connect(2)`. Without `waits` as if it was non-blocking. `ENETUNREACH` for every other machine.
pub(crate) async fn connect(
    kernel: &KernelInner,
    process: &Process,
    description: &Description,
    address: &[u8],
    waits: bool,
) -> Result<()> {
    let socket = of(description)?;
    if socket.kind == Kind::Datagram && matches!(address, [0, 0, ..]) {
        return socket.connect_datagrams(None);
    }
    let target = target(kernel, process, socket, address)?;
    if socket.kind == Kind::Datagram {
        return socket.connect_datagrams(Some(target.address));
    }
    let new_pipe = || -> Result<Arc<Pipe>> { kernel.new_pipe(&process.job) };
    if description.is_nonblocking() || !waits {
        return socket.start_connecting(&target, &new_pipe);
    }
    if let Some(outcome) = process.interruptible(poll_fn(|cx| socket.poll_outcome(cx).map(Ok))).await? {
        return outcome;
    }
    let mut pending = socket.begin_connecting(&target, &new_pipe)?;
    process.interruptible(poll_fn(|cx| socket.poll_connect(cx, &mut pending))).await
}

/// What is to be reached at an address.
fn target(kernel: &KernelInner, process: &Process, socket: &Socket, address: &[u8]) -> Result<Target> {
    let address = Address::decode(address, socket.family)?;
    let (address, bound) = match address {
        Address::Ip(ip) => {
            let address = Address::Ip(destination(ip)?);
            let bound = socket.find(&address);
            (address, bound)
        }
        Address::Unix(name) if matches!(name.first(), None | Some(0)) => {
            let address = Address::Unix(name);
            let bound = socket.find(&address);
            (address, bound)
        }
        Address::Unix(path) => {
            let found = kernel.namespace.resolve(&process.context(), &process.cwd(), &path, Follow::Yes)?;
            let is_socket = found.kind() == FileKind::Socket;
            let (cx, cwd) = (process.context(), process.cwd());
            match kernel.namespace.access(&cx, &cwd, &path, Follow::Yes, MAY_WRITE) {
                // A socket's name on a filesystem that is read-only can be connected to.
                Ok(()) | Err(sandshell_vfs::Errno::RoFs) => {}
                Err(errno) => return Err(errno.into()),
            }
            let bound =
                is_socket.then(|| socket.find_other(&Other::File(socket.kind, found.key()))).flatten();
            let named = bound.as_ref().and_then(|bound| bound.address.get()).cloned();
            (named.unwrap_or(Address::Unix(path)), bound)
        }
    };
    Ok(Target { address, bound })
}

/// `send(2)` and `sendto(2)`.
pub(crate) async fn send(
    kernel: &KernelInner,
    process: &Arc<Process>,
    description: &Description,
    bytes: &[u8],
    flags: u32,
    address: Option<&[u8]>,
) -> Result<usize> {
    if flags & !(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE) != 0 {
        return Err(Errno::NOTSUP);
    }
    let socket = of(description)?;
    let waits = !description.is_nonblocking() && flags & MSG_DONTWAIT == 0;
    let sent = if socket.kind == Kind::Datagram {
        let target = address.map(|address| target(kernel, process, socket, address)).transpose()?;
        let send = poll_fn(|cx| socket.poll_send_to(cx, bytes, target.as_ref()));
        if waits {
            process.interruptible(send).await
        } else {
            at_once(|cx| socket.poll_send_to(cx, bytes, target.as_ref()))
        }
    } else if address.is_some() && socket.family == Family::Unix {
        Err(if socket.peer().is_ok() { Errno::ISCONN } else { Errno::NOTSUP })
    } else {
        // TCP ignores the address.
        send_stream(process, socket, bytes, waits).await
    };
    if sent == Err(Errno::PIPE) && flags & MSG_NOSIGNAL == 0 && socket.kind == Kind::Stream {
        kernel.deliver(process, SIGPIPE);
    }
    sent
}

async fn send_stream(process: &Process, socket: &Socket, bytes: &[u8], waits: bool) -> Result<usize> {
    let mut total = 0;
    loop {
        let rest = bytes.get(total..).unwrap_or_default();
        let sent = if waits {
            process.interruptible(poll_fn(|cx| socket.poll_write(cx, rest))).await
        } else {
            at_once(|cx| socket.poll_write(cx, rest))
        };
        match sent {
            Ok(count) => total += count,
            Err(_) if total > 0 => return Ok(total),
            Err(errno) => return Err(errno),
        }
        if total >= bytes.len() {
            return Ok(total);
        }
    }
}

/// What was received.
pub(crate) struct Received {
    /// Bytes in the buffer, or with `MSG_TRUNC` of the datagram.
    pub(crate) count: usize,
    /// The sender of a datagram as it encodes for the socket.
    pub(crate) from: Option<Vec<u8>>,
}

/// `recv(2)` and `recvfrom(2)`.
pub(crate) async fn receive(
    process: &Process,
    description: &Description,
    buf: &mut [u8],
    flags: u32,
) -> Result<Received> {
    let known = MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC;
    if flags & !known != 0 {
        return Err(Errno::NOTSUP);
    }
    let socket = of(description)?;
    let waits = !description.is_nonblocking() && flags & MSG_DONTWAIT == 0;
    let peek = flags & MSG_PEEK != 0;
    if socket.kind == Kind::Datagram {
        let room = buf.len();
        let (size, from) = if waits {
            process.interruptible(poll_fn(|cx| socket.poll_receive(cx, buf, peek))).await?
        } else {
            at_once(|cx| socket.poll_receive(cx, buf, peek))?
        };
        let count = if flags & MSG_TRUNC == 0 { size.min(room) } else { size };
        return Ok(Received { count, from: Some(from.encode(socket.family)) });
    }
    let all = flags & MSG_WAITALL != 0 && waits && !peek;
    let mut total = 0;
    loop {
        let rest = buf.get_mut(total..).unwrap_or_default();
        let read = if waits {
            process.interruptible(poll_fn(|cx| socket.poll_receive_stream(cx, rest, peek))).await
        } else {
            at_once(|cx| socket.poll_receive_stream(cx, rest, peek))
        };
        let count = match read {
            Ok(count) => count,
            Err(_) if total > 0 => break,
            Err(errno) => return Err(errno),
        };
        total += count;
        if count == 0 || total >= buf.len() || !all {
            break;
        }
    }
    Ok(Received { count: total, from: None })
}

/// `getsockname(2)`, or `getpeername(2)` for the other side's.
pub(crate) fn name(socket: &Socket, peer: bool) -> Result<Vec<u8>> {
    let address = if peer { socket.peer()? } else { socket.local() };
    Ok(address.encode(socket.family))
}

/// `shutdown(2)` with Linux's numbers.
pub(crate) fn shutdown(socket: &Socket, how: u32) -> Result<()> {
    let (reads, writes) = match how {
        0 => (true, false),
        1 => (false, true),
        2 => (true, true),
        _ => return Err(Errno::INVAL),
    };
    socket.shut_down(reads, writes)
}

/// `getsockopt(2)` for options that are integers.
pub(crate) fn option(socket: &Socket, level: u32, name: u32) -> Result<u32> {
    match (level, name) {
        (SOL_SOCKET, SO_ERROR) => Ok(socket.take_error().map_or(0, number)),
        (SOL_SOCKET, SO_ACCEPTCONN) => Ok(u32::from(socket.listens())),
        _ => socket.option(level, name),
    }
}

/// Linux's number of an error.
fn number(errno: Errno) -> u32 {
    sandshell_vfs::Errno::from(errno).raw().unsigned_abs()
}
