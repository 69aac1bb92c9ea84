//! The form of `-i`: `[46][PROTOCOL][@HOST][:PORTS]`, and of `-s`: `PROTOCOL:STATES`.

use std::net::IpAddr;

use super::sockets::{Internet, hosts};

/// Which sockets are meant; all if nothing is said.
#[derive(Debug, Default)]
pub(super) struct Where {
    /// As it was written.
    pub(super) text: Vec<u8>,
    six: Option<bool>,
    protocol: Option<Vec<u8>>,
    hosts: Option<Vec<IpAddr>>,
    ports: Vec<(u16, u16)>,
}

/// Which states of a protocol's sockets are meant.
#[derive(Debug)]
pub(super) struct States {
    protocol: Vec<u8>,
    included: Vec<Vec<u8>>,
    excluded: Vec<Vec<u8>>,
}

impl Where {
    /// Reads a selection, or says why it is none.
    pub(super) fn read(text: &[u8]) -> Result<Self, Vec<u8>> {
        let mut found = Self { text: text.to_vec(), ..Self::default() };
        let rest = match text {
            [b'4', rest @ ..] => {
                found.six = Some(false);
                rest
            }
            [b'6', rest @ ..] => {
                found.six = Some(true);
                rest
            }
            _ => text,
        };
        let end = rest.iter().position(|byte| matches!(byte, b'@' | b':')).unwrap_or(rest.len());
        let (protocol, address) = rest.split_at(end);
        let known =
            ["", "tcp", "udp", "udplite"].iter().any(|name| protocol.eq_ignore_ascii_case(name.as_bytes()));
        if !known {
            return Err([b"unknown protocol name (", protocol, b") in: -i ", text].concat());
        }
        found.protocol = (!protocol.is_empty()).then(|| protocol.to_vec());
        let (host, ports) = match address.iter().rposition(|byte| *byte == b':') {
            // Colons in brackets are those of an address.
            Some(colon) if !address.ends_with(b"]") => {
                (&address[..colon], Some(address.get(colon + 1..).unwrap_or_default()))
            }
            _ => (address, None),
        };
        if let Some(host) = host.strip_prefix(b"@").filter(|host| !host.is_empty()) {
            let found_hosts = addresses(host);
            if found_hosts.is_empty() {
                return Err([b"unknown host name (", host, b") in: -i ", text].concat());
            }
            found.hosts = Some(found_hosts);
        }
        match ports {
            Some(b"") => return Err([b"unacceptable port specification in: -i ", text].concat()),
            Some(list) => {
                for range in list.split(|byte| *byte == b',') {
                    let (first, last) = match range.iter().position(|byte| *byte == b'-') {
                        Some(dash) => (&range[..dash], range.get(dash + 1..).unwrap_or_default()),
                        None => (range, range),
                    };
                    let ends = port(first).zip(port(last)).filter(|(first, last)| first <= last);
                    let unknown = || [b"unknown service ", range, b" in: -i ", text].concat();
                    found.ports.push(ends.ok_or_else(unknown)?);
                }
            }
            None => {}
        }
        Ok(found)
    }

    /// Whether a socket is meant: either of its ends.
    pub(super) fn is(&self, socket: &Internet) -> bool {
        let ends = || std::iter::once(socket.local).chain(socket.remote);
        let is_port = |port: u16| self.ports.iter().any(|(first, last)| (*first..=*last).contains(&port));
        self.six.is_none_or(|six| six == socket.six)
            && self.protocol.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(socket.protocol.as_bytes()))
            && ends().any(|(ip, port)| {
                self.hosts.as_ref().is_none_or(|hosts| hosts.contains(&ip))
                    && (self.ports.is_empty() || is_port(port))
            })
    }
}

impl States {
    /// Reads `PROTOCOL:STATE,^STATE`.
    pub(super) fn read(text: &[u8]) -> Result<Self, Vec<u8>> {
        let colon = text.iter().position(|byte| *byte == b':').unwrap_or(text.len());
        let (protocol, list) = (&text[..colon], text.get(colon + 1..).unwrap_or_default());
        if !["tcp", "udp"].iter().any(|name| protocol.eq_ignore_ascii_case(name.as_bytes())) {
            return Err([b"unknown -s protocol: \"", text, b"\""].concat());
        }
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        for state in list.split(|byte| *byte == b',').filter(|state| !state.is_empty()) {
            match state.strip_prefix(b"^") {
                Some(state) => excluded.push(state.to_vec()),
                None => included.push(state.to_vec()),
            }
        }
        Ok(Self { protocol: protocol.to_vec(), included, excluded })
    }

    /// Whether they say nothing against a socket.
    pub(super) fn allow(&self, socket: &Internet) -> bool {
        let has =
            |list: &[Vec<u8>]| list.iter().any(|state| state.eq_ignore_ascii_case(socket.state.as_bytes()));
        !self.protocol.eq_ignore_ascii_case(socket.protocol.as_bytes())
            || (self.included.is_empty() || has(&self.included)) && !has(&self.excluded)
    }
}

fn port(text: &[u8]) -> Option<u16> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The addresses of a host: a number, in brackets or not, or a name in `/etc/hosts`.
fn addresses(host: &[u8]) -> Vec<IpAddr> {
    let Ok(text) = std::str::from_utf8(host) else { return Vec::new() };
    let number = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match number.parse() {
        Ok(ip) => vec![ip],
        Err(_) => {
            let has = |names: &[String]| names.iter().any(|name| name.eq_ignore_ascii_case(text));
            hosts().into_iter().filter(|(_, names)| has(names)).map(|(ip, _)| ip).collect()
        }
    }
}
