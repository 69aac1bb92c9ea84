//! `nc HOST PORT…`: connecting, and seeing who listens.

use super::options::Job;
use super::relay::{self, Peer};
use super::{fail, note};
use crate::net::{Deadline, Stream, name};
use sandshell_sys::{self as sys, Address, Errno, Fd, SocketKind, socket_flags};
use std::net::IpAddr;

/// Runs the client. The status is that of the last port.
pub(super) fn run(job: &Job) -> Result<i32, Vec<u8>> {
    let host = job.host.as_deref().unwrap_or_default();
    if job.unix {
        let address = Address::Unix(host.to_vec());
        let kind = if job.udp { SocketKind::Datagram } else { SocketKind::Stream };
        let peer = open(job, kind, &address).map_err(|e| [host, b": ", e.to_string().as_bytes()].concat())?;
        if !job.scans {
            relay::run(job, &peer, None);
        }
        return Ok(0);
    }
    let mut code = 1;
    for (at, port) in job.ports.iter().enumerate() {
        if let Some(interval) = job.interval.filter(|_| at > 0) {
            let _ = sys::sleep(interval);
        }
        code = i32::from(!one(job, host, *port)?);
    }
    Ok(code)
}

/// Connects to a port. True if somebody listens there.
fn one(job: &Job, host: &[u8], port: u16) -> Result<bool, Vec<u8>> {
    let addresses = addresses(job, host).map_err(|why| {
        let shown = format!("\" port {port}: {why}");
        [b"getaddrinfo for host \"", host, shown.as_bytes()].concat()
    })?;
    let (kind, protocol) = if job.udp { (SocketKind::Datagram, "udp") } else { (SocketKind::Stream, "tcp") };
    for address in addresses {
        let shown = if name::numeric(host).is_some() { String::new() } else { format!(" ({address})") };
        let host = String::from_utf8_lossy(host);
        match open(job, kind, &Address::ip(address, port)).and_then(|peer| answers(job, peer)) {
            Ok(Some(peer)) => {
                note(job, format!("Connection to {host}{shown} {port} port [{protocol}/*] succeeded!"));
                if !job.scans {
                    relay::run(job, &peer, None);
                }
                return Ok(true);
            }
            Ok(None) => {}
            Err(e) if job.verbose => {
                fail(format!("connect to {host}{shown} port {port} ({protocol}) failed: {e}").as_bytes());
            }
            Err(_) => {}
        }
    }
    Ok(false)
}

/// Whether somebody is there: UDP tells only when something was sent. `None` if nobody is.
fn answers(job: &Job, peer: Peer) -> sys::Result<Option<Peer>> {
    if !job.udp || !(job.scans || job.verbose) {
        return Ok(Some(peer));
    }
    for _ in 0..3 {
        match sys::send(peer.fd(), b"X", sys::message_flags::NOSIGNAL, None) {
            Ok(_) | Err(Errno::AGAIN) => {}
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(peer))
}

fn addresses(job: &Job, host: &[u8]) -> Result<Vec<IpAddr>, &'static str> {
    let fits = |address: &IpAddr| !(job.only_ipv4 && address.is_ipv6() || job.only_ipv6 && address.is_ipv4());
    match name::numeric(host) {
        Some(address) if fits(&address) => Ok(vec![address]),
        Some(_) => Err("Address family for hostname not supported"),
        None if job.numeric => Err("Name or service not known"),
        None => {
            let mut found = name::addresses(host);
            found.retain(fits);
            if found.is_empty() { Err("Name or service not known") } else { Ok(found) }
        }
    }
}

fn open(job: &Job, kind: SocketKind, to: &Address) -> sys::Result<Peer> {
    let from = match (&job.own_host, job.own_port, to) {
        (None, None, _) | (_, _, Address::Unix(_)) => None,
        (host, port, Address::Ip(at)) => {
            let any: IpAddr = if at.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() };
            let host = host.as_deref().and_then(|host| name::addresses(host).first().copied());
            Some(Address::ip(host.unwrap_or(any), port.unwrap_or(0)))
        }
    };
    if kind == SocketKind::Stream {
        let until = job.timeout.map(Deadline::after).unwrap_or_default();
        return Stream::connect_from(to, from.as_ref(), until).map(Peer::Stream);
    }
    let fd = socket(kind, to)?;
    let peer = Peer::Messages(fd);
    if let Some(from) = from {
        sys::bind(peer.fd(), &from)?;
    }
    sys::connect(peer.fd(), to)?;
    Ok(peer)
}

/// A socket that does not wait.
pub(super) fn socket(kind: SocketKind, for_address: &Address) -> sys::Result<Fd> {
    sys::socket(for_address.family(), kind, socket_flags::CLOEXEC | socket_flags::NONBLOCK)
}
