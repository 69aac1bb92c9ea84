//! The head of a request.

use super::options::Job;
use super::place::Place;
use crate::http::base64;
use sandshell_time::{Local, strftime};

/// What differs between the requests for a document.
pub(super) struct Details<'a> {
    pub(super) place: &'a Place,
    pub(super) method: &'a [u8],
    pub(super) body: Option<&'a [u8]>,
    /// Where to go on.
    pub(super) from: u64,
    /// Only what is newer.
    pub(super) since: Option<i64>,
    pub(super) cookies: Option<Vec<u8>>,
    /// `NAME:PASSWORD`, if it is to be sent.
    pub(super) user: Option<&'a [u8]>,
}

/// The whole head.
pub(super) fn head(job: &Job, details: &Details<'_>) -> Vec<u8> {
    let mut fields: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut put = |name: &str, value: Vec<u8>| fields.push((name.as_bytes().to_vec(), value));
    put("Host", details.place.host_header());
    if let Some(referer) = &job.referer {
        put("Referer", referer.clone());
    }
    if let Some(since) = details.since {
        put("If-Modified-Since", date(since));
    }
    if details.from > 0 {
        put("Range", format!("bytes={}-", details.from).into_bytes());
    }
    match &job.agent {
        Some(agent) if agent.is_empty() => {}
        Some(agent) => put("User-Agent", agent.clone()),
        None => put("User-Agent", b"Wget/1.21.3".to_vec()),
    }
    put("Accept", b"*/*".to_vec());
    put("Accept-Encoding", b"identity".to_vec());
    let user = details.user.map(|user| format!("Basic {}", base64(user)).into_bytes());
    // Sent without being asked, it comes before the connection's own fields.
    if let Some(user) = user.clone().filter(|_| job.auth_at_once) {
        put("Authorization", user);
    }
    if job.keeps_alive {
        put("Connection", b"Keep-Alive".to_vec());
    } else {
        put("Connection", b"Close".to_vec());
    }
    if let Some(user) = user.filter(|_| !job.auth_at_once) {
        put("Authorization", user);
    }
    if let Some(cookies) = &details.cookies {
        put("Cookie", cookies.clone());
    }
    if let Some(body) = details.body {
        put("Content-Type", b"application/x-www-form-urlencoded".to_vec());
        put("Content-Length", body.len().to_string().into_bytes());
    }
    for header in &job.headers {
        let at = header.iter().position(|b| *b == b':').unwrap_or(header.len());
        let (name, value) = header.split_at(at);
        let value = value.get(1..).unwrap_or_default().trim_ascii().to_vec();
        // One of its own is replaced where it stands.
        match fields.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some(known) => *known = (name.to_vec(), value),
            None => fields.push((name.to_vec(), value)),
        }
    }
    let mut out = [details.method, b" ", &details.place.path, b" HTTP/1.1\r\n"].concat();
    for (name, value) in fields {
        out.extend_from_slice(&[name.as_slice(), b": ", &value, b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
    out
}

fn date(time: i64) -> Vec<u8> {
    let local = Local::at_offset(time, 0, "GMT");
    let moment = strftime::Moment { local: &local, seconds: time, nanos: 0 };
    strftime::format(b"%a, %d %b %Y %H:%M:%S GMT", &moment)
}
