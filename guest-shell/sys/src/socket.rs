//! Sockets: their addresses as the kernel's bytes, and what calls take.
//!
//! An address is Linux's `struct sockaddr`: the family in the machine's order, the rest in the network's.

use crate::{Errno, Result};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// Room for every address.
pub(crate) const ADDRESS_ROOM: usize = 128;
/// The longest path of a Unix socket.
const LONGEST_PATH: usize = 108;

/// A family of addresses. The numbers are Linux's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Paths.
    Unix = 1,
    /// IPv4.
    Inet = 2,
    /// IPv6.
    Inet6 = 10,
}

/// What a socket carries. The numbers are Linux's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// A stream of bytes: TCP.
    Stream = 1,
    /// Messages: UDP.
    Datagram = 2,
}

/// Which half of a connection [`shutdown`](crate::shutdown) ends. The numbers are Linux's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Nothing more is received.
    Read = 0,
    /// Nothing more is sent: the peer reads the end.
    Write = 1,
    /// Both.
    Both = 2,
}

/// Flags of [`socket`](crate::socket) and [`accept`](crate::accept), or-ed together.
pub mod socket_flags {
    /// Close the descriptor on exec and spawn.
    pub const CLOEXEC: u32 = 1;
    /// Return `EAGAIN`, or `EINPROGRESS` for a connection, instead of waiting.
    pub const NONBLOCK: u32 = 0x200;
}

/// Flags of [`send`](crate::send) and [`recv`](crate::recv), or-ed together. The numbers are Linux's.
pub mod message_flags {
    /// Leave what is received for the next call.
    pub const PEEK: u32 = 2;
    /// Return `EAGAIN` instead of waiting.
    pub const DONTWAIT: u32 = 0x40;
    /// `EPIPE` without the signal `SIGPIPE`.
    pub const NOSIGNAL: u32 = 0x4000;
}

/// The address of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An IP address and a port.
    Ip(SocketAddr),
    /// A path; an abstract name begins with NUL; empty if there is none.
    Unix(Vec<u8>),
}

impl Address {
    /// This address and port.
    pub fn ip(address: IpAddr, port: u16) -> Self {
        Self::Ip(SocketAddr::new(address, port))
    }

    /// Its family.
    pub fn family(&self) -> Family {
        match self {
            Self::Ip(SocketAddr::V4(_)) => Family::Inet,
            Self::Ip(SocketAddr::V6(_)) => Family::Inet6,
            Self::Unix(_) => Family::Unix,
        }
    }

    /// Its port, 0 for a path.
    pub fn port(&self) -> u16 {
        match self {
            Self::Ip(at) => at.port(),
            Self::Unix(_) => 0,
        }
    }

    /// The bytes of `struct sockaddr`.
    ///
    /// # Errors
    /// `ENAMETOOLONG` for a path that has no room in it.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = (self.family() as u16).to_ne_bytes().to_vec();
        match self {
            Self::Ip(SocketAddr::V4(at)) => {
                out.extend_from_slice(&at.port().to_be_bytes());
                out.extend_from_slice(&at.ip().octets());
                out.extend_from_slice(&[0; 8]);
            }
            Self::Ip(SocketAddr::V6(at)) => {
                out.extend_from_slice(&at.port().to_be_bytes());
                out.extend_from_slice(&at.flowinfo().to_ne_bytes());
                out.extend_from_slice(&at.ip().octets());
                out.extend_from_slice(&at.scope_id().to_ne_bytes());
            }
            Self::Unix(path) if path.len() > LONGEST_PATH => return Err(Errno::NAMETOOLONG),
            Self::Unix(path) => out.extend_from_slice(path),
        }
        Ok(out)
    }

    /// The address that these bytes of `struct sockaddr` are.
    ///
    /// # Errors
    /// `EAFNOSUPPORT` for those of another family, or too few of them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let Some((family, rest)) = bytes.split_first_chunk() else {
            // A socket that has none.
            return Ok(Self::Unix(Vec::new()));
        };
        let family = u16::from_ne_bytes(*family);
        let known = match family {
            1 => {
                // Natively a NUL ends a path, but is the beginning of an abstract name.
                let end = if rest.first() == Some(&0) { None } else { rest.iter().position(|b| *b == 0) };
                Some(Self::Unix(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_vec()))
            }
            2 => v4(rest).map(|at| Self::Ip(at.into())),
            10 => v6(rest).map(|at| Self::Ip(at.into())),
            _ => None,
        };
        known.ok_or(Errno::AFNOSUPPORT)
    }
}

fn v4(rest: &[u8]) -> Option<SocketAddrV4> {
    let (port, rest) = rest.split_first_chunk()?;
    let address: &[u8; 4] = rest.first_chunk()?;
    Some(SocketAddrV4::new(Ipv4Addr::from(*address), u16::from_be_bytes(*port)))
}

fn v6(rest: &[u8]) -> Option<SocketAddrV6> {
    let (port, rest) = rest.split_first_chunk()?;
    let (flow, rest) = rest.split_first_chunk()?;
    let (address, rest) = rest.split_first_chunk::<16>()?;
    let scope = rest.first_chunk().map_or(0, |scope| u32::from_ne_bytes(*scope));
    Some(SocketAddrV6::new(
        Ipv6Addr::from(*address),
        u16::from_be_bytes(*port),
        u32::from_ne_bytes(*flow),
        scope,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(address: &Address) -> Address {
        Address::from_bytes(&address.to_bytes().unwrap()).unwrap()
    }

    #[test]
    fn addresses_survive_their_bytes() {
        let ip = |text: &str| Address::Ip(text.parse().unwrap());
        for address in [ip("127.0.0.1:8000"), ip("[::1]:80"), Address::Unix(b"/tmp/s".to_vec())] {
            assert_eq!(round_trip(&address), address);
        }
        assert_eq!(round_trip(&Address::Unix(b"\0name".to_vec())), Address::Unix(b"\0name".to_vec()));
        assert_eq!(
            ip("127.0.0.1:8000").to_bytes().unwrap(),
            [2, 0, 0x1f, 0x40, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(ip("[::1]:80").to_bytes().unwrap().len(), 28);
    }

    #[test]
    fn bytes_that_are_no_address_are_an_error() {
        assert_eq!(Address::from_bytes(&[2, 0, 1]), Err(Errno::AFNOSUPPORT));
        assert_eq!(Address::from_bytes(&[9, 9, 1, 1]), Err(Errno::AFNOSUPPORT));
        assert_eq!(Address::from_bytes(&[]), Ok(Address::Unix(Vec::new())));
        assert_eq!(Address::Unix(vec![b'a'; 200]).to_bytes(), Err(Errno::NAMETOOLONG));
    }
}
