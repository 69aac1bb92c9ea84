//! Addresses of sockets, in the form of Linux's `struct sockaddr`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use super::Family;
use crate::error::{Errno, Result};

const UNIX: u16 = 1;
const INET: u16 = 2;
const INET6: u16 = 10;

/// The most bytes of a path in an address, as on Linux.
const MAX_PATH: usize = 108;

/// The most bytes of an address.
pub(crate) const MAX_ADDRESS: usize = 2 + MAX_PATH;

/// The address of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Ip(SocketAddr),
    /// A path, NUL and an abstract name, or nothing for a socket without a name.
    Unix(Vec<u8>),
}

impl Address {
    /// Reads an address for a socket of a family. `EAFNOSUPPORT` if it is of another one, `EINVAL` for a wrong length.
    pub(crate) fn decode(bytes: &[u8], family: Family) -> Result<Address> {
        let (kind, rest) = bytes.split_first_chunk::<2>().ok_or(Errno::INVAL)?;
        let fits = match family {
            Family::Unix => UNIX,
            Family::Inet => INET,
            Family::Inet6 => INET6,
        };
        if u16::from_le_bytes(*kind) != fits {
            return Err(if family == Family::Unix { Errno::INVAL } else { Errno::AFNOSUPPORT });
        }
        if family == Family::Unix {
            if rest.len() > MAX_PATH {
                return Err(Errno::INVAL);
            }
            let path = match rest {
                [0, ..] => rest,
                _ => rest.split(|byte| *byte == 0).next().unwrap_or_default(),
            };
            return Ok(Address::Unix(path.to_vec()));
        }
        let (port, rest) = rest.split_first_chunk::<2>().ok_or(Errno::INVAL)?;
        let port = u16::from_be_bytes(*port);
        if family == Family::Inet {
            let (ip, _) = rest.split_first_chunk::<4>().ok_or(Errno::INVAL)?;
            return Ok(Address::Ip(SocketAddrV4::new(Ipv4Addr::from(*ip), port).into()));
        }
        let (flow, rest) = rest.split_first_chunk::<4>().ok_or(Errno::INVAL)?;
        let (ip, rest) = rest.split_first_chunk::<16>().ok_or(Errno::INVAL)?;
        let scope = rest.first_chunk::<4>().map_or(0, |scope| u32::from_le_bytes(*scope));
        let ip = SocketAddrV6::new(Ipv6Addr::from(*ip), port, u32::from_be_bytes(*flow), scope);
        Ok(Address::Ip(ip.into()))
    }

    /// The address for a program whose socket is of a family: a socket of IPv6 sees addresses of IPv4 as mapped ones.
    pub(crate) fn encode(&self, family: Family) -> Vec<u8> {
        match self {
            Address::Unix(path) => {
                // A path ends with NUL; an abstract name has its length alone.
                let end: &[u8] = if matches!(path.first(), None | Some(0)) { &[] } else { &[0] };
                [&UNIX.to_le_bytes(), &path[..], end].concat()
            }
            Address::Ip(address) => {
                let port = address.port().to_be_bytes();
                match (address.ip(), family) {
                    (IpAddr::V4(ip), Family::Inet | Family::Unix) => {
                        [&INET.to_le_bytes()[..], &port, &ip.octets(), &[0; 8]].concat()
                    }
                    (IpAddr::V4(ip), Family::Inet6) => six(ip.to_ipv6_mapped(), port),
                    (IpAddr::V6(ip), _) => six(ip, port),
                }
            }
        }
    }

    /// The address of a socket of a family that has none yet.
    pub(crate) fn unspecified(family: Family) -> Address {
        match family {
            Family::Unix => Address::Unix(Vec::new()),
            Family::Inet => Address::Ip((Ipv4Addr::UNSPECIFIED, 0).into()),
            Family::Inet6 => Address::Ip((Ipv6Addr::UNSPECIFIED, 0).into()),
        }
    }
}

fn six(ip: Ipv6Addr, port: [u8; 2]) -> Vec<u8> {
    [&INET6.to_le_bytes()[..], &port, &[0; 4], &ip.octets(), &[0; 4]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_linuxs_bytes() {
        let four = [2, 0, 0x1f, 0x90, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        let address = Address::decode(&four, Family::Inet).expect("an address");
        assert_eq!(address, Address::Ip("127.0.0.1:8080".parse().expect("an address")));
        assert_eq!(address.encode(Family::Inet), four);
        let mapped = address.encode(Family::Inet6);
        assert_eq!((mapped.len(), &mapped[18..24]), (28, &[0xff, 0xff, 127, 0, 0, 1][..]));
        assert_eq!(Address::decode(&four, Family::Inet6), Err(Errno::AFNOSUPPORT));
        assert_eq!(Address::decode(&four[..7], Family::Inet), Err(Errno::INVAL));
        assert_eq!(Address::decode(&[2], Family::Inet), Err(Errno::INVAL));
    }

    #[test]
    fn a_path_ends_at_nul_and_an_abstract_name_has_its_length() {
        let path = Address::decode(b"\x01\0/tmp/s\0junk", Family::Unix).expect("an address");
        assert_eq!(path, Address::Unix(b"/tmp/s".to_vec()));
        assert_eq!(path.encode(Family::Unix), b"\x01\0/tmp/s\0");
        let name = Address::decode(b"\x01\0\0ab\0c", Family::Unix).expect("an address");
        assert_eq!(
            (&name, name.encode(Family::Unix)),
            (&Address::Unix(b"\0ab\0c".to_vec()), b"\x01\0\0ab\0c".to_vec())
        );
        assert_eq!(Address::decode(&[1; 111], Family::Unix), Err(Errno::INVAL));
    }
}
