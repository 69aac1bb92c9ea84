//! URLs: their parts, and patterns with sets and ranges that stand for several URLs.

use std::net::IpAddr;

/// A parsed URL.
#[derive(Clone)]
pub(super) struct Url {
    pub(super) scheme: Vec<u8>,
    pub(super) host: Vec<u8>,
    pub(super) port: u16,
    /// The path and the query.
    pub(super) path: Vec<u8>,
    /// `NAME:PASSWORD` before the host.
    pub(super) user: Option<Vec<u8>>,
    /// Whether the port is the scheme's own.
    pub(super) port_is_default: bool,
    /// The complete URL for messages: with a scheme and a path.
    pub(super) effective: Vec<u8>,
}

/// Why a URL is invalid.
pub(super) enum Bad {
    Malformed,
    Protocol(Vec<u8>),
}

const PROTOCOLS: &[(&str, u16)] = &[
    ("http", 80),
    ("https", 443),
    ("ftp", 21),
    ("ftps", 990),
    ("scp", 22),
    ("sftp", 22),
    ("smtp", 25),
    ("smtps", 465),
    ("imap", 143),
    ("imaps", 993),
    ("pop3", 110),
    ("pop3s", 995),
    ("dict", 2628),
    ("gopher", 70),
    ("gophers", 70),
    ("ldap", 389),
    ("ldaps", 636),
    ("telnet", 23),
    ("tftp", 69),
    ("rtsp", 554),
    ("mqtt", 1883),
    ("smb", 445),
    ("smbs", 445),
    ("file", 0),
    ("rtmp", 1935),
];

/// Parses a URL. A missing scheme is guessed from the host's name.
/// Without `as_is`, `.` and `..` in its path are resolved.
pub(super) fn parse(text: &[u8], as_is: bool) -> Result<Url, Bad> {
    if text.is_empty() || text.iter().any(|b| *b <= b' ' || *b == 0x7f) {
        return Err(Bad::Malformed);
    }
    let (scheme, rest) = match scheme_of(text) {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None => {
            let lower = text.to_ascii_lowercase();
            let guess = ["ftp", "dict", "ldap", "imap", "smtp", "pop3"];
            let found =
                guess.iter().find(|g| lower.starts_with(g.as_bytes()) && lower.get(g.len()) == Some(&b'.'));
            (found.unwrap_or(&"http").as_bytes().to_vec(), text)
        }
    };
    if scheme == b"file" {
        return file(rest);
    }
    let Some((_, default_port)) = PROTOCOLS.iter().find(|p| p.0.as_bytes() == scheme) else {
        return Err(Bad::Protocol(scheme));
    };
    let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (user, host_part) = match authority.iter().rposition(|b| *b == b'@') {
        Some(at) => (authority.get(..at).map(decoded), authority.get(at + 1..).unwrap_or_default()),
        None => (None, authority),
    };
    let (host, port) = match host_part.strip_prefix(b"[") {
        Some(v6) => {
            let end = v6.iter().position(|b| *b == b']').ok_or(Bad::Malformed)?;
            let (host, after) = v6.split_at(end);
            match after.strip_prefix(b"]").unwrap_or_default() {
                [] => (host, None),
                [b':', port @ ..] => (host, Some(port)),
                _ => return Err(Bad::Malformed),
            }
        }
        None => match host_part.iter().position(|b| *b == b':') {
            Some(i) => (host_part.get(..i).unwrap_or_default(), host_part.get(i + 1..)),
            None => (host_part, None),
        },
    };
    if host.is_empty() {
        return Err(Bad::Malformed);
    }
    let port = match port.filter(|p| !p.is_empty()) {
        None => *default_port,
        Some(digits) if digits.iter().all(u8::is_ascii_digit) => {
            std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).ok_or(Bad::Malformed)?
        }
        Some(_) => return Err(Bad::Malformed),
    };
    let path = path.split(|b| *b == b'#').next().unwrap_or_default();
    let fragment = rest.get(end + path.len()..).unwrap_or_default();
    let path = if path.starts_with(b"/") { path.to_vec() } else { [b"/", path].concat() };
    let path = if as_is { path } else { super::relative::without_dots(&path) };
    // Numbers are written in their usual form: `127.1` is 127.0.0.1.
    let host = match crate::net::name::numeric(host) {
        Some(address @ IpAddr::V4(_)) => address.to_string().into_bytes(),
        _ => host.to_vec(),
    };
    let effective = [&scheme, b"://".as_slice(), authority, &path, fragment].concat();
    let port_is_default = port == *default_port;
    Ok(Url { scheme, host, port, path, user, port_is_default, effective })
}

fn scheme_of(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = text.iter().position(|b| *b == b':')?;
    let (scheme, rest) = text.split_at(colon);
    let valid = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if !valid {
        return None;
    }
    let rest = rest.get(1..).unwrap_or_default();
    if scheme.eq_ignore_ascii_case(b"file") {
        return Some((scheme, rest));
    }
    // `host:80/` has a port, not a scheme.
    rest.strip_prefix(b"//").map(|r| (scheme, r.strip_prefix(b"/").filter(|r| !r.is_empty()).unwrap_or(r)))
}

fn file(rest: &[u8]) -> Result<Url, Bad> {
    let path = match rest.strip_prefix(b"//") {
        None => rest,
        Some(after) if after.starts_with(b"/") => after,
        Some(after) => {
            let slash = after.iter().position(|b| *b == b'/').ok_or(Bad::Malformed)?;
            let (host, path) = after.split_at(slash);
            if !host.eq_ignore_ascii_case(b"localhost") && host != b"127.0.0.1" {
                return Err(Bad::Malformed);
            }
            path
        }
    };
    if !path.starts_with(b"/") {
        return Err(Bad::Malformed);
    }
    let end = path.iter().position(|b| matches!(b, b'?' | b'#')).unwrap_or(path.len());
    let bare = path.get(..end).unwrap_or_default();
    Ok(Url {
        scheme: b"file".to_vec(),
        host: Vec::new(),
        port: 0,
        path: decoded(bare),
        user: None,
        port_is_default: true,
        effective: [b"file://", path].concat(),
    })
}

/// Decodes `%XX`.
pub(crate) fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(b) = text.get(at) {
        let digit = |i: usize| text.get(at + i).and_then(|d| char::from(*d).to_digit(16));
        match (b, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            _ => {
                out.push(*b);
                at += 1;
            }
        }
    }
    out
}

/// A URL made from a pattern, and the strings that were chosen from its sets and ranges.
pub(super) type Expanded = (Vec<u8>, Vec<Vec<u8>>);

/// What is wrong with a pattern, and at which byte.
pub(super) type PatternError = (&'static str, usize);

/// The largest number of URLs that a pattern may stand for.
const MANY: usize = 100_000;

/// Expands the sets `{a,b}` and ranges `[1-3]` of a pattern.
pub(super) fn expand(pattern: &[u8]) -> Result<Vec<Expanded>, PatternError> {
    let mut all: Vec<Expanded> = vec![(Vec::new(), Vec::new())];
    let mut at = 0;
    while let Some(b) = pattern.get(at) {
        let choices: Vec<Vec<u8>>;
        match b {
            b'{' => {
                let rest = pattern.get(at + 1..).unwrap_or_default();
                let end = rest.iter().position(|b| *b == b'}').ok_or(("unmatched brace", at))?;
                let inner = rest.get(..end).unwrap_or_default();
                if inner.is_empty() {
                    return Err(("empty string within braces", at + 1));
                }
                choices = inner.split(|b| *b == b',').map(<[u8]>::to_vec).collect();
                at += end + 2;
            }
            b'[' if !is_address(pattern.get(at..).unwrap_or_default()) => {
                let rest = pattern.get(at + 1..).unwrap_or_default();
                let end = rest.iter().position(|b| *b == b']').ok_or(("bad range", at + 3))?;
                choices = range(rest.get(..end).unwrap_or_default()).ok_or(("bad range", at + 1))?;
                at += end + 2;
            }
            _ => {
                let literal = match (b, pattern.get(at + 1)) {
                    (b'\\', Some(escaped @ (b'{' | b'}' | b'[' | b']'))) => {
                        at += 1;
                        *escaped
                    }
                    (b, _) => *b,
                };
                at += 1;
                for (url, _) in &mut all {
                    url.push(literal);
                }
                continue;
            }
        }
        if all.len().saturating_mul(choices.len()) > MANY {
            return Err(("range overflow", at));
        }
        all = all
            .into_iter()
            .flat_map(|(url, parts)| {
                choices.iter().map(move |c| {
                    let parts = parts.iter().cloned().chain([c.clone()]).collect();
                    ([url.as_slice(), c].concat(), parts)
                })
            })
            .collect();
    }
    Ok(all)
}

/// Whether the brackets contain an IPv6 address.
fn is_address(text: &[u8]) -> bool {
    let Some(end) = text.iter().position(|b| *b == b']') else { return false };
    let inner = text.get(1..end).unwrap_or_default();
    inner.contains(&b':')
        && inner.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.' | b'%'))
        && inner.iter().filter(|b| **b == b':').count() > 1
}

fn range(inner: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(inner).ok()?;
    let (ends, step) = match text.split_once(':') {
        Some((ends, step)) => (ends, step.parse::<usize>().ok().filter(|s| *s > 0)?),
        None => (text, 1),
    };
    let (from, to) = ends.split_once('-')?;
    if let (Ok(first), Ok(last)) = (from.parse::<u64>(), to.parse::<u64>()) {
        let wide = if from.starts_with('0') { from.len() } else { 0 };
        let count = last.checked_sub(first)? / u64::try_from(step).ok()?;
        if usize::try_from(count).is_ok_and(|c| c > MANY) {
            return None;
        }
        return Some((first..=last).step_by(step).map(|n| format!("{n:0wide$}").into_bytes()).collect());
    }
    match (from.as_bytes(), to.as_bytes()) {
        ([a], [b]) if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && a <= b => {
            Some((*a..=*b).step_by(step).map(|c| vec![c]).collect())
        }
        _ => None,
    }
}
