//! Helpers for requests and answers.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::{Next, map_response};
use bytes::{Bytes, BytesMut};
use http_body::Frame;
use percent_encoding::percent_decode_str;
use sandshell_providers::json_size::values;
use sandshell_server::{patient, steady};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use crate::room::{Full, Room, SHORT, What, held, wanted_after};

pub(crate) type HttpAnswer = Response<Body>;

/// Makes a service's error answer from an HTTP status and a message.
pub(crate) type Refusal = fn(u16, &str) -> HttpAnswer;

/// The largest body that is read before a service asks for it.
pub(crate) const SHORT_BODY: usize = 1 << 20;

/// The largest body that is read: a file of 1 GiB with the form around it.
pub(crate) const LARGEST_BODY: usize = (1 << 30) + SHORT_BODY;

pub(crate) fn json(status: u16, body: &Value) -> HttpAnswer {
    match held(body.to_string().into()) {
        Ok(body) => answer(status, "application/json", body),
        Err(full) => crowded(full),
    }
}

/// The answer if there is no room for the right one, in a form that every vendor's SDK understands.
pub(crate) fn crowded(full: Full) -> HttpAnswer {
    let message = full.to_string();
    let body = json!({
        "statusCode": 503,
        "code": "unavailable",
        "message": message,
        "detail": message,
        "error": {"code": "unavailable", "message": message},
        "success": false,
    });
    answer(503, "application/json", body.to_string())
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
    // One connection can have thousands of answers that nobody reads, so only a little of each is waiting.
    let (sender, receiver) = mpsc::channel(2);
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

/// The largest body that is read by a service that does not expect a file.
pub(crate) const PLAIN_BODY: usize = 4 << 20;

/// How long the whole of a short body may take to arrive, with the time in which it waits for others.
const SHORT_TIME: Duration = Duration::from_secs(60);

/// How long the rest of it may take when it does not wait for others.
const REST_TIME: Duration = Duration::from_secs(10);

/// How many mebibytes of short bodies may be on their way at the same time, over all clients.
static ARRIVING: Semaphore = Semaphore::const_new(512);

/// Reads the whole body of a request; `None` if it breaks off, pauses too long, is too slow or too large. A long one
/// waits until there is room for it.
pub(crate) async fn read(body: Body) -> Option<Bytes> {
    read_within(body, LARGEST_BODY).await
}

/// As [`read`], of a request whose signature is not known to be right before all of it is there. It keeps no room from
/// others.
pub(crate) async fn read_unproven(body: Body) -> Option<Bytes> {
    read_into(What::Unproven, body, LARGEST_BODY).await
}

/// As [`read`], of a body of at most this length.
pub(crate) async fn read_within(body: Body, longest: usize) -> Option<Bytes> {
    read_into(What::Bodies, body, longest).await
}

async fn read_into(what: What, body: Body, longest: usize) -> Option<Bytes> {
    let body = steady(body, SILENCE);
    let length = body.size_hint().upper().unwrap_or(longest as u64);
    if length > longest as u64 {
        return None;
    }
    if length <= SHORT_BODY as u64 {
        return axum::body::to_bytes(body, SHORT_BODY).await.ok();
    }
    let length = usize::try_from(length).ok()?;
    let room = Room::soon(what, length).await?;
    let time = Duration::from_secs(10) + Duration::from_secs((length / FAIR) as u64);
    tokio::select! {
        bytes = axum::body::to_bytes(body, longest) => Some(room.holding(bytes.ok()?)),
        () = wanted_after(time) => None,
    }
}

/// How many bytes a second come of a body that keeps its room when others wait for it.
const FAIR: usize = 4 << 20;

/// How many bytes are inflated before the room for them is asked for.
const INFLATED: usize = 1 << 20;

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    TooLong,
    /// It breaks off or pauses too long.
    Broken,
    Full(Full),
}

/// Reads a body of at most this length, whose own length is not known before. It takes room as it arrives.
pub(crate) async fn collect(body: Body, longest: usize) -> Result<Bytes, Unread> {
    let mut body = steady(body, SILENCE);
    let (mut bytes, mut room) = (BytesMut::new(), Room::none(What::Pieces));
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else { continue };
        let length = bytes.len().saturating_add(data.len());
        if length > longest {
            return Err(Unread::TooLong);
        }
        if length > SHORT {
            room.reach(length).map_err(Unread::Full)?;
        }
        bytes.extend_from_slice(&data);
    }
    Ok(room.holding(bytes.freeze()))
}

/// Reads what is compressed in `text`, at most `longest` bytes. It can have a thousand times the length of the text, so
/// it takes room as it is read, on a thread where nobody waits for its end.
pub(crate) async fn inflated<R: Read + Send + 'static>(mut text: R, longest: usize) -> Result<Bytes, Unread> {
    let work = move || {
        let (mut bytes, mut room) = (Vec::new(), Room::none(What::Pieces));
        loop {
            let piece = Read::by_ref(&mut text).take(INFLATED as u64).read_to_end(&mut bytes);
            if piece.map_err(|_| Unread::Broken)? == 0 {
                return Ok(room.holding(bytes.into()));
            }
            if bytes.len() > longest {
                return Err(Unread::TooLong);
            }
            room.reach(bytes.len()).map_err(Unread::Full)?;
        }
    };
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Unread::Broken))
}

/// Rewrites errors of the router itself, which no service sees, in the service's form.
pub(crate) fn with_refusals(router: Router, refusal: Refusal) -> Router {
    router.layer(map_response(move |answer: HttpAnswer| async move {
        let kind = answer.headers().get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        match answer.status() {
            StatusCode::METHOD_NOT_ALLOWED => refusal(405, "the method is not allowed here"),
            StatusCode::PAYLOAD_TOO_LARGE if kind.starts_with(b"text/plain") => {
                refusal(413, &format!("the body has more than {PLAIN_BODY} bytes"))
            }
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
        // Standard input over gRPC may pause as long as its client likes.
        if length.is_none() && request.uri().path().starts_with("/modal.") {
            return next.run(request).await;
        }
        return next.run(request.map(|body| patient(body, SILENCE))).await;
    }
    let (head, body) = request.into_parts();
    match tokio::time::timeout(SHORT_TIME, short(body, length.unwrap_or(SHORT_BODY))).await {
        Ok(Some(body)) => next.run(Request::from_parts(head, body.into())).await,
        Ok(None) | Err(_) => empty(400),
    }
}

/// Reads a short body. One connection over HTTP/2 can begin thousands of them, so they wait for each other, but not for
/// one of which nothing comes.
async fn short(mut body: Body, length: usize) -> Option<Bytes> {
    if length <= SHORT {
        return axum::body::to_bytes(body, SHORT_BODY).await.ok();
    }
    let mut bytes = BytesMut::new();
    more(&mut body, &mut bytes, SHORT).await?;
    let _arriving = ARRIVING.acquire().await.ok()?;
    let rest = more(&mut body, &mut bytes, SHORT_BODY + 1);
    tokio::time::timeout(REST_TIME, rest).await.ok()??;
    (bytes.len() <= SHORT_BODY).then(|| bytes.freeze())
}

/// Reads a body until it ends, or until there are so many bytes; `None` if it breaks off.
async fn more(body: &mut Body, bytes: &mut BytesMut, enough: usize) -> Option<()> {
    while bytes.len() < enough
        && let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
    {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Some(())
}

/// The largest message of a WebSocket.
pub(crate) const LARGEST_MESSAGE: usize = 16 << 20;

/// Parses a body that is a JSON object. An empty body counts as an empty object.
pub(crate) fn object(body: &[u8]) -> Option<Value> {
    if body.is_empty() {
        return Some(Value::Object(serde_json::Map::new()));
    }
    parsed(body).filter(Value::is_object)
}

/// How many values the JSON of a request may have. Each takes up to a hundred times the memory of its text.
pub(crate) const MOST_VALUES: usize = 1 << 16;

/// Parses JSON of a client; `None` if it is none, or has too many values.
pub(crate) fn parsed(text: &[u8]) -> Option<Value> {
    (values(text) <= MOST_VALUES).then(|| serde_json::from_slice(text).ok())?
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

/// How many parts a form may have. Each takes more memory than its text.
const MOST_PARTS: usize = 20_000;

/// The longest head of a part, which is held several times.
const LONGEST_PART_HEAD: usize = 64 << 10;

/// The parts of a `multipart/form-data` body; `None` if it is something else, or has too many or one with too long a
/// head.
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
        if parts.len() == MOST_PARTS {
            return None;
        }
        let near = body.get(..body.len().min(at + LONGEST_PART_HEAD))?;
        let head_ends = find(near, at, b"\r\n\r\n")?;
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
    fn json_that_takes_far_more_memory_than_its_text_is_refused() {
        let long = "x".repeat(3 << 20);
        let quoted = json!({"text": long, "more": ["a", r#",[{"\"#.repeat(100_000)]}).to_string();
        assert!(parsed(quoted.as_bytes()).is_some());
        for bomb in ["0,", "[],", r#"{"":0},"#] {
            let many = format!("[{}0]", bomb.repeat(MOST_VALUES));
            assert_eq!(parsed(many.as_bytes()), None, "{bomb}");
        }
        assert_eq!(values(br#"{"a": ["b,c", {"d\\": 1}], "e\"": 2}"#), 5);
        // Broken text ends.
        for broken in ["\"", "\"\\", "\"\\\"", "[\"a"] {
            assert_eq!(parsed(broken.as_bytes()), None);
        }
    }

    #[test]
    fn forms_have_a_limited_number_of_parts() {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "multipart/form-data; boundary=X".parse().expect("a value"));
        let form = |count: usize| Bytes::from(format!("{}--X--\r\n", "--X\r\n\r\n\r\n".repeat(count)));
        assert_eq!(multipart(&headers, &form(MOST_PARTS)).map(|parts| parts.len()), Some(MOST_PARTS));
        assert!(multipart(&headers, &form(MOST_PARTS + 1)).is_none());
    }

    #[test]
    fn heads_of_parts_have_a_limited_length() {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "multipart/form-data; boundary=X".parse().expect("a value"));
        let form = |length: usize| {
            let parts = [&b"--X\r\na: "[..], &vec![0xff; length], b"\r\n\r\ncontent\r\n--X--\r\n"];
            multipart(&headers, &parts.concat().into()).map(|parts| parts.len())
        };
        assert_eq!((form(60_000), form(70_000)), (Some(1), None));
    }

    /// A short body of which no more than its first bytes arrives.
    struct Begun(Option<Bytes>);

    impl http_body::Body for Begun {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.take().map_or(Poll::Pending, |bytes| Poll::Ready(Some(Ok(Frame::data(bytes)))))
        }
    }

    #[tokio::test]
    async fn short_bodies_of_which_nothing_comes_keep_no_others_out() {
        let begun = |bytes: usize| Box::pin(short(Body::new(Begun(Some(vec![0; bytes].into()))), SHORT_BODY));
        let mut silent: Vec<_> = (0..1000).map(|_| begun(100)).collect();
        for body in &mut silent {
            let read = std::future::poll_fn(|cx| Poll::Ready(body.as_mut().poll(cx))).await;
            assert!(read.is_pending());
        }
        let whole = short(Body::from(vec![7; 300_000]), 300_000);
        let read = tokio::time::timeout(Duration::from_secs(20), whole).await;
        assert_eq!(read.expect("it does not wait").map(|bytes| bytes.len()), Some(300_000));
    }

    /// A body of the largest length of which nothing arrives.
    struct Never;

    impl http_body::Body for Never {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }

        fn size_hint(&self) -> http_body::SizeHint {
            http_body::SizeHint::with_exact(LARGEST_BODY as u64)
        }
    }

    #[tokio::test]
    async fn what_is_not_proven_takes_no_room_of_others() {
        let mut reading = Box::pin(read_unproven(Body::new(Never)));
        let begun = std::future::poll_fn(|cx| Poll::Ready(reading.as_mut().poll(cx))).await;
        assert!(begun.is_pending());
        assert!(Room::now(What::Unproven, LARGEST_BODY).is_err(), "its room is another's");
        drop(reading);
        assert!(Room::now(What::Unproven, LARGEST_BODY).is_ok());
    }

    #[tokio::test]
    async fn what_is_inflated_has_a_limit() {
        assert_eq!(inflated(std::io::repeat(0), 3 << 20).await.err(), Some(Unread::TooLong));
        let read = inflated(&b"text"[..], 3 << 20).await;
        assert_eq!(read.ok().as_deref(), Some(&b"text"[..]));
    }

    #[tokio::test]
    async fn a_body_without_a_length_is_read_to_its_limit() {
        let body = || Body::from(vec![7; 300_000]);
        assert_eq!(collect(body(), 300_000).await.map(|bytes| bytes.len()), Ok(300_000));
        assert_eq!(collect(body(), 299_999).await.err(), Some(Unread::TooLong));
    }

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
