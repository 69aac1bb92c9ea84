//! Where a URL leads.

/// A URL, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) scheme: Vec<u8>,
    pub(super) host: Vec<u8>,
    pub(super) port: u16,
    /// The path and the query.
    pub(super) path: Vec<u8>,
    /// `NAME:PASSWORD` before the host.
    pub(super) user: Option<Vec<u8>>,
    /// The URL in messages.
    pub(super) shown: Vec<u8>,
    port_is_default: bool,
}

/// Why a text is no URL: the text in the message, and what is wrong.
pub(super) struct Bad(pub(super) Vec<u8>, pub(super) Vec<u8>);

impl Place {
    /// Takes a URL apart. What has no scheme is HTTP, or FTP if it is `HOST:PATH`.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Bad> {
        let text = complete(text);
        let bad = |what: &[u8]| Bad(text.clone(), what.to_vec());
        let at = memchr::memmem::find(&text, b"://").unwrap_or_default();
        let scheme = text.get(..at).unwrap_or_default().to_ascii_lowercase();
        let rest = text.get(at + 3..).unwrap_or_default();
        let default_port = match scheme.as_slice() {
            b"http" => 80,
            b"https" => 443,
            b"ftp" => 21,
            b"ftps" => 990,
            other => return Err(bad(&["Unsupported scheme ‘".as_bytes(), other, "’".as_bytes()].concat())),
        };
        let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, host_part) = match authority.iter().rposition(|b| *b == b'@') {
            Some(at) => {
                (authority.get(..at).map(<[u8]>::to_vec), authority.get(at + 1..).unwrap_or_default())
            }
            None => (None, authority),
        };
        let (host, port) = match host_part.strip_prefix(b"[") {
            Some(v6) => match v6.iter().position(|b| *b == b']') {
                Some(i) => {
                    (v6.get(..i).unwrap_or_default(), v6.get(i + 1..).unwrap_or_default().strip_prefix(b":"))
                }
                None => return Err(bad(b"Unterminated IPv6 numeric address")),
            },
            None => match host_part.iter().position(|b| *b == b':') {
                Some(i) => (host_part.get(..i).unwrap_or_default(), host_part.get(i + 1..)),
                None => (host_part, None),
            },
        };
        if host.is_empty() {
            return Err(bad(b"Invalid host name"));
        }
        let port: u16 = match port.filter(|p| !p.is_empty()) {
            None => default_port,
            Some(p) => match std::str::from_utf8(p).ok().and_then(|p| p.parse().ok()).filter(|p| *p > 0) {
                Some(port) => port,
                None => return Err(bad(b"Bad port number")),
            },
        };
        let host = host.to_ascii_lowercase();
        let path = path.split(|b| *b == b'#').next().unwrap_or_default();
        let path = if path.starts_with(b"/") { path.to_vec() } else { [b"/", path].concat() };
        let path = escaped(&path);
        let port_is_default = port == default_port;
        let mut place = Self { scheme, host, port, path, user, shown: Vec::new(), port_is_default };
        let origin = [place.scheme.as_slice(), b"://", &escaped(&place.host_header())].concat();
        place.shown = [origin, place.path.clone()].concat();
        Ok(place)
    }

    /// The host as addresses in URLs have it.
    pub(super) fn bracketed(&self) -> Vec<u8> {
        if self.host.contains(&b':') {
            [b"[", self.host.as_slice(), b"]"].concat()
        } else {
            self.host.clone()
        }
    }

    /// The value of `Host`.
    pub(super) fn host_header(&self) -> Vec<u8> {
        let mut host = self.bracketed();
        if !self.port_is_default {
            host.extend_from_slice(format!(":{}", self.port).as_bytes());
        }
        host
    }

    /// The URL that a reference in a document here means.
    pub(super) fn resolve(&self, reference: &[u8]) -> Vec<u8> {
        let has_scheme = reference.iter().position(|b| !b.is_ascii_alphanumeric() && !b"+-.".contains(b));
        if has_scheme.is_some_and(|at| at > 0 && reference.get(at..).is_some_and(|r| r.starts_with(b"://"))) {
            return reference.to_vec();
        }
        if reference.starts_with(b"//") {
            return [self.scheme.as_slice(), b":", reference].concat();
        }
        let bare = self.path.split(|b| *b == b'?').next().unwrap_or_default();
        let path = match reference.first() {
            Some(b'/') => reference.to_vec(),
            Some(b'?') => [bare, reference].concat(),
            Some(b'#') | None => self.path.clone(),
            _ => {
                let end = bare.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
                [bare.get(..end).unwrap_or_default(), reference].concat()
            }
        };
        [self.scheme.as_slice(), b"://", &self.host_header(), &crate::curl::without_dots(&path)].concat()
    }

    /// The name of a file for the document: the last part of the path, with the query.
    pub(super) fn file_name(&self) -> Vec<u8> {
        let (path, query) = match self.path.iter().position(|b| *b == b'?') {
            Some(at) => (self.path.get(..at).unwrap_or_default(), self.path.get(at..).unwrap_or_default()),
            None => (self.path.as_slice(), &b""[..]),
        };
        let last = path.rsplit(|b| *b == b'/').next().filter(|n| !n.is_empty()).unwrap_or(b"index.html");
        let name = [unescaped(last).as_slice(), query].concat();
        // Whatever was escaped, it names no directory and has nothing that a terminal would obey.
        let mut safe = Vec::new();
        for b in &name {
            match b {
                b'/' => safe.extend_from_slice(b"%2F"),
                0..0x20 | 0x7f => safe.extend_from_slice(format!("%{b:02X}").as_bytes()),
                _ => safe.push(*b),
            }
        }
        if safe == b"." || safe == b".." { b"index.html".to_vec() } else { safe }
    }
}

fn complete(text: &[u8]) -> Vec<u8> {
    if memchr::memmem::find(text, b"://").is_some() {
        return text.to_vec();
    }
    // `host:path` is an FTP URL, unless a port follows the colon.
    let colon = text.iter().position(|b| matches!(b, b':' | b'/')).filter(|i| text.get(*i) == Some(&b':'));
    let after = colon.and_then(|i| text.get(i + 1..)).unwrap_or_default();
    let port = after.split(|b| *b == b'/').next().unwrap_or_default();
    match colon {
        Some(i) if !port.iter().all(u8::is_ascii_digit) => {
            [b"ftp://", text.get(..i).unwrap_or_default(), b"/", after].concat()
        }
        _ => [b"http://", text].concat(),
    }
}

/// Escapes blanks and non-ASCII bytes as `%XX`.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for b in text {
        if *b <= b' ' || *b >= 0x7f || b"\"<>".contains(b) {
            out.extend_from_slice(format!("%{b:02X}").as_bytes());
        } else {
            out.push(*b);
        }
    }
    out
}

pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    crate::curl::unescaped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        Place::parse(text.as_bytes()).unwrap_or_else(|bad| panic!("{:?}", bad.1))
    }

    #[test]
    fn names_of_files() {
        let name = |text: &str| String::from_utf8(place(text).file_name()).unwrap();
        assert_eq!(name("h/a/b%20c"), "b c");
        assert_eq!(name("h/a?b=c"), "a?b=c");
        assert_eq!(name("h"), "index.html");
        assert_eq!(name("h/..%2f..%2fetc"), "..%2F..%2Fetc");
        assert_eq!(name("h/%2e%2e"), "index.html");
        assert_eq!(name("h/a?x=/../../y"), "a?x=%2F..%2F..%2Fy");
        assert_eq!(name("h/%1b[2J"), "%1B[2J");
    }

    #[test]
    fn references() {
        let is = |reference: &str, url: &str| {
            assert_eq!(place("h:81/a/b?q").resolve(reference.as_bytes()), url.as_bytes());
        };
        is("/x", "http://h:81/x");
        is("x", "http://h:81/a/x");
        is("../../x", "http://h:81/x");
        is("?z", "http://h:81/a/b?z");
        is("http://i/", "http://i/");
        is("//i/", "http://i/");
    }
}
