//! The sockets of the sandbox, as `/proc/net` lists them.

use std::collections::HashMap;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sandshell_sys as sys;

/// A socket that has a name or is connected.
#[derive(Clone, Debug)]
pub(super) enum Socket {
    Internet(Internet),
    /// Its name, if it has one; its kind; its state.
    Unix(Vec<u8>, &'static str, &'static str),
}

/// A socket of IPv4 or IPv6.
#[derive(Clone, Debug)]
pub(super) struct Internet {
    pub(super) six: bool,
    pub(super) protocol: &'static str,
    pub(super) local: (IpAddr, u16),
    /// Of a connection.
    pub(super) remote: Option<(IpAddr, u16)>,
    /// Empty if the protocol has none.
    pub(super) state: &'static str,
    /// Bytes that are to be read.
    pub(super) waiting: u64,
}

/// The sockets by their inodes.
pub(super) fn sockets() -> HashMap<u64, Socket> {
    let mut found = HashMap::new();
    for (file, six, protocol) in
        [("tcp", false, "TCP"), ("tcp6", true, "TCP"), ("udp", false, "UDP"), ("udp6", true, "UDP")]
    {
        found.extend(lines(file).iter().filter_map(|line| internet(line, six, protocol)));
    }
    found.extend(lines("unix").iter().filter_map(|line| unix(line)));
    found
}

/// The lines of a file after its heading.
fn lines(file: &str) -> Vec<Vec<u8>> {
    let text = sys::read_file(format!("/proc/net/{file}").as_bytes()).unwrap_or_default();
    text.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::to_vec).collect()
}

fn internet(line: &[u8], six: bool, protocol: &'static str) -> Option<(u64, Socket)> {
    let words: Vec<&str> = std::str::from_utf8(line).ok()?.split_ascii_whitespace().collect();
    let remote = place(words.get(2)?)?;
    let state = match (protocol, *words.get(3)?) {
        ("TCP", "01") => "ESTABLISHED",
        ("TCP", "0A") => "LISTEN",
        ("TCP", _) => "CLOSED",
        _ => "",
    };
    let waiting = words.get(4)?.split_once(':')?.1;
    let socket = Internet {
        six,
        protocol,
        local: place(words.get(1)?)?,
        remote: (remote.1 != 0).then_some(remote),
        state,
        waiting: u64::from_str_radix(waiting, 16).ok()?,
    };
    Some((words.get(9)?.parse().ok()?, Socket::Internet(socket)))
}

/// An address and a port, whose words are those of a little-endian machine.
fn place(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let mut octets = Vec::new();
    for at in (0..address.len()).step_by(8) {
        octets.extend(u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?.to_le_bytes());
    }
    let ip = match octets.len() {
        4 => IpAddr::from(Ipv4Addr::from(<[u8; 4]>::try_from(octets).ok()?)),
        _ => IpAddr::from(Ipv6Addr::from(<[u8; 16]>::try_from(octets).ok()?)).to_canonical(),
    };
    Some((ip, u16::from_str_radix(port, 16).ok()?))
}

fn unix(line: &[u8]) -> Option<(u64, Socket)> {
    let mut words = line.splitn(7, |byte| *byte == b' ').skip(3);
    let listens = words.next()? == b"00010000";
    let kind = if words.next()? == b"0002" { "DGRAM" } else { "STREAM" };
    let state = match (words.next()?, listens) {
        (_, true) => "LISTEN",
        (b"03", _) => "CONNECTED",
        _ => "UNCONNECTED",
    };
    let rest = words.next()?.trim_ascii_start();
    let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
    let inode = std::str::from_utf8(rest.get(..end)?).ok()?.parse().ok()?;
    Some((inode, Socket::Unix(rest.get(end + 1..).unwrap_or_default().to_vec(), kind, state)))
}

impl Socket {
    /// What the column `NAME` shows, with names of hosts unless `hosts` is empty.
    pub(super) fn name(&self, hosts: &[(IpAddr, Vec<String>)]) -> Vec<u8> {
        match self {
            Self::Unix(name, kind, _) => {
                let space: &[u8] = if name.is_empty() { b"" } else { b" " };
                [name.as_slice(), space, b"type=", kind.as_bytes()].concat()
            }
            Self::Internet(socket) => {
                let mut text = shown(socket.local, hosts);
                if let Some(remote) = socket.remote {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "->{}", shown(remote, hosts));
                }
                text.into_bytes()
            }
        }
    }

    /// The state in brackets that follows the name in the table.
    pub(super) fn after_name(&self) -> String {
        match self {
            Self::Internet(Internet { state: "", .. }) => " ".to_owned(),
            Self::Internet(socket) => format!(" ({})", socket.state),
            Self::Unix(_, _, state) => format!(" ({state})"),
        }
    }
}

fn shown((ip, port): (IpAddr, u16), hosts: &[(IpAddr, Vec<String>)]) -> String {
    let named = hosts.iter().find(|(known, _)| *known == ip).and_then(|(_, names)| names.first());
    match (ip, named) {
        (ip, _) if ip.is_unspecified() => format!("*:{port}"),
        (_, Some(name)) => format!("{name}:{port}"),
        (IpAddr::V6(ip), None) => format!("[{ip}]:{port}"),
        (IpAddr::V4(ip), None) => format!("{ip}:{port}"),
    }
}

/// The addresses in `/etc/hosts` with their names.
pub(super) fn hosts() -> Vec<(IpAddr, Vec<String>)> {
    let text = sys::read_file(b"/etc/hosts").unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let entry = |line: &str| {
        let mut words = line.split('#').next()?.split_ascii_whitespace();
        let ip = words.next()?.parse().ok()?;
        Some((ip, words.map(str::to_owned).collect()))
    };
    text.lines().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_become_sockets() {
        let line = b"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 16 1";
        let (inode, socket) = internet(line, false, "TCP").expect("a socket");
        assert_eq!((inode, socket.after_name()), (16, " (LISTEN)".to_owned()));
        assert_eq!(socket.name(&[]), b"127.0.0.1:8080");
        let hosts = [(IpAddr::from(Ipv4Addr::LOCALHOST), vec!["localhost".to_owned()])];
        assert_eq!(socket.name(&hosts), b"localhost:8080");
        let line = b"0000000000000000: 00000002 00000000 00010000 0001 01    17 /tmp/a b";
        let (inode, socket) = unix(line).expect("a socket");
        assert_eq!((inode, socket.name(&[])), (17, b"/tmp/a b type=STREAM".to_vec()));
        assert_eq!(socket.after_name(), " (LISTEN)");
        for wrong in [&b""[..], b"x", b" 0: zz:1 0:0 0A 0:0", b"\xff"] {
            assert!(internet(wrong, false, "TCP").is_none() && unix(wrong).is_none());
        }
    }

    #[test]
    fn mapped_addresses_are_those_of_ipv4() {
        let mapped = place("0000000000000000FFFF00000100007F:0050").expect("an address");
        assert_eq!(mapped, (IpAddr::from(Ipv4Addr::LOCALHOST), 80));
    }
}
