//! Connections, which are kept for further requests to the same server.

use super::job::Job;
use super::session::Trace;
use super::url::Url;
use super::{Failure, proxy};
use crate::http::Reader;
use crate::net::{Deadline, Stream, name};
use sandshell_sys::{self as sys, Address, Errno};
use std::net::IpAddr;
use std::time::Duration;

/// The most connections that are kept.
const MANY: usize = 8;

/// A connection to a server.
pub(super) struct Connection {
    pub(super) reader: Reader,
    pub(super) number: i64,
    /// Whether nothing was asked over it before.
    pub(super) is_new: bool,
    /// Whether the server answered with HTTP/1.0.
    pub(super) is_old: bool,
    pub(super) own: Address,
    pub(super) peer: Address,
    key: Key,
}

/// What a connection leads to.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    host: Vec<u8>,
    port: u16,
    path: Option<Vec<u8>>,
    is_proxy: bool,
}

/// The connections of a run.
#[derive(Default)]
pub(super) struct Pool {
    idle: Vec<Connection>,
    made: i64,
    /// Hosts whose addresses are known.
    known: Vec<(Vec<u8>, u16)>,
}

/// When a connection was there.
#[derive(Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) resolved: u64,
    pub(super) connected: u64,
}

impl Pool {
    /// The number that the next connection gets.
    pub(super) fn next_number(&self) -> i64 {
        self.made
    }

    /// A connection for a URL: one that is kept, unless `fresh`, or a new one.
    pub(super) fn take(
        &mut self,
        job: &Job,
        url: &Url,
        until: Deadline,
        fresh: bool,
        trace: &Trace,
        times: &mut Times,
    ) -> Result<Connection, Failure> {
        let via = proxy::of(job, url);
        let to = match &via {
            Some(via) => via,
            None => url,
        };
        let (host, port) = connect_to(job, &to.host, to.port);
        let key = Key { host, port, path: job.unix_socket.clone(), is_proxy: via.is_some() };
        while let Some(at) = self.idle.iter().position(|c| c.key == key) {
            let connection = self.idle.remove(at);
            trace.note("Found bundle for host: 0x555555560000 [serially]");
            trace.note("Can not multiplex, even if we wanted to");
            if !fresh && !connection.reader.stream.is_stale() && connection.reader.there().is_empty() {
                let text = format!("Re-using existing connection #{} with host ", connection.number);
                trace.note([text.as_bytes(), &to.host].concat());
                return Ok(connection);
            }
            trace.note(format!("Connection {} seems to be dead", connection.number));
            trace.note(format!("Closing connection {}", connection.number));
        }
        self.open(job, to, &key, until, trace, times)
    }

    fn open(
        &mut self,
        job: &Job,
        to: &Url,
        key: &Key,
        until: Deadline,
        trace: &Trace,
        times: &mut Times,
    ) -> Result<Connection, Failure> {
        let number = self.made;
        self.made += 1;
        let begun = sys::monotonic();
        let shown_host = String::from_utf8_lossy(&to.host).into_owned();
        let until = until.earlier(job.limits.connect.map(Deadline::after).unwrap_or_default());
        let candidates = match &key.path {
            Some(path) => vec![Address::Unix(path.clone())],
            None => {
                let found = self.resolve(job, key, trace);
                times.resolved = sys::monotonic();
                if found.is_empty() {
                    let (code, what) = if key.is_proxy { (5, "proxy") } else { (6, "host") };
                    let text =
                        [format!("Could not resolve {what}: ").as_bytes(), key.host.as_slice()].concat();
                    return Err((code, text));
                }
                found.into_iter().map(|address| Address::ip(address, key.port)).collect()
            }
        };
        for address in &candidates {
            let (shown, plain) = shown(address);
            trace.note(format!("  Trying {shown}:{}...", address.port()));
            match Stream::connect(address, until) {
                Ok(stream) => {
                    times.connected = sys::monotonic();
                    // A socket's path is shown as its server wrote it.
                    let peer = sys::peer_name(stream.fd()).unwrap_or_else(|_| address.clone());
                    let plain = self::shown(&peer).1;
                    trace.note(format!("Connected to {shown_host} ({plain}) port {} (#{number})", key.port));
                    let own = sys::own_name(stream.fd()).unwrap_or(Address::Unix(Vec::new()));
                    let (key, reader) = (key.clone(), Reader::new(stream));
                    return Ok(Connection { reader, number, is_new: true, is_old: false, own, peer, key });
                }
                Err(Errno::TIMEDOUT) => {
                    let text = format!("Connection timed out after {} milliseconds", since(begun));
                    return Err((28, text.into_bytes()));
                }
                // What no socket can even try is told at once, otherwise after a wait.
                Err(e @ Errno::NETUNREACH) => trace.note(format!("Immediate connect fail for {plain}: {e}")),
                Err(e) if key.path.is_some() => {
                    trace.note(format!("Immediate connect fail for {plain}: {e}"))
                }
                Err(e) => trace.note(format!("connect to {plain} port {} failed: {e}", key.port)),
            }
        }
        let after = since(begun);
        let text = format!(
            "Failed to connect to {shown_host} port {} after {after} ms: Couldn't connect to server",
            key.port
        );
        Err((7, text.into_bytes()))
    }

    /// The addresses of a host: those of `--resolve`, or its own.
    fn resolve(&mut self, job: &Job, key: &Key, trace: &Trace) -> Vec<IpAddr> {
        let known = (key.host.clone(), key.port);
        let is_given = |given: &Given| {
            (given.host == b"*" || given.host.eq_ignore_ascii_case(&key.host)) && given.port == key.port
        };
        let mut found = match job.resolve.iter().filter_map(|text| given(text)).find(is_given) {
            Some(given) => {
                self.known.push(known.clone());
                given.addresses
            }
            // Whatever the file of hosts says, both are tried.
            None if name::is_localhost(&key.host) => name::LOOPBACK.to_vec(),
            None => name::addresses(&key.host),
        };
        found.retain(|a| !(job.only_ipv4 && a.is_ipv6() || job.only_ipv6 && a.is_ipv4()));
        if self.known.contains(&known) && !found.is_empty() {
            trace.note([b"Hostname ", key.host.as_slice(), b" was found in DNS cache"].concat());
        } else if !found.is_empty() {
            self.known.push(known);
        }
        found
    }

    /// Keeps a connection for later requests, or closes it.
    pub(super) fn give(&mut self, mut connection: Connection, keep: bool, host: &[u8], trace: &Trace) {
        if keep && self.idle.len() < MANY {
            let text = format!("Connection #{} to host ", connection.number);
            trace.note([text.as_bytes(), host, b" left intact"].concat());
            connection.is_new = false;
            self.idle.push(connection);
        } else {
            trace.note(format!("Closing connection {}", connection.number));
        }
    }
}

/// `--resolve HOST:PORT:ADDRESS,…`.
struct Given {
    host: Vec<u8>,
    port: u16,
    addresses: Vec<IpAddr>,
}

fn given(text: &[u8]) -> Option<Given> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let mut parts = text.splitn(3, |b| *b == b':');
    let (host, port, addresses) = (parts.next()?, parts.next()?, parts.next()?);
    let addresses = addresses.split(|b| *b == b',').filter_map(|a| {
        let bare = a.strip_prefix(b"[").and_then(|a| a.strip_suffix(b"]")).unwrap_or(a);
        name::numeric(bare)
    });
    let port = std::str::from_utf8(port).ok()?.parse().ok()?;
    Some(Given { host: host.to_vec(), port, addresses: addresses.collect() })
}

/// What `-v` says about `--resolve` at the beginning of a transfer.
pub(super) fn note_given(job: &Job, trace: &Trace) {
    for text in job.resolve.iter().filter(|text| given(text).is_some()) {
        trace.note([b"Added ", text.as_slice(), b" to DNS cache"].concat());
    }
}

/// `--connect-to HOST1:PORT1:HOST2:PORT2`: where a connection goes instead.
fn connect_to(job: &Job, host: &[u8], port: u16) -> (Vec<u8>, u16) {
    for text in &job.connect_to {
        let parts: Vec<&[u8]> = text.splitn(4, |b| *b == b':').collect();
        let [from_host, from_port, to_host, to_port] = parts.as_slice() else { continue };
        let number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|t| t.parse::<u16>().ok());
        let fits = (from_host.is_empty() || from_host.eq_ignore_ascii_case(host))
            && (from_port.is_empty() || number(from_port) == Some(port));
        if fits {
            let to_host = if to_host.is_empty() { host } else { to_host };
            return (to_host.to_vec(), number(to_port).unwrap_or(port));
        }
    }
    (host.to_vec(), port)
}

/// An address as `-v` shows it before and after it is connected.
fn shown(address: &Address) -> (String, String) {
    match address {
        Address::Ip(at) if at.is_ipv6() => (format!("[{}]", at.ip()), at.ip().to_string()),
        Address::Ip(at) => (at.ip().to_string(), at.ip().to_string()),
        Address::Unix(path) => {
            let path = String::from_utf8_lossy(path).into_owned();
            (path.clone(), path)
        }
    }
}

/// Milliseconds since a moment.
pub(super) fn since(moment: u64) -> u128 {
    Duration::from_nanos(sys::monotonic().saturating_sub(moment)).as_millis()
}
