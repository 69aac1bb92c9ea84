//! Helpers for requests and answers.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::{Next, map_response};
use bytes::Bytes;
use http_body::Frame;
use percent_encoding::percent_decode_str;
use sandshell_server::patient;
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};

pub(crate) type HttpAnswer = Response<Body>;

/// Makes a service's error answer from an HTTP status and a message.
pub(crate) type Refusal = fn(u16, &str) -> HttpAnswer;

/// The largest body that is read before a service asks for it.
pub(crate) const SHORT_BODY: usize = 1 << 20;

/// The largest body that is read: a file of 1 GiB with the form around it.
const LARGEST_BODY: usize = (1 << 30) + SHORT_BODY;

pub(crate) fn json(status: u16, body: &Value) -> HttpAnswer {
    answer(status, "application/json", body.to_string())
}

pub(crate) fn answer(status: u16, kind: &'static str, body: impl Into<Body>) -> HttpAnswer {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// An answer without a body.
pub(crate) fn empty(status: u16) -> HttpAnswer {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer
}

/// An answer whose body is sent in pieces, until the sender is dropped.
pub(crate) fn stream(kind: &'static str) -> (mpsc::Sender<Bytes>, HttpAnswer) {
    let (sender, receiver) = mpsc::channel(16);
    (sender, answer(200, kind, Body::new(Pieces(receiver))))
}

struct Pieces(mpsc::Receiver<Bytes>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// How long a body may pause while all of it is read.
const SILENCE: Duration = Duration::from_secs(60);

/// How many mebibytes of long bodies are held at the same time, over all clients. Further bodies wait.
static ROOM: Semaphore = Semaphore::const_new(2048);

/// Reads the whole body of a request; `None` if it breaks off, pauses too long or is too large.
pub(crate) async fn read(body: Body) -> Option<Bytes> {
    let body = patient(body, SILENCE);
    let length = body.size_hint().upper().unwrap_or(LARGEST_BODY as u64);
    if length > LARGEST_BODY as u64 {
        return None;
    }
    if length <= SHORT_BODY as u64 {
        return axum::body::to_bytes(body, SHORT_BODY).await.ok();
    }
    let room = ROOM.acquire_many(u32::try_from(length.div_ceil(1 << 20)).ok()?).await.ok()?;
    let bytes = axum::body::to_bytes(body, LARGEST_BODY).await.ok()?;
    Some(Bytes::from_owner(Held { bytes, _room: room }))
}

/// A long body, with the permit for its memory.
struct Held {
    bytes: Bytes,
    _room: SemaphorePermit<'static>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Rewrites errors of the router itself, which no service sees, in the service's form.
pub(crate) fn with_refusals(router: Router, refusal: Refusal) -> Router {
    router.layer(map_response(move |answer: HttpAnswer| async move {
        let kind = answer.headers().get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        match answer.status() {
            StatusCode::METHOD_NOT_ALLOWED => refusal(405, "the method is not allowed here"),
            StatusCode::BAD_REQUEST if kind.starts_with(b"text/plain") => {
                refusal(400, "the address cannot be read")
            }
            _ => answer,
        }
    }))
}

/// Gives requests of both HTTP versions the same form, and reads short bodies before the request is handled. If a
/// body is not read before the answer is sent, the connection ends, and clients that have already begun the next
/// request on it fail.
pub(crate) async fn prepared(mut request: Request, next: Next) -> HttpAnswer {
    // HTTP/2 has the host in the URI.
    let host = request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
    if let Some(host) = host {
        request.headers_mut().entry(header::HOST).or_insert(host);
    }
    let length = text(request.headers(), "content-length").and_then(|length| length.parse::<usize>().ok());
    if length.is_none_or(|length| length == 0 || length > SHORT_BODY) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    match axum::body::to_bytes(patient(body, SILENCE), SHORT_BODY).await {
        Ok(body) => next.run(Request::from_parts(head, body.into())).await,
        Err(_) => empty(400),
    }
}

/// Parses a body that is a JSON object. An empty body counts as an empty object.
pub(crate) fn object(body: &[u8]) -> Option<Value> {
    if body.is_empty() {
        return Some(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_slice(body).ok().filter(Value::is_object)
}

/// The members of an object that are strings.
pub(crate) fn strings(value: &Value) -> BTreeMap<String, String> {
    let members = value.as_object().into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// The token in `Authorization: Bearer`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    text(headers, "authorization")?.strip_prefix("Bearer ").map(str::trim).filter(|token| !token.is_empty())
}

/// The URL under which the client reached this service.
pub(crate) fn own_url(headers: &HeaderMap) -> String {
    format!("http://{}", text(headers, "host").unwrap_or("127.0.0.1"))
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The parts of a query, decoded.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn new(query: Option<&str>) -> Self {
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(&name.replace('+', " ")), decode(&value.replace('+', " ")))
                })
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// All names and their values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// All values of a name, which may occur several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
}

pub(crate) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A part of a form.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    pub(crate) content: Bytes,
}

/// The parts of a `multipart/form-data` body; `None` if it is something else.
pub(crate) fn multipart(headers: &HeaderMap, body: &Bytes) -> Option<Vec<Part>> {
    let kind = text(headers, "content-type")?;
    let (form, rest) = kind.split_once("boundary=")?;
    if !form.trim_start().starts_with("multipart/form-data") {
        return None;
    }
    let boundary = rest.split(';').next().unwrap_or(rest).trim().trim_matches('"');
    let between = [b"\r\n--", boundary.as_bytes()].concat();
    // The first boundary has no line end before it.
    let mut at = find(body, 0, between.get(2..)?)? + between.len() - 2;
    let mut parts = Vec::new();
    loop {
        let rest = body.get(at..)?;
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        let head_ends = find(body, at, b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(body.get(at..head_ends)?).into_owned();
        let content_ends = find(body, head_ends + 2, &between)?;
        let content = body.slice((head_ends + 4).min(content_ends)..content_ends);
        let disposition = head
            .split("\r\n")
            .find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))
            .unwrap_or_default();
        let name = parameter(disposition, "name").unwrap_or_default();
        parts.push(Part { name, file_name: parameter(disposition, "filename"), content });
        at = content_ends + between.len();
    }
}

/// The value of `name="value"` in a header. Quotes and line ends are percent-encoded, as browsers do.
fn parameter(header: &str, name: &str) -> Option<String> {
    let start = header.find(&format!("; {name}=\"")).map(|at| at + name.len() + 4)?;
    let value = header.get(start..)?;
    let value = value.get(..value.find('"')?)?;
    Some(value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
}

fn find(body: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    memchr::memmem::find(body.get(from..)?, what).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_text_and_files() {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "multipart/form-data; boundary=X".parse().expect("a value"));
        let body = "--X\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n/a\r\n--X\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a%22b\"\r\nContent-Type: x\r\n\r\nline\r\n--Y\r\n--X--\r\n";
        let parts = multipart(&headers, &Bytes::from(body)).expect("a form");
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].name.as_str(), &parts[0].content[..]), ("path", &b"/a"[..]));
        assert_eq!(parts[1].file_name.as_deref(), Some("a\"b"));
        assert_eq!(&parts[1].content[..], b"line\r\n--Y");
        for bad in ["", "--X", "--X\r\n", "--X\r\n\r\n", "--X\r\n\r\nabc\r\n--"] {
            assert!(multipart(&headers, &Bytes::from(bad)).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn queries_are_decoded() {
        let query = Query::new(Some("a=1+2&b=%2Fx%3D&c"));
        assert_eq!((query.get("a"), query.get("b"), query.get("c")), (Some("1 2"), Some("/x="), Some("")));
        assert_eq!(Query::new(None).get("a"), None);
    }
}
