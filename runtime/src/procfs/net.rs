//! `/proc/net`: the sandbox's sockets, as `proc_pid_net(5)` and `unix(7)` have them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Weak};

use sandshell_vfs::{Result, SyntheticNode};

use super::directory;
use super::system::{Text, text_file};
use crate::fd::socket::address::Address;
use crate::fd::socket::{Family, Kind, Socket};
use crate::fd::{Description, Object};
use crate::kernel::KernelInner;
use crate::process::Process;

/// Inode numbers of its files.
const NET: u64 = 0x8_0000;

const FILES: &[(&[u8], Text)] = &[
    (b"dev", dev),
    (b"tcp", |kernel| internet(kernel, Family::Inet, Kind::Stream)),
    (b"tcp6", |kernel| internet(kernel, Family::Inet6, Kind::Stream)),
    (b"udp", |kernel| internet(kernel, Family::Inet, Kind::Datagram)),
    (b"udp6", |kernel| internet(kernel, Family::Inet6, Kind::Datagram)),
    (b"unix", unix),
];

/// States of a connection: established, closed or without a connection, listening.
const ESTABLISHED: u8 = 1;
const CLOSE: u8 = 7;
const LISTEN: u8 = 10;

/// The directory.
pub(super) fn net(kernel: &Weak<KernelInner>) -> SyntheticNode {
    let files: BTreeMap<Box<[u8]>, SyntheticNode> = FILES
        .iter()
        .zip(NET + 1..)
        .map(|((name, text), ino)| (Box::from(*name), text_file(kernel, ino, *text)))
        .collect();
    directory(NET, 0o555, (0, 0), files)
}

/// One interface, which counts nothing.
fn dev(_: &KernelInner) -> Result<String> {
    let mut text = String::from(
        "Inter-|   Receive                                                |  Transmit\n \
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    lo:",
    );
    for width in [8, 8, 5, 5, 5, 6, 11, 10, 9, 8, 5, 5, 5, 6, 8, 11] {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:>width$}", 0);
    }
    text.push('\n');
    Ok(text)
}

fn internet(kernel: &KernelInner, family: Family, kind: Kind) -> Result<String> {
    let (six, datagrams) = (family == Family::Inet6, kind == Kind::Datagram);
    let mut text = String::from(match (six, datagrams) {
        (false, false) => {
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
        }
        (false, true) => {
            "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops"
        }
        (true, false) => {
            "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
        }
        (true, true) => {
            "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops"
        }
    });
    end_line(&mut text, six, datagrams);
    let mut line = 0;
    let uid = kernel.owner.0;
    each_socket(kernel, |socket| {
        let Address::Ip(local) = socket.local() else { return };
        if (socket.family, socket.kind) != (family, kind) || local.port() == 0 {
            return;
        }
        let (remote, state) = match socket.peer() {
            Ok(Address::Ip(peer)) => (peer, ESTABLISHED),
            _ => {
                let nobody = SocketAddr::new(unspecified(six), 0);
                (nobody, if socket.listens() { LISTEN } else { CLOSE })
            }
        };
        let (width, more) =
            if datagrams { (5, "2 0000000000000000 0") } else { (4, "1 0000000000000000 100 0 0 10 0") };
        let _ = write!(
            text,
            "{line:>width$}: {} {} {state:02X} 00000000:{:08X} 00:00000000 00000000 {uid:>5}        0 {} {more}",
            place(local, six),
            place(remote, six),
            socket.available(),
            socket.id(),
        );
        end_line(&mut text, six, datagrams);
        line += 1;
    });
    Ok(text)
}

fn unspecified(six: bool) -> IpAddr {
    if six { IpAddr::from([0_u16; 8]) } else { IpAddr::from([0_u8; 4]) }
}

/// Lines of IPv4 have one length.
fn end_line(text: &mut String, six: bool, datagrams: bool) {
    if !six {
        let length = if datagrams { 127 } else { 149 };
        let begun = text.rfind('\n').map_or(0, |end| end + 1);
        for _ in text.len() - begun..length {
            text.push(' ');
        }
    }
    text.push('\n');
}

/// An address as Linux prints its words in memory.
fn place(address: SocketAddr, six: bool) -> String {
    let octets = match (address.ip(), six) {
        (IpAddr::V4(ip), false) => ip.octets().to_vec(),
        (IpAddr::V4(ip), true) => ip.to_ipv6_mapped().octets().to_vec(),
        (IpAddr::V6(ip), _) => ip.octets().to_vec(),
    };
    let words =
        octets.chunks(4).map(|word| word.iter().rev().map(|byte| format!("{byte:02X}")).collect::<String>());
    format!("{}:{:04X}", words.collect::<String>(), address.port())
}

fn unix(kernel: &KernelInner) -> Result<String> {
    let mut text = String::from("Num       RefCount Protocol Flags    Type St Inode Path\n");
    each_socket(kernel, |socket| {
        if socket.family != Family::Unix {
            return;
        }
        let flags = if socket.listens() { 0x1_0000 } else { 0 };
        let state = if socket.peer().is_ok() { 3 } else { 1 };
        let _ = write!(
            text,
            "{:016x}: 00000002 00000000 {flags:08X} {:04X} {state:02X} {:>5}",
            0,
            socket.kind as u32,
            socket.id()
        );
        match socket.local() {
            Address::Unix(name) if !name.is_empty() => {
                let shown: Vec<u8> = name.iter().map(|byte| if *byte == 0 { b'@' } else { *byte }).collect();
                let _ = writeln!(text, " {}", String::from_utf8_lossy(&shown));
            }
            _ => text.push('\n'),
        }
    });
    Ok(text)
}

/// Calls `work` with each socket once, by their numbers.
fn each_socket(kernel: &KernelInner, mut work: impl FnMut(&Socket)) {
    let processes: Vec<Arc<Process>> =
        kernel.table.lock().iter().map(|(_, entry)| entry.process.clone()).collect();
    let mut found: BTreeMap<u64, Arc<Description>> = BTreeMap::new();
    for process in processes {
        for (_, descriptor) in process.files.lock().iter() {
            if let Object::Socket(socket) = &descriptor.description.object {
                found.entry(socket.id()).or_insert_with(|| descriptor.description.clone());
            }
        }
    }
    for description in found.values() {
        if let Object::Socket(socket) = &description.object {
            work(socket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_words_in_memory() {
        let four = place("127.0.0.1:8080".parse().expect("an address"), false);
        assert_eq!(four, "0100007F:1F90");
        let six = place("[::1]:46583".parse().expect("an address"), true);
        assert_eq!(six, "00000000000000000000000001000000:B5F7");
    }

    #[test]
    fn lines_of_ipv4_have_one_length() {
        for (datagrams, length) in [(false, 150), (true, 128)] {
            let mut text = String::from("first\nsecond");
            end_line(&mut text, false, datagrams);
            assert_eq!(text.len(), "first\n".len() + length);
        }
    }
}
