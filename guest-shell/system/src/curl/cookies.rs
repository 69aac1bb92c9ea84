//! Cookies: `-b` and `-c`. The jar's file has Netscape's form: a line for each cookie, whose seven fields are separated
//! by tabs.

use super::date;
use sandshell_cli::{input, out};
use sandshell_sys::{self as sys, open_flags};

/// The most cookies that a jar has (RFC 6265 asks for as many).
const MANY: usize = 3000;
/// The most that one answer may set.
const MANY_OF_ANSWER: usize = 50;
/// The most bytes of a name with its value.
const LONGEST: usize = 4096;
/// The most bytes of all that is sent in one request, and how many cookies that may be.
const LONGEST_LINE: usize = 8190;
const MANY_IN_LINE: usize = 150;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cookie {
    name: Vec<u8>,
    value: Vec<u8>,
    domain: Vec<u8>,
    /// It is also for the hosts below the domain.
    below: bool,
    path: Vec<u8>,
    secure: bool,
    http_only: bool,
    /// Seconds since the epoch; 0 if it lives as long as the session.
    expires: i64,
    /// How many were made before.
    number: u64,
}

/// The cookies of a session.
#[derive(Default)]
pub(crate) struct Jar {
    on: bool,
    cookies: Vec<Cookie>,
    made: u64,
    /// How many the answer that is read now has set.
    of_answer: usize,
}

/// Where a request goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) host: &'a [u8],
    pub(crate) path: &'a [u8],
}

impl Place<'_> {
    /// Whether secure cookies may go there without TLS: to this machine itself.
    fn is_trusted(&self) -> bool {
        matches!(self.host, b"127.0.0.1" | b"::1") || self.host.eq_ignore_ascii_case(b"localhost")
    }
}

impl Jar {
    /// Turns cookies on: those of answers are kept.
    pub(crate) fn turn_on(&mut self) {
        self.on = true;
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Reads a file of cookies, or of heads of answers. Without `session`, those that have no end are left out.
    pub(crate) fn load(&mut self, path: &[u8], session: bool, now: i64) {
        self.on = true;
        if path.is_empty() {
            return;
        }
        let content = input::contents(path).unwrap_or_default();
        for line in content.split(|b| *b == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let cookie = match line.get(..11) {
                Some(head) if head.eq_ignore_ascii_case(b"set-cookie:") => {
                    let any = Place { host: b"", path: b"/" };
                    of_header(line.get(11..).unwrap_or_default(), any, now)
                }
                _ => of_line(line),
            };
            if let Some(cookie) = cookie.filter(|c| session || c.expires != 0) {
                self.add(cookie, now);
            }
        }
    }

    /// Begins an answer.
    pub(crate) fn begin_answer(&mut self) {
        self.of_answer = 0;
    }

    /// Takes the value of a `Set-Cookie` header. Returns what `-v` says about it.
    pub(crate) fn set(&mut self, value: &[u8], place: Place<'_>, now: i64) -> Option<Vec<u8>> {
        if !self.on || self.of_answer == MANY_OF_ANSWER {
            return None;
        }
        self.of_answer += 1;
        let cookie = of_header(value, place, now)?;
        if !matches(&cookie.domain, true, place.host) {
            return Some([b"skipped cookie with bad tailmatch domain: ", cookie.domain.as_slice()].concat());
        }
        if cookie.secure && !place.is_trusted() {
            return Some(b"skipped cookie because of security".to_vec());
        }
        let shown = cookie.clone();
        let what: &[u8] = if self.add(cookie, now) { b"Replaced" } else { b"Added" };
        let expires = format!(", expire {}", shown.expires);
        let text = [
            what,
            b" cookie ",
            &shown.name,
            b"=\"",
            &shown.value,
            b"\" for domain ",
            &shown.domain,
            b", path ",
            &shown.path,
            expires.as_bytes(),
        ];
        Some(text.concat())
    }

    /// Adds a cookie, or replaces the one that it is meant to. Tells which.
    fn add(&mut self, mut cookie: Cookie, now: i64) -> bool {
        let same = |c: &Cookie| {
            c.name == cookie.name
                && c.domain == cookie.domain
                && c.path == cookie.path
                && c.below == cookie.below
        };
        let old = self.cookies.iter().position(same).map(|at| self.cookies.remove(at));
        cookie.number = old.as_ref().map_or(self.made, |old| old.number);
        self.made += 1;
        if (cookie.expires == 0 || cookie.expires > now) && self.cookies.len() < MANY {
            self.cookies.push(cookie);
        }
        old.is_some()
    }

    /// The value of `Cookie` for a request, if there are any.
    pub(crate) fn header(&self, place: Place<'_>, now: i64) -> Option<Vec<u8>> {
        let mut fitting: Vec<&Cookie> = self
            .cookies
            .iter()
            .filter(|c| matches(&c.domain, c.below, place.host) && path_matches(&c.path, place.path))
            .filter(|c| (c.expires == 0 || c.expires > now) && (!c.secure || place.is_trusted()))
            .collect();
        fitting.sort_by(|a, b| order(a, b));
        let mut line = Vec::new();
        for cookie in fitting.into_iter().take(MANY_IN_LINE) {
            if line.len() + cookie.name.len() + cookie.value.len() + 3 > LONGEST_LINE {
                break;
            }
            if !line.is_empty() {
                line.extend_from_slice(b"; ");
            }
            line.extend_from_slice(&[cookie.name.as_slice(), b"=", &cookie.value].concat());
        }
        (!line.is_empty()).then_some(line)
    }

    /// Writes the jar; `-` is standard output.
    ///
    /// # Errors
    /// As `open(2)` and `write(2)`.
    pub(crate) fn save(&self, path: &[u8], now: i64) -> sys::Result<()> {
        self.save_with(path, HEAD.as_bytes(), true, now)
    }

    /// As [`save`](Self::save), with these lines at the beginning. Without `session`, cookies that have no end are left
    /// out.
    ///
    /// # Errors
    /// Those.
    pub(crate) fn save_with(&self, path: &[u8], head: &[u8], session: bool, now: i64) -> sys::Result<()> {
        let lasts = |c: &&Cookie| if c.expires == 0 { session } else { c.expires > now };
        let mut sorted: Vec<&Cookie> = self.cookies.iter().filter(lasts).collect();
        sorted.sort_by(|a, b| order(a, b));
        let mut text = head.to_vec();
        for c in sorted {
            let word = |yes: bool| if yes { b"TRUE".as_slice() } else { b"FALSE" };
            let http_only: &[u8] = if c.http_only { b"#HttpOnly_" } else { b"" };
            let dot: &[u8] = if c.below && !c.domain.starts_with(b".") { b"." } else { b"" };
            let domain = [http_only, dot, &c.domain].concat();
            let expires = c.expires.to_string();
            let fields =
                [&domain, word(c.below), &c.path, word(c.secure), expires.as_bytes(), &c.name, &c.value];
            text.extend_from_slice(&fields.join(&b'\t'));
            text.push(b'\n');
        }
        if path == b"-" {
            out::put(text);
            return Ok(());
        }
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        let fd = sys::open(path, flags, 0o644)?;
        let written = sys::write_all(fd, &text);
        let _ = sys::close(fd);
        written
    }
}

const HEAD: &str = "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\
                    # This file was generated by libcurl! Edit at your own risk.\n\n";

/// The order in files and requests: what is more special first, then what is newer.
fn order(a: &Cookie, b: &Cookie) -> std::cmp::Ordering {
    let key = |c: &Cookie| (c.path.len(), c.domain.len(), c.name.len(), c.number);
    key(b).cmp(&key(a))
}

/// Whether a host is a cookie's domain, or below it.
fn matches(domain: &[u8], below: bool, host: &[u8]) -> bool {
    let domain = domain.strip_prefix(b".").unwrap_or(domain);
    if host.eq_ignore_ascii_case(domain) {
        return true;
    }
    if !below || crate::net::name::numeric(host).is_some() {
        return false;
    }
    let start = host.len().checked_sub(domain.len()).filter(|start| *start > 0);
    start.is_some_and(|start| {
        host.get(start - 1) == Some(&b'.')
            && host.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(domain))
    })
}

fn path_matches(cookie: &[u8], path: &[u8]) -> bool {
    let path = path.split(|b| *b == b'?').next().unwrap_or_default();
    let bare = cookie.strip_suffix(b"/").unwrap_or(cookie);
    path.strip_prefix(bare).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Reads a `Set-Cookie` header.
fn of_header(value: &[u8], place: Place<'_>, now: i64) -> Option<Cookie> {
    let mut parts = value.split(|b| *b == b';').map(<[u8]>::trim_ascii);
    let (name, value) = pair(parts.next()?)?;
    let is_control = |b: &u8| b.is_ascii_control() && *b != b'\t';
    if name.is_empty() || name.len() + value.len() > LONGEST || value.iter().chain(name).any(is_control) {
        return None;
    }
    let mut cookie = Cookie {
        name: name.to_vec(),
        value: value.to_vec(),
        domain: place.host.to_ascii_lowercase(),
        ..Cookie::default()
    };
    let mut life = None;
    for part in parts {
        let (name, value) = pair(part).unwrap_or((part, b""));
        match name.to_ascii_lowercase().as_slice() {
            b"path" if value.starts_with(b"/") => cookie.path = value.to_vec(),
            b"domain" if !value.is_empty() => {
                let bare = value.strip_prefix(b".").unwrap_or(value).to_ascii_lowercase();
                // A domain of one word is a public one, except this machine.
                if !bare.contains(&b'.') && bare != b"localhost" && !place.host.is_empty() {
                    return None;
                }
                cookie.below = crate::net::name::numeric(&bare).is_none();
                cookie.domain = bare;
            }
            b"secure" => cookie.secure = true,
            b"httponly" => cookie.http_only = true,
            b"max-age" => {
                let text = std::str::from_utf8(value).unwrap_or_default().trim_matches('"');
                life = text.parse::<i64>().ok().or(life);
            }
            b"expires" => cookie.expires = date::seconds(value).map_or(0, |time| time.max(1)),
            _ => {}
        }
    }
    match life {
        Some(seconds) if seconds <= 0 => cookie.expires = 1,
        Some(seconds) => cookie.expires = now.saturating_add(seconds),
        None => {}
    }
    if cookie.path.is_empty() {
        let path = place.path.split(|b| *b == b'?').next().unwrap_or_default();
        let end = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        cookie.path = path.get(..end).filter(|p| !p.is_empty()).unwrap_or(b"/").to_vec();
    }
    Some(cookie)
}

fn pair(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|b| *b == b'=')?;
    Some((text.get(..at)?.trim_ascii(), text.get(at + 1..)?.trim_ascii()))
}

/// Reads a line of a file.
fn of_line(line: &[u8]) -> Option<Cookie> {
    let (http_only, line) = match line.strip_prefix(b"#HttpOnly_") {
        Some(rest) => (true, rest),
        None if line.starts_with(b"#") => return None,
        None => (false, line),
    };
    let mut fields = line.split(|b| *b == b'\t');
    let mut next = || fields.next();
    let (domain, below, path, secure) = (next()?, next()?, next()?, next()?);
    let (expires, name) = (next()?, next()?);
    let value = next().unwrap_or_default();
    if domain.is_empty() || name.is_empty() || name.len() + value.len() > LONGEST {
        return None;
    }
    Some(Cookie {
        name: name.to_vec(),
        value: value.to_vec(),
        domain: domain.strip_prefix(b".").unwrap_or(domain).to_ascii_lowercase(),
        below: below.eq_ignore_ascii_case(b"true"),
        path: path.to_vec(),
        secure: secure.eq_ignore_ascii_case(b"true"),
        http_only,
        expires: std::str::from_utf8(expires).ok()?.parse().ok()?,
        number: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(cookies: &[&str]) -> Jar {
        let mut jar = Jar { on: true, ..Jar::default() };
        for cookie in cookies {
            jar.set(cookie.as_bytes(), Place { host: b"a.example.org", path: b"/dir/page?q" }, 1000);
        }
        jar
    }

    fn sent(jar: &Jar, host: &str, path: &str) -> String {
        let place = Place { host: host.as_bytes(), path: path.as_bytes() };
        String::from_utf8(jar.header(place, 1000).unwrap_or_default()).unwrap()
    }

    #[test]
    fn where_cookies_go() {
        let jar =
            jar(&["a=1", "b=2; Path=/", "c=3; domain=example.org; path=/", "d=4; Max-Age=0", "e=5; Secure"]);
        assert_eq!(sent(&jar, "a.example.org", "/dir/x"), "a=1; b=2; c=3");
        assert_eq!(sent(&jar, "a.example.org", "/directory"), "b=2; c=3");
        assert_eq!(sent(&jar, "b.example.org", "/dir/x"), "c=3");
        assert_eq!(sent(&jar, "example.org.evil", "/dir/x"), "");
        assert_eq!(sent(&jar, "notexample.org", "/"), "");
    }

    #[test]
    fn what_is_refused() {
        let jar = jar(&[
            "a=1; domain=org",
            "a=1; domain=other.org",
            "=1",
            "a",
            "b=\u{1}",
            "c=2; domain=b.a.example.org",
        ]);
        assert_eq!(jar.cookies, []);
        let long = format!("a={}", "x".repeat(LONGEST));
        assert_eq!(self::jar(&[&long]).cookies, []);
    }

    #[test]
    fn there_is_a_limit() {
        let many: Vec<String> = (0..5000).map(|n| format!("c{n}=1")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(jar(&many).cookies.len(), MANY_OF_ANSWER);
    }

    #[test]
    fn lines_of_files() {
        let line = b"#HttpOnly_.example.org\tTRUE\t/\tFALSE\t0\tb\ttwo";
        let cookie = of_line(line).unwrap();
        assert!(cookie.http_only && cookie.below && !cookie.secure);
        assert_eq!((cookie.domain.as_slice(), cookie.value.as_slice()), (&b"example.org"[..], &b"two"[..]));
        assert_eq!(of_line(b"# comment"), None);
        assert_eq!(of_line(b"too\tfew"), None);
    }
}
