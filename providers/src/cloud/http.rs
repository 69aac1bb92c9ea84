//! Calls over HTTP: repeated where that is safe, each within a deadline.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{ClientBuilder, Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use super::exchange::{Lost, Progress, exchange, piece, watched, whole};
use super::retry::{is_passing, retry_after};
use super::{ClientOptions, Pieces, Secret, bounded};
use crate::backoff::backoff;
use crate::{Error, ErrorKind, FileSink, Result};

/// A connection that carries nothing is asked after this time whether it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// What a vendor's errors mean.
pub(crate) struct Vendor {
    /// Begins every message.
    pub(crate) name: &'static str,
    /// The service's own words out of the body of an error.
    pub(crate) message: fn(&Value) -> Option<String>,
    /// A kind that status and message show, where the status alone would mislead.
    pub(crate) kind: fn(status: u16, message: &str) -> Option<ErrorKind>,
}

/// A connection pool and the rules for using it.
pub(crate) struct Http {
    client: reqwest::Client,
    /// For connections that become sockets, which only the first version of HTTP can.
    sockets: OnceLock<reqwest::Client>,
    vendor: &'static Vendor,
    pub(crate) options: ClientOptions,
}

/// One request.
#[derive(Clone)]
pub(crate) struct Call {
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Bytes,
    /// The service does the same thing once, however often it is asked.
    repeatable: bool,
    /// Instead of the client's own; `None`: only silence ends it.
    deadline: Option<Duration>,
    /// Silence does not end it, as long as the connection lives.
    patient: bool,
}

/// A whole answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Http {
    pub(crate) fn new(vendor: &'static Vendor, options: ClientOptions) -> Result<Self> {
        // TLS looks for a process-wide provider; whoever installed another one first keeps it.
        drop(rustls::crypto::ring::default_provider().install_default());
        let options = options.bounded();
        let client = built(builder(&options))?;
        Ok(Self { client, sockets: OnceLock::new(), vendor, options })
    }

    /// Sends a call that takes at most the client's deadline. An answer that is not a success is an error.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer> {
        self.success(self.answer(call).await?)
    }

    /// The answer, or the error that it is.
    pub(crate) fn success(&self, answer: Answer) -> Result<Answer> {
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(self.refused(&answer)) }
    }

    /// Sends a call; any status is an answer, after what repeating could do about it.
    pub(crate) async fn answer(&self, call: Call) -> Result<Answer> {
        let Some(deadline) = call.deadline.map(bounded) else { return self.attempts(&call, None).await };
        match tokio::time::timeout(deadline, self.attempts(&call, Some(Instant::now() + deadline))).await {
            Ok(done) => done,
            Err(_) => Err(self.late(deadline)),
        }
    }

    /// Sends a call and leaves the body to be read. Is never repeated once it was sent.
    pub(crate) async fn open(&self, call: Call) -> Result<Response> {
        let deadline = self.options.deadline;
        let response = match tokio::time::timeout(deadline, self.once(&call)).await {
            Ok(response) => response.map_err(|lost| self.lost(lost, false))?,
            Err(_) => return Err(self.late(deadline)),
        };
        if response.status().is_success() {
            return Ok(response);
        }
        self.not_open(response).await
    }

    /// The next piece of an answer that is open.
    pub(crate) async fn piece(&self, response: &mut Response) -> Result<Option<Bytes>> {
        piece(response, Some(self.options.idle_timeout)).await.map_err(|lost| self.lost(lost, false))
    }

    /// Sends a call with a body that can be sent only once. Takes as long as something moves.
    pub(crate) async fn send_pieces(&self, call: Call, body: Pieces) -> Result<Answer> {
        let idle = Some(self.options.idle_timeout);
        let progress = body.progress.clone();
        let request = self.client.request(call.method, &call.url).headers(call.headers);
        let exchanged = async {
            let response = exchange(request.body(reqwest::Body::wrap(body)), &progress, idle).await?;
            whole(response, idle).await
        };
        exchanged.await.map_err(|lost| self.lost(lost, false))
    }

    /// Sends a call whose answer is a file: passes it on while it comes. An answer that is not a success is returned.
    pub(crate) async fn fetch(&self, call: Call, content: FileSink) -> Result<Option<Answer>> {
        let deadline = self.options.deadline;
        let mut response = match tokio::time::timeout(deadline, self.once(&call)).await {
            Ok(response) => response.map_err(|lost| self.lost(lost, true))?,
            Err(_) => return Err(self.late(deadline)),
        };
        let idle = Some(self.options.idle_timeout);
        if !response.status().is_success() {
            return whole(response, idle).await.map(Some).map_err(|lost| self.lost(lost, true));
        }
        while let Some(piece) = piece(&mut response, idle).await.map_err(|lost| self.lost(lost, true))? {
            if content.send(piece).await.is_err() {
                // A reader that goes away wanted no more.
                break;
            }
        }
        Ok(None)
    }

    async fn attempts(&self, call: &Call, deadline: Option<Instant>) -> Result<Answer> {
        let mut attempt = 0;
        loop {
            let done = match self.once(call).await {
                Ok(response) => whole(response, self.idle(call)).await,
                Err(lost) => Err(lost),
            };
            let last = attempt >= self.options.retries;
            let wait = match &done {
                // It was not sent, or surely not acted upon.
                Err(Lost::Broken(error)) if error.is_connect() => None,
                Ok(answer) if answer.status == 429 => retry_after(&answer.headers),
                _ if !call.repeatable => return self.done(done, call),
                Err(_) => None,
                Ok(answer) if is_passing(answer.status) && self.kind(answer).is_none() => {
                    retry_after(&answer.headers)
                }
                Ok(_) => return self.done(done, call),
            };
            let wait = wait.unwrap_or_else(|| backoff(attempt));
            if last || deadline.is_some_and(|deadline| Instant::now() + wait >= deadline) {
                return self.done(done, call);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    fn done(&self, done: Result<Answer, Lost>, call: &Call) -> Result<Answer> {
        done.map_err(|lost| self.lost(lost, call.repeatable))
    }

    async fn once(&self, call: &Call) -> Result<Response, Lost> {
        let progress = Progress::new();
        let request = self.client.request(call.method.clone(), &call.url).headers(call.headers.clone());
        exchange(request.body(watched(call.body.clone(), &progress)), &progress, self.idle(call)).await
    }

    /// How long nothing may move, where no deadline says it.
    fn idle(&self, call: &Call) -> Option<Duration> {
        (call.deadline.is_none() && !call.patient).then_some(self.options.idle_timeout)
    }

    /// Makes the connection of a call into a socket of this protocol.
    pub(crate) async fn upgrade(&self, call: &Call) -> Result<Response> {
        let client = kept(&self.sockets, || builder(&self.options).http1_only())?;
        let request = client.request(call.method.clone(), &call.url).headers(call.headers.clone());
        let deadline = self.options.deadline;
        let response = match tokio::time::timeout(deadline, request.send()).await {
            Ok(response) => response.map_err(|error| self.broken(error, true))?,
            Err(_) => return Err(self.late(deadline)),
        };
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            Ok(response)
        } else {
            self.not_open(response).await
        }
    }

    /// The error for an answer whose body was not to be read at once.
    async fn not_open<T>(&self, response: Response) -> Result<T> {
        let deadline = self.options.deadline;
        match tokio::time::timeout(deadline, whole(response, None)).await {
            Ok(answer) => Err(self.refused(&answer.map_err(|lost| self.lost(lost, false))?)),
            Err(_) => Err(self.late(deadline)),
        }
    }

    fn kind(&self, answer: &Answer) -> Option<ErrorKind> {
        (self.vendor.kind)(answer.status, &self.message(answer))
    }

    /// The service's words, or the beginning of what it sent instead.
    pub(crate) fn message(&self, answer: &Answer) -> String {
        let told = serde_json::from_slice(&answer.body).ok().and_then(|body| (self.vendor.message)(&body));
        told.unwrap_or_else(|| String::from_utf8_lossy(&answer.body).chars().take(300).collect())
    }

    /// The error for an answer that is not a success.
    pub(crate) fn refused(&self, answer: &Answer) -> Error {
        let message = self.message(answer);
        let kind = (self.vendor.kind)(answer.status, &message).unwrap_or(match answer.status {
            400 | 413 | 422 => ErrorKind::InvalidRequest,
            401 => ErrorKind::Unauthenticated,
            402 => ErrorKind::QuotaExceeded,
            403 => ErrorKind::PermissionDenied,
            404 => ErrorKind::NotFound,
            409 => ErrorKind::Conflict,
            410 => ErrorKind::SandboxEnded,
            408 | 504 => ErrorKind::DeadlineExceeded,
            429 => ErrorKind::RateLimited,
            500..=599 => ErrorKind::Unavailable,
            _ => ErrorKind::Unexpected,
        });
        let error = self.error(kind, format!("{} {message}", answer.status));
        if kind == ErrorKind::RateLimited { error.retry_after(retry_after(&answer.headers)) } else { error }
    }

    /// An error that begins with the vendor's name.
    pub(crate) fn error(&self, kind: ErrorKind, message: impl fmt::Display) -> Error {
        Error::new(kind, format!("{}: {message}", self.vendor.name))
    }

    /// An answer in an unknown form.
    pub(crate) fn malformed(&self, why: impl fmt::Display) -> Error {
        self.error(ErrorKind::Unexpected, format!("the service's answer is malformed: {why}"))
    }

    pub(crate) fn late(&self, deadline: Duration) -> Error {
        let seconds = deadline.as_secs_f64();
        self.error(ErrorKind::DeadlineExceeded, format!("no answer within {seconds} seconds"))
    }

    fn lost(&self, lost: Lost, repeatable: bool) -> Error {
        match lost {
            Lost::Broken(error) => self.broken(error, repeatable),
            Lost::Silent => {
                let error = self.silent();
                if repeatable { error.retry_after(None) } else { error }
            }
        }
    }

    /// A service that takes and sends nothing.
    pub(crate) fn silent(&self) -> Error {
        let seconds = self.options.idle_timeout.as_secs_f64();
        self.error(ErrorKind::DeadlineExceeded, format!("the service fell silent for {seconds} seconds"))
    }

    /// A connection that failed.
    pub(crate) fn broken(&self, error: reqwest::Error, repeatable: bool) -> Error {
        let unsent = error.is_connect();
        let (kind, what) = match () {
            () if unsent => (ErrorKind::Unavailable, "the service cannot be reached"),
            () if error.is_builder() => (ErrorKind::InvalidRequest, "the address is wrong"),
            () => (ErrorKind::Unavailable, "the connection broke"),
        };
        let error = self.error(kind, what).with_source(error.without_url());
        if unsent || repeatable { error.retry_after(None) } else { error }
    }

    /// The JSON of an answer.
    pub(crate) fn parse<T: DeserializeOwned>(&self, answer: &Answer) -> Result<T> {
        serde_json::from_slice(&answer.body).map_err(|error| self.malformed(error))
    }

    /// A call to `url` within the client's deadline, repeated if the method allows it.
    pub(crate) fn call(&self, method: Method, url: String) -> Call {
        let repeatable = matches!(method, Method::GET | Method::HEAD | Method::PUT | Method::DELETE);
        let deadline = Some(self.options.deadline);
        Call {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            repeatable,
            deadline,
            patient: false,
        }
    }
}

impl Call {
    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub(crate) fn body(mut self, kind: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", kind)
    }

    /// Adds a header. A value that cannot be one is left out; the service then says what it misses.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }

    /// Adds a header that no log shows.
    pub(crate) fn secret(mut self, name: &'static str, prefix: &str, secret: &Secret) -> Self {
        if let Ok(mut value) = HeaderValue::from_str(&format!("{prefix}{}", secret.expose())) {
            value.set_sensitive(true);
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }

    /// May be sent again although it is a POST.
    pub(crate) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Takes another time than the client's; `None`: as long as something moves.
    pub(crate) fn deadline(mut self, deadline: Option<Duration>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Takes as long as the connection lives: a command may be silent for hours.
    pub(crate) fn patient(mut self) -> Self {
        (self.deadline, self.patient) = (None, true);
        self
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("vendor", &self.vendor.name).finish_non_exhaustive()
    }
}

fn builder(options: &ClientOptions) -> ClientBuilder {
    let builder = reqwest::Client::builder()
        .user_agent(concat!("sandshell/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(options.connect_timeout)
        .tcp_keepalive(KEEP_ALIVE)
        .tcp_nodelay(true);
    if options.http2 { builder.http2_prior_knowledge() } else { builder }
}

fn built(builder: ClientBuilder) -> Result<reqwest::Client> {
    builder.build().map_err(|error| {
        Error::new(ErrorKind::Unexpected, "the HTTP client could not be made").with_source(error)
    })
}

/// A client that is made when it is first needed.
fn kept(
    place: &OnceLock<reqwest::Client>,
    builder: impl FnOnce() -> ClientBuilder,
) -> Result<&reqwest::Client> {
    match place.get() {
        Some(client) => Ok(client),
        None => {
            let client = built(builder())?;
            Ok(place.get_or_init(|| client))
        }
    }
}

const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// `text` as one segment of a path, or one part of a query.
pub(crate) fn encode(text: &str) -> Cow<'_, str> {
    utf8_percent_encode(text, &PLAIN).into()
}

/// `?name=value&…`, or nothing.
pub(crate) fn query(pairs: &[(&str, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}
