//! `nc -l`: waiting for others.

use super::connect::socket;
use super::note;
use super::options::Job;
use super::relay::{self, Peer};
use crate::net::name;
use sandshell_sys::{self as sys, Address, Errno, PollFd, SocketKind, socket_flags};
use std::net::IpAddr;

/// The most bytes of a message.
const ROOM: usize = 16 * 1024;

/// Runs the server: for one connection, or with `-k` for all that come.
pub(super) fn run(job: &Job) -> Result<i32, Vec<u8>> {
    let address = address(job)?;
    let kind = if job.udp { SocketKind::Datagram } else { SocketKind::Stream };
    let text = |e: Errno| e.to_string().into_bytes();
    loop {
        let listener = Peer::Messages(socket(kind, &address).map_err(text)?);
        if !job.unix {
            let _ = sys::set_socket_option(listener.fd(), 1, 2, 1);
        }
        sys::bind(listener.fd(), &address).map_err(text)?;
        let place = place(job, &address, b" ");
        if job.udp || job.unix {
            note(job, [b"Bound on ", place.as_slice()].concat());
        }
        if job.udp {
            messages(job, listener)?;
        } else {
            sys::listen(listener.fd(), 5).map_err(text)?;
            note(job, [b"Listening on ", place.as_slice()].concat());
            connections(job, &listener)?;
        }
        if !job.again {
            return Ok(0);
        }
    }
}

fn connections(job: &Job, listener: &Peer) -> Result<(), Vec<u8>> {
    loop {
        wait(listener)?;
        let accepted = sys::accept(listener.fd(), socket_flags::CLOEXEC | socket_flags::NONBLOCK);
        let peer = match accepted {
            Ok(fd) => Peer::Messages(fd),
            // Who waited has gone meanwhile.
            Err(Errno::AGAIN | Errno::INTR | Errno::CONNABORTED) => continue,
            Err(e) => return Err([b"accept: ", e.to_string().as_bytes()].concat()),
        };
        received_from(job, sys::peer_name(peer.fd()).ok().as_ref());
        relay::run(job, &peer, None);
        if !job.again {
            return Ok(());
        }
    }
}

/// With UDP, the first message tells who the peer is; with `-k`, all messages of all peers are shown.
fn messages(job: &Job, listener: Peer) -> Result<(), Vec<u8>> {
    let text = |e: Errno| e.to_string().into_bytes();
    if job.again {
        relay::run(job, &listener, None);
        return Ok(());
    }
    let mut buffer = vec![0; ROOM];
    loop {
        wait(&listener)?;
        match sys::recv_from(listener.fd(), &mut buffer, 0) {
            Ok((count, from)) => {
                sys::connect(listener.fd(), &from).map_err(text)?;
                received_from(job, Some(&from));
                relay::run(job, &listener, buffer.get(..count));
                return Ok(());
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(e) => return Err(text(e)),
        }
    }
}

fn wait(listener: &Peer) -> Result<(), Vec<u8>> {
    let mut entry = [PollFd { fd: listener.fd(), read: true, write: false, ready: false }];
    match sys::poll(&mut entry, None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(e) => Err(e.to_string().into_bytes()),
    }
}

/// Where to listen.
fn address(job: &Job) -> Result<Address, Vec<u8>> {
    let host = job.host.clone().unwrap_or_default();
    if job.unix {
        return Ok(Address::Unix(host));
    }
    let port = job.ports.first().copied().unwrap_or_default();
    if job.host.is_none() {
        let any: IpAddr = if job.only_ipv6 { [0u16; 8].into() } else { [0, 0, 0, 0].into() };
        return Ok(Address::ip(any, port));
    }
    let found = if job.numeric { name::numeric(&host).into_iter().collect() } else { name::addresses(&host) };
    let fits = |a: &&IpAddr| !(job.only_ipv4 && a.is_ipv6() || job.only_ipv6 && a.is_ipv4());
    let found = found.iter().find(fits).copied();
    found
        .map(|address| Address::ip(address, port))
        .ok_or_else(|| b"getaddrinfo: Name or service not known".to_vec())
}

/// An address as `-v` shows it: by its name, unless there is none or `-n` was given.
fn place(job: &Job, address: &Address, between: &[u8]) -> Vec<u8> {
    match address {
        Address::Unix(path) => path.clone(),
        Address::Ip(at) => {
            let name = if job.numeric { None } else { name::name_of(at.ip()) };
            let host = name.unwrap_or_else(|| at.ip().to_string().into_bytes());
            [host.as_slice(), between, at.port().to_string().as_bytes()].concat()
        }
    }
}

fn received_from(job: &Job, from: Option<&Address>) {
    let shown = match from {
        // A client of a path has no address itself: the path is shown.
        Some(Address::Unix(_)) | None => job.host.clone().unwrap_or_default(),
        Some(address) => place(job, address, b" "),
    };
    note(job, [b"Connection received on ", shown.as_slice()].concat());
}
