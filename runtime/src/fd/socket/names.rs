//! Names of the sandbox's sockets: who listens where. There is no network, so all of them are in this table.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use sandshell_vfs::FileKey;

use super::Kind;
use super::address::Address;
use super::datagram::Mailbox;
use super::listener::Listener;
use crate::error::{Errno, Result};
use crate::limits::Limit;

/// Ports that are chosen for sockets, Linux's `ip_local_port_range`.
const CHOSEN: std::ops::RangeInclusive<u16> = 32_768..=60_999;

/// The most sockets whose names have one port, as a new name is compared with each of them.
const MOST_OF_A_PORT: usize = 1024;

/// The most sockets of a sandbox, as all of them are listed in `/proc/net`.
const MOST: u32 = 16_384;

/// The names in a sandbox.
#[derive(Default)]
pub(crate) struct Names {
    state: Mutex<State>,
    /// How many sockets there are, with or without a name.
    sockets: AtomicU32,
}

#[derive(Default)]
struct State {
    ports: HashMap<(Kind, u16), Named>,
    others: HashMap<Other, Weak<Bound>>,
    /// How many ports were chosen.
    chosen: u16,
}

/// Who has one port.
type Named = Vec<(IpName, Weak<Bound>)>;

#[derive(Clone, Copy)]
struct IpName {
    ip: IpAddr,
    /// Whether a wildcard of IPv6 means IPv4 too.
    dual: bool,
    /// Whether it shares its port with names that do so too.
    shared: bool,
}

/// A name of a Unix socket.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Other {
    Abstract(Kind, Vec<u8>),
    File(Kind, FileKey),
}

/// What is reached at a name.
#[derive(Default)]
pub(crate) struct Bound {
    /// The name of a Unix socket as it was bound, which is not always how others wrote it.
    pub(crate) address: OnceLock<Address>,
    pub(crate) listener: OnceLock<Weak<Listener>>,
    pub(crate) mailbox: OnceLock<Weak<Mailbox>>,
}

/// A name that is taken until this is dropped.
pub(crate) struct Name {
    names: Arc<Names>,
    key: Key,
    pub(crate) bound: Arc<Bound>,
}

enum Key {
    Port(Kind, u16),
    Other(Other),
}

/// A place among the sandbox's sockets.
pub(crate) struct Place(Arc<Names>);

impl Place {
    /// The names of the sandbox that it is a place in.
    pub(crate) fn names(&self) -> &Arc<Names> {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.sockets.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Names {
    /// A place for a socket, of which there are 16,384.
    pub(crate) fn place(self: &Arc<Self>) -> std::result::Result<Place, Limit> {
        let more = |count| (count < MOST).then_some(count + 1);
        match self.sockets.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Place(self.clone())),
            Err(_) => Err(Limit::Sockets(MOST)),
        }
    }

    /// Takes an address and a port; port 0 is one that is free. `EADDRINUSE` if another socket has it, `EADDRNOTAVAIL`
    /// if the address is not one of this machine.
    pub(crate) fn take(
        self: &Arc<Self>,
        kind: Kind,
        address: SocketAddr,
        dual: bool,
        shared: bool,
    ) -> Result<(Name, u16)> {
        let ip = address.ip().to_canonical();
        if !is_local(ip) {
            return Err(Errno::ADDRNOTAVAIL);
        }
        let name = IpName { ip, dual, shared };
        let mut state = self.state.lock();
        let port = match address.port() {
            0 => state.free_port(kind, name).ok_or(Errno::ADDRINUSE)?,
            port => port,
        };
        if !state.is_free(kind, port, name) {
            return Err(Errno::ADDRINUSE);
        }
        let bound = Arc::new(Bound::default());
        state.ports.entry((kind, port)).or_default().push((name, Arc::downgrade(&bound)));
        drop(state);
        Ok((Name { names: self.clone(), key: Key::Port(kind, port), bound }, port))
    }

    /// Takes the name of a Unix socket. A file that was made for it has no name yet.
    pub(crate) fn take_other(self: &Arc<Self>, other: Other) -> Result<Name> {
        let mut state = self.state.lock();
        if matches!(other, Other::Abstract(..)) && state.others.contains_key(&other) {
            return Err(Errno::ADDRINUSE);
        }
        let bound = Arc::new(Bound::default());
        state.others.insert(other.clone(), Arc::downgrade(&bound));
        drop(state);
        Ok(Name { names: self.clone(), key: Key::Other(other), bound })
    }

    /// What is bound where a packet to an address arrives: the name with this very address before a wildcard, one that
    /// listens before one that does not.
    pub(crate) fn find(&self, kind: Kind, address: SocketAddr) -> Option<Arc<Bound>> {
        let ip = address.ip();
        let state = self.state.lock();
        let named = state.ports.get(&(kind, address.port()))?;
        let fitting = named.iter().filter(|(name, _)| name.receives(ip));
        let found = fitting.filter_map(|(name, bound)| Some((name.ip == ip, bound.upgrade()?)));
        found.max_by_key(|(exact, bound)| (bound.is_open(), *exact)).map(|(_, bound)| bound)
    }

    pub(crate) fn find_other(&self, other: &Other) -> Option<Arc<Bound>> {
        self.state.lock().others.get(other)?.upgrade()
    }
}

impl Bound {
    fn is_open(&self) -> bool {
        self.listener.get().is_some() || self.mailbox.get().is_some()
    }
}

impl State {
    fn is_free(&self, kind: Kind, port: u16, name: IpName) -> bool {
        self.ports.get(&(kind, port)).is_none_or(|named| {
            named.len() < MOST_OF_A_PORT && !named.iter().any(|(other, _)| other.excludes(name))
        })
    }

    fn free_port(&mut self, kind: Kind, name: IpName) -> Option<u16> {
        let count = CHOSEN.end() - CHOSEN.start() + 1;
        for _ in 0..count {
            let port = CHOSEN.start() + self.chosen % count;
            self.chosen = (self.chosen + 1) % count;
            if self.is_free(kind, port, IpName { shared: false, ..name }) {
                return Some(port);
            }
        }
        None
    }
}

impl IpName {
    /// Whether nobody can have the other name besides.
    fn excludes(&self, other: IpName) -> bool {
        !(self.shared && other.shared)
            && (self.ip == other.ip || self.receives(other.ip) || other.receives(self.ip))
    }

    /// Whether it is the address, or a wildcard that includes it.
    fn receives(&self, ip: IpAddr) -> bool {
        match (self.ip, ip) {
            (IpAddr::V4(own), IpAddr::V4(_)) => own.is_unspecified() || self.ip == ip,
            (IpAddr::V6(own), IpAddr::V6(_)) => own.is_unspecified() || self.ip == ip,
            (IpAddr::V6(own), IpAddr::V4(_)) => own.is_unspecified() && self.dual,
            (IpAddr::V4(_), IpAddr::V6(_)) => false,
        }
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let own = Arc::as_ptr(&self.bound);
        let mut state = self.names.state.lock();
        match &self.key {
            Key::Port(kind, port) => {
                if let Some(named) = state.ports.get_mut(&(*kind, *port)) {
                    named.retain(|(_, bound)| bound.as_ptr() != own);
                    if named.is_empty() {
                        state.ports.remove(&(*kind, *port));
                    }
                }
            }
            Key::Other(other) => {
                if state.others.get(other).is_some_and(|bound| bound.as_ptr() == own) {
                    state.others.remove(other);
                }
            }
        }
    }
}

/// Whether an address is this machine's own, as far as there is one without a network.
pub(crate) fn is_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_unspecified(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unspecified(),
    }
}

/// The address that packets to `ip` have as theirs.
pub(crate) fn source_of(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    }
}

/// A wildcard means this machine when it is connected to. `ENETUNREACH` for other machines.
pub(crate) fn destination(address: SocketAddr) -> Result<SocketAddr> {
    let ip = address.ip().to_canonical();
    if !is_local(ip) {
        return Err(Errno::NETUNREACH);
    }
    Ok(SocketAddr::new(if ip.is_unspecified() { source_of(ip) } else { ip }, address.port()))
}
