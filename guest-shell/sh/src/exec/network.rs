//! Redirections to the network (`/dev/tcp/HOST/PORT`): no such file exists, the shell connects.

use crate::shell::Shell;
use sandshell_posix::hosts;
use sandshell_sys::{self as sys, Address, Errno, Fd, SocketKind, socket_flags};

/// What a path of a redirection names.
pub(super) struct Place<'a> {
    kind: SocketKind,
    host: &'a [u8],
    port: &'a [u8],
}

impl<'a> Place<'a> {
    /// The host and port in a path, if it has both.
    pub(super) fn of(path: &'a [u8]) -> Option<Self> {
        let (kind, rest) = match path.strip_prefix(b"/dev/tcp/") {
            Some(rest) => (SocketKind::Stream, rest),
            None => (SocketKind::Datagram, path.strip_prefix(b"/dev/udp/")?),
        };
        let slash = rest.iter().position(|b| *b == b'/')?;
        let (host, port) = rest.split_at(slash);
        Some(Self { kind, host, port: port.get(1..)? })
    }
}

impl Shell {
    /// Opens a connection. What went wrong is said in two lines, the way bash says it.
    pub(super) fn connect(&mut self, path: &[u8], place: &Place<'_>) -> Result<Fd, ()> {
        let failed = |shell: &mut Self, e: Errno| {
            shell.error([path, b": ", e.to_string().as_bytes()].concat());
            Err(())
        };
        let addresses = hosts::addresses(place.host);
        if addresses.is_empty() {
            self.error([place.host, b": Name or service not known"].concat());
            return failed(self, Errno::INVAL);
        }
        let Some(port) = port(place) else {
            self.error([place.port, b": Servname not supported for ai_socktype"].concat());
            return failed(self, Errno::INVAL);
        };
        let mut last = Errno::INVAL;
        for address in addresses {
            match connected(place.kind, &Address::ip(address, port)) {
                Ok(fd) => return Ok(fd),
                Err(e) => last = e,
            }
        }
        // Without the number of the line.
        let text = [&*self.prefix_at(0), b"connect: ", last.to_string().as_bytes(), b"\n"].concat();
        self.write_error(&text);
        failed(self, last)
    }
}

fn connected(kind: SocketKind, to: &Address) -> sys::Result<Fd> {
    let fd = sys::socket(to.family(), kind, socket_flags::CLOEXEC)?;
    sys::connect(fd, to).map(|()| fd).inspect_err(|_| {
        let _ = sys::close(fd);
    })
}

/// A port's number: its low 16 bits, or that of a service in `/etc/services`.
fn port(place: &Place<'_>) -> Option<u16> {
    let text = std::str::from_utf8(place.port).ok()?;
    if text.bytes().all(|b| b.is_ascii_digit()) {
        let number = text.bytes().fold(0u64, |n, b| n.wrapping_mul(10).wrapping_add(u64::from(b - b'0')));
        return Some((number & 0xffff) as u16);
    }
    let protocol = if place.kind == SocketKind::Stream { "tcp" } else { "udp" };
    let services = sys::read_file(b"/etc/services").unwrap_or_default();
    let services = String::from_utf8_lossy(&services);
    let known = services.lines().find_map(|line| {
        let mut words = line.split('#').next()?.split_ascii_whitespace();
        let (name, place) = (words.next()?, words.next()?);
        let (number, spoken) = place.split_once('/')?;
        let fits = spoken == protocol && (name == text || words.any(|alias| alias == text));
        fits.then(|| number.parse().ok())?
    });
    known.or(match text {
        "http" => Some(80),
        "https" => Some(443),
        "ssh" => Some(22),
        "domain" => Some(53),
        _ => None,
    })
}
