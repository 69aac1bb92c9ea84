//! Addresses of hosts: numbers, `localhost`, and the names in `/etc/hosts`. Nobody else is asked.

use sandshell_sys as sys;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The most addresses of a name that are tried.
const MANY: usize = 16;

/// All addresses of a host, in the order in which they are tried: those in `/etc/hosts`, IPv4 first. A `localhost`
/// that the file does not have is this machine all the same.
pub fn addresses(host: &[u8]) -> Vec<IpAddr> {
    if let Some(address) = numeric(host) {
        return vec![address];
    }
    let bare = host.strip_suffix(b".").unwrap_or(host);
    let mut found = in_hosts(bare);
    found.sort_by_key(IpAddr::is_ipv6);
    found.truncate(MANY);
    if found.is_empty() && is_localhost(bare) {
        return LOOPBACK.to_vec();
    }
    found
}

/// The addresses of this machine itself.
pub const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Whether a name is `localhost`, or below it.
pub fn is_localhost(host: &[u8]) -> bool {
    let lower = host.strip_suffix(b".").unwrap_or(host).to_ascii_lowercase();
    lower == b"localhost" || lower.ends_with(b".localhost")
}

/// The first name of an address in `/etc/hosts`.
pub fn name_of(address: IpAddr) -> Option<Vec<u8>> {
    let hosts = sys::read_file(b"/etc/hosts").unwrap_or_default();
    hosts.split(|b| *b == b'\n').find_map(|line| {
        let line = line.split(|b| *b == b'#').next()?;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let known: IpAddr = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        words.next().filter(|_| known == address).map(<[u8]>::to_vec)
    })
}

/// The address that a host's name is itself, also with less than four numbers (`127.1`).
pub fn numeric(host: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(host).ok()?;
    let bare = text.split('%').next().unwrap_or(text);
    text.parse().ok().or_else(|| bare.parse::<Ipv6Addr>().ok().map(IpAddr::V6)).or_else(|| short(text))
}

/// IPv4 in the forms of `inet_aton`: the last number fills all bytes that are left.
fn short(text: &str) -> Option<IpAddr> {
    let parts: Vec<&str> = text.split('.').collect();
    let (last, first) = parts.split_last()?;
    if first.len() > 3 {
        return None;
    }
    let mut value = 0u32;
    for (at, part) in first.iter().enumerate() {
        value |= u32::from(u8::try_from(number(part)?).ok()?) << (24 - 8 * at);
    }
    let last = number(last)?;
    let room = 32 - 8 * u32::try_from(first.len()).ok()?;
    if u64::from(last) >= 1u64 << room {
        return None;
    }
    Some(IpAddr::V4(Ipv4Addr::from(value | last)))
}

fn number(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match (hex, text.strip_prefix('0')) {
        (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

fn in_hosts(host: &[u8]) -> Vec<IpAddr> {
    let hosts = sys::read_file(b"/etc/hosts").unwrap_or_default();
    let lines = hosts.split(|b| *b == b'\n').filter_map(|line| {
        let line = line.split(|b| *b == b'#').next()?;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let address = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        words.any(|w| w.eq_ignore_ascii_case(host)).then_some(address)
    });
    lines.take(MANY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_addresses() {
        let is = |text: &str, address: &str| assert_eq!(numeric(text.as_bytes()), address.parse().ok());
        is("127.0.0.1", "127.0.0.1");
        is("127.1", "127.0.0.1");
        is("2130706433", "127.0.0.1");
        is("0x7f.1", "127.0.0.1");
        is("::1", "::1");
        for text in ["", "1.2.3.4.5", "1.2.3.256", "a.b", "4294967296", "1..2", "-1", "+1", "127.16777216"] {
            assert_eq!(numeric(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn localhost_is_loopback() {
        assert!(is_localhost(b"LocalHost") && is_localhost(b"app.localhost."));
        assert!(!is_localhost(b"notlocalhost") && !is_localhost(b"localhost.org"));
        assert_eq!(addresses(b"app.localhost"), LOOPBACK);
        assert_eq!(addresses(b"x.invalid"), [] as [IpAddr; 0]);
    }
}
