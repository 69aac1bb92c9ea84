//! Options of sockets. Nearly all are kept and have no effect, as there is no network whose packets they would change.

use std::collections::HashMap;

use super::{Family, Kind};
use crate::error::{Errno, Result};

pub(crate) const SOL_SOCKET: u32 = 1;
const IPPROTO_IP: u32 = 0;
const IPPROTO_TCP: u32 = 6;
const IPPROTO_UDP: u32 = 17;
const IPPROTO_IPV6: u32 = 41;

const SO_REUSEADDR: u32 = 2;
const SO_TYPE: u32 = 3;
pub(crate) const SO_ERROR: u32 = 4;
const SO_SNDBUF: u32 = 7;
const SO_RCVBUF: u32 = 8;
const SO_LINGER: u32 = 13;
const SO_REUSEPORT: u32 = 15;
pub(crate) const SO_ACCEPTCONN: u32 = 30;
const SO_PROTOCOL: u32 = 38;
const SO_DOMAIN: u32 = 39;
const IPV6_V6ONLY: u32 = 26;

/// (level, name, value at first) of all options that can be set: `socket(7)`, `tcp(7)`, `ip(7)`, `ipv6(7)`.
const KNOWN: &[(u32, u32, u32)] = &[
    (SOL_SOCKET, 1, 0),
    (SOL_SOCKET, SO_REUSEADDR, 0),
    (SOL_SOCKET, 5, 0),
    (SOL_SOCKET, 6, 0),
    (SOL_SOCKET, SO_SNDBUF, 212_992),
    (SOL_SOCKET, SO_RCVBUF, 212_992),
    (SOL_SOCKET, 9, 0),
    (SOL_SOCKET, 10, 0),
    (SOL_SOCKET, 12, 0),
    (SOL_SOCKET, SO_LINGER, 0),
    (SOL_SOCKET, SO_REUSEPORT, 0),
    (SOL_SOCKET, 18, 1),
    (SOL_SOCKET, 29, 0),
    (IPPROTO_TCP, 1, 0),
    (IPPROTO_TCP, 2, 536),
    (IPPROTO_TCP, 3, 0),
    (IPPROTO_TCP, 4, 7200),
    (IPPROTO_TCP, 5, 75),
    (IPPROTO_TCP, 6, 9),
    (IPPROTO_TCP, 7, 6),
    (IPPROTO_TCP, 8, 60),
    (IPPROTO_TCP, 9, 0),
    (IPPROTO_TCP, 10, 0),
    (IPPROTO_TCP, 12, 1),
    (IPPROTO_TCP, 18, 0),
    (IPPROTO_TCP, 23, 0),
    (IPPROTO_TCP, 25, 0),
    (IPPROTO_IP, 1, 0),
    (IPPROTO_IP, 2, 64),
    (IPPROTO_IP, 10, 1),
    (IPPROTO_IP, 11, 0),
    (IPPROTO_IP, 15, 0),
    (IPPROTO_IP, 24, 0),
    (IPPROTO_IP, 33, 1),
    (IPPROTO_IP, 34, 1),
    (IPPROTO_IPV6, 16, 64),
    (IPPROTO_IPV6, 18, 1),
    (IPPROTO_IPV6, 19, 1),
    (IPPROTO_IPV6, 25, 0),
    (IPPROTO_IPV6, IPV6_V6ONLY, 0),
    (IPPROTO_IPV6, 67, 0),
];

/// What was set.
#[derive(Clone, Default)]
pub(crate) struct Options(HashMap<(u32, u32), u32>);

impl Options {
    /// The value of an option, `ENOPROTOOPT` if there is none such. Not `SO_ERROR` and `SO_ACCEPTCONN`.
    pub(crate) fn get(&self, family: Family, kind: Kind, level: u32, name: u32) -> Result<u32> {
        match (level, name) {
            (SOL_SOCKET, SO_TYPE) => Ok(kind as u32),
            (SOL_SOCKET, SO_DOMAIN) => Ok(family as u32),
            (SOL_SOCKET, SO_PROTOCOL) => Ok(match (family, kind) {
                (Family::Unix, _) => 0,
                (_, Kind::Stream) => IPPROTO_TCP,
                (_, Kind::Datagram) => IPPROTO_UDP,
            }),
            _ => {
                let first = default_of(family, kind, level, name)?;
                Ok(self.0.get(&(level, name)).copied().unwrap_or(first))
            }
        }
    }

    /// Sets an option. A linger time is stored as itself and one, so that 0 means that it is off.
    pub(crate) fn set(
        &mut self,
        family: Family,
        kind: Kind,
        level: u32,
        name: u32,
        value: u32,
    ) -> Result<()> {
        default_of(family, kind, level, name)?;
        let value = match (level, name) {
            // Linux reserves twice as much.
            (SOL_SOCKET, SO_SNDBUF | SO_RCVBUF) => value.clamp(1152, 106_496) * 2,
            _ => value,
        };
        self.0.insert((level, name), value);
        Ok(())
    }

    pub(crate) fn reuses_address(&self) -> bool {
        self.is_set(SOL_SOCKET, SO_REUSEADDR)
    }

    pub(crate) fn reuses_port(&self) -> bool {
        self.is_set(SOL_SOCKET, SO_REUSEPORT)
    }

    pub(crate) fn is_v6_only(&self) -> bool {
        self.is_set(IPPROTO_IPV6, IPV6_V6ONLY)
    }

    /// Whether closing resets the connection.
    pub(crate) fn resets(&self) -> bool {
        self.0.get(&(SOL_SOCKET, SO_LINGER)) == Some(&1)
    }

    fn is_set(&self, level: u32, name: u32) -> bool {
        self.0.get(&(level, name)).is_some_and(|value| *value != 0)
    }
}

fn default_of(family: Family, kind: Kind, level: u32, name: u32) -> Result<u32> {
    let fits = match level {
        SOL_SOCKET => true,
        IPPROTO_TCP => family != Family::Unix && kind == Kind::Stream,
        IPPROTO_IP => family != Family::Unix,
        IPPROTO_IPV6 => family == Family::Inet6,
        _ => false,
    };
    if !fits {
        return Err(if family == Family::Unix { Errno::NOTSUP } else { Errno::NOPROTOOPT });
    }
    let known = KNOWN.iter().find(|(at, number, _)| (*at, *number) == (level, name));
    known.map(|(_, _, first)| *first).ok_or(Errno::NOPROTOOPT)
}
