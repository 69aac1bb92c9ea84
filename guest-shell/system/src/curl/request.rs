//! The head of a request.

use super::job::Job;
use super::url::Url;
use crate::http::base64;
use sandshell_time::{Local, strftime};

/// How long the body of a request is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// There is no body.
    None,
    Known(u64),
    /// It is sent in chunks.
    Chunked,
}

/// What differs between the requests of a transfer.
pub(super) struct Details<'a> {
    pub(super) url: &'a Url,
    pub(super) method: &'a [u8],
    pub(super) length: Length,
    /// The type of the body, if it has one by itself.
    pub(super) kind: Option<&'a [u8]>,
    /// `bytes=` is added for a download, `bytes ` and the size for an upload.
    pub(super) range: Option<Vec<u8>>,
    /// The value of `Cookie`.
    pub(super) cookies: Option<Vec<u8>>,
    pub(super) referer: Option<&'a [u8]>,
    pub(super) user: Option<&'a [u8]>,
    /// Whether what the user gave for the first host may go to this one.
    pub(super) is_trusted: bool,
    pub(super) expects: bool,
    pub(super) by_proxy: bool,
    pub(super) http10: bool,
}

/// The whole head.
pub(super) fn head(job: &Job, details: &Details<'_>) -> Vec<u8> {
    let custom = Custom { headers: &job.request.headers, is_trusted: details.is_trusted };
    let mut out = Vec::new();
    let target = match &job.request.target {
        Some(target) => target.clone(),
        None if details.by_proxy => absolute(details.url),
        None => details.url.path.clone(),
    };
    let version: &[u8] = if details.http10 { b" HTTP/1.0\r\n" } else { b" HTTP/1.1\r\n" };
    out.extend_from_slice(&[details.method, b" ", &target, version].concat());
    let mut put = |name: &str, value: &[u8]| {
        if !custom.has(name) {
            out.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
    };
    match custom.value("Host") {
        Some(host) if !host.is_empty() => {
            out.extend_from_slice(&[b"Host: ", host, b"\r\n"].concat());
        }
        Some(_) => {}
        None => put("Host", &host_header(details.url)),
    }
    let mut put = |name: &str, value: &[u8]| {
        if !custom.has(name) {
            out.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
    };
    if let Some(token) = job.request.bearer.as_ref().filter(|_| details.is_trusted) {
        put("Authorization", &[b"Bearer ", token.as_slice()].concat());
    } else if let Some(user) = details.user {
        let user = if user.contains(&b':') { user.to_vec() } else { [user, b":"].concat() };
        put("Authorization", format!("Basic {}", base64(&user)).as_bytes());
    }
    if let Some(range) = &details.range {
        let name = if range.starts_with(b"bytes ") { "Content-Range" } else { "Range" };
        put(name, range);
    }
    match &job.request.agent {
        Some(agent) if agent.is_empty() => {}
        Some(agent) => put("User-Agent", agent),
        None => put("User-Agent", b"curl/7.88.1"),
    }
    if !job.request.is_json {
        put("Accept", b"*/*");
    }
    if job.request.transfer_coding {
        put("Connection", b"TE");
        put("TE", b"gzip");
    }
    if job.request.compressed {
        put("Accept-Encoding", b"deflate, gzip");
    }
    if let Some(referer) = details.referer {
        put("Referer", referer);
    }
    if let Some(cookies) = &details.cookies {
        out.extend_from_slice(&[b"Cookie: ", cookies.as_slice(), b"\r\n"].concat());
    }
    if details.by_proxy {
        out.extend_from_slice(b"Proxy-Connection: Keep-Alive\r\n");
    }
    if details.length == Length::Chunked && !custom.has("Transfer-Encoding") {
        out.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
    }
    custom.put(&mut out);
    if job.request.is_json {
        for name in ["Content-Type", "Accept"] {
            if !custom.has(name) && (name == "Accept" || details.length != Length::None) {
                out.extend_from_slice(format!("{name}: application/json\r\n").as_bytes());
            }
        }
    }
    if let Some((time, older)) = job.request.since {
        let name = if older { "If-Unmodified-Since" } else { "If-Modified-Since" };
        let local = Local::at_offset(time, 0, "GMT");
        let moment = strftime::Moment { local: &local, seconds: time, nanos: 0 };
        let date = strftime::format(b"%a, %d %b %Y %H:%M:%S GMT", &moment);
        out.extend_from_slice(&[name.as_bytes(), b": ", &date, b"\r\n"].concat());
    }
    if let Length::Known(size) = details.length
        && !custom.has("Content-Length")
    {
        out.extend_from_slice(format!("Content-Length: {size}\r\n").as_bytes());
    }
    if let Some(kind) = details.kind.filter(|_| !custom.has("Content-Type") && !job.request.is_json) {
        out.extend_from_slice(&[b"Content-Type: ", kind, b"\r\n"].concat());
    }
    if details.expects && !custom.has("Expect") {
        out.extend_from_slice(b"Expect: 100-continue\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out
}

fn host_header(url: &Url) -> Vec<u8> {
    let host =
        if url.host.contains(&b':') { [b"[", url.host.as_slice(), b"]"].concat() } else { url.host.clone() };
    if url.port_is_default { host } else { [host.as_slice(), format!(":{}", url.port).as_bytes()].concat() }
}

/// The URL as proxies are asked for it.
fn absolute(url: &Url) -> Vec<u8> {
    [url.scheme.as_slice(), b"://", &host_header(url), &url.path].concat()
}

/// `-H`: headers that replace curl's own, or take them away.
pub(super) struct Custom<'a> {
    pub(super) headers: &'a [Vec<u8>],
    pub(super) is_trusted: bool,
}

impl<'a> Custom<'a> {
    /// The value that was given for a header; empty if it was taken away.
    pub(super) fn value(&self, name: &str) -> Option<&'a [u8]> {
        self.headers.iter().find_map(|header| {
            let end = header.iter().position(|b| matches!(b, b':' | b';'))?;
            let (given, value) = header.split_at(end);
            let value = if value.starts_with(b":") { value.get(1..).unwrap_or_default() } else { b"" };
            given.trim_ascii().eq_ignore_ascii_case(name.as_bytes()).then_some(value.trim_ascii())
        })
    }

    fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn put(&self, out: &mut Vec<u8>) {
        for header in self.headers {
            let (name, line) = match header.iter().position(|b| matches!(b, b':' | b';')) {
                Some(at) if header.get(at) == Some(&b':') => {
                    let value = header.get(at + 1..).unwrap_or_default();
                    (header.get(..at), (!value.trim_ascii().is_empty()).then(|| header.clone()))
                }
                // `NAME;` is a header without a value.
                Some(at) if header.get(at + 1..).is_some_and(|rest| rest.trim_ascii().is_empty()) => {
                    let name = header.get(..at).unwrap_or_default();
                    (Some(name), Some([name, b":"].concat()))
                }
                _ => continue,
            };
            let name = name.unwrap_or_default().trim_ascii().to_ascii_lowercase();
            let secret = matches!(name.as_slice(), b"authorization" | b"cookie");
            if name == b"host" || secret && !self.is_trusted {
                continue;
            }
            if let Some(line) = line {
                out.extend_from_slice(&line);
                out.extend_from_slice(b"\r\n");
            }
        }
    }
}
