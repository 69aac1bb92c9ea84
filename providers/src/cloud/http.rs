//! Calls over HTTP: retried if that is safe, each with a deadline.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Method, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use super::exchange::{ExchangeError, HttpResponse, Limit, Progress, exchange, piece, watched, whole};
use super::json;
use super::redirect::{Next, next};
use super::retry::{is_passing, retry_after};
use super::target::target;
use super::{ClientOptions, Pieces, Secret, bounded};
use crate::backoff::backoff;
use crate::{Error, ErrorKind, FileSink, Result};

/// After this time without traffic, a ping checks whether the connection still works.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// The most redirects that one request follows within its origin.
const MOST_REDIRECTS: usize = 5;

/// The longest head of an answer over HTTP/2, in bytes. For HTTP/1 the library has its own limit of some 400 KB.
const LONGEST_HEAD: u32 = 64 << 10;

/// How many characters of a service's message an error repeats.
const LONGEST_MESSAGE: usize = 1000;

/// How a vendor reports errors.
pub(crate) struct Vendor {
    /// Every error message begins with this.
    pub(crate) name: &'static str,
    /// Extracts the service's message from the body of an error.
    pub(crate) message: fn(&Value) -> Option<String>,
    /// The kind of an error whose status alone would be misleading.
    pub(crate) kind: fn(status: u16, message: &str) -> Option<ErrorKind>,
}

/// A connection pool and the rules for using it.
pub(crate) struct Http {
    client: reqwest::Client,
    /// For connections that become WebSockets, which only HTTP/1 supports here.
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
    /// The call is idempotent, so it may be retried.
    repeatable: bool,
    /// The call's deadline. `None`: only silence ends the call.
    deadline: Option<Duration>,
    /// Silence does not end the call while the connection lives.
    patient: bool,
    /// The answer may be as long as a file.
    large: bool,
    /// The first header that cannot be sent.
    wrong: Option<&'static str>,
}

impl Http {
    pub(crate) fn new(vendor: &'static Vendor, options: ClientOptions) -> Result<Self> {
        // TLS uses a process-wide cryptography provider. If another one is already installed, it stays.
        drop(rustls::crypto::ring::default_provider().install_default());
        let options = options.bounded();
        let client = built(builder(&options))?;
        Ok(Self { client, sockets: OnceLock::new(), vendor, options })
    }

    /// Sends a call within its deadline. A status other than success is an error.
    pub(crate) async fn send(&self, call: Call) -> Result<HttpResponse> {
        self.success(self.answer(call).await?)
    }

    /// The answer, or an error if its status is not success.
    pub(crate) fn success(&self, answer: HttpResponse) -> Result<HttpResponse> {
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(self.refused(&answer)) }
    }

    /// Sends a call and retries it where that may help; returns the answer whatever its status is.
    pub(crate) async fn answer(&self, call: Call) -> Result<HttpResponse> {
        let Some(deadline) = call.deadline.map(bounded) else { return self.attempts(&call, None).await };
        match tokio::time::timeout(deadline, self.attempts(&call, Some(Instant::now() + deadline))).await {
            Ok(done) => done,
            Err(_) => Err(self.deadline_exceeded(deadline)),
        }
    }

    /// Sends a call that deletes something. Returns whether it existed.
    pub(crate) async fn remove(&self, call: Call) -> Result<bool> {
        self.removed(&self.answer(call).await?)
    }

    /// Whether something was deleted, or did not exist; an error for any other answer.
    pub(crate) fn removed(&self, answer: &HttpResponse) -> Result<bool> {
        match answer.status {
            200..300 => Ok(true),
            404 => Ok(false),
            _ => Err(self.refused(answer)),
        }
    }

    /// Sends a call and returns the answer with its body still to be read. The call is never retried once it was
    /// sent.
    pub(crate) async fn open(&self, call: Call) -> Result<Response> {
        let deadline = self.options.deadline;
        let response = match tokio::time::timeout(deadline, self.once(&call)).await {
            Ok(response) => response.map_err(|lost| self.lost(lost, false))?,
            Err(_) => return Err(self.deadline_exceeded(deadline)),
        };
        if response.status().is_success() {
            return Ok(response);
        }
        self.not_open(response).await
    }

    /// The next piece of the body of an answer from [`open`](Self::open).
    pub(crate) async fn piece(&self, response: &mut Response) -> Result<Option<Bytes>> {
        piece(response, Some(self.options.idle_timeout)).await.map_err(|lost| self.lost(lost, false))
    }

    /// Sends a call with a body that can be sent only once. It may take any time as long as bytes keep moving.
    pub(crate) async fn send_pieces(&self, call: Call, body: Pieces) -> Result<HttpResponse> {
        let idle = Some(self.options.idle_timeout);
        let progress = body.progress.clone();
        let limit = self.limit(&call);
        let exchanged = async {
            let url = self.target(&call)?;
            let request = self.client.request(call.method.clone(), url.clone()).headers(call.headers);
            let response = exchange(request.body(reqwest::Body::wrap(body)), &progress, idle).await?;
            match next(&response, &url, &call.method) {
                Next::Here => whole(response, idle, limit).await,
                // A body that was sent in pieces cannot be sent again.
                Next::There(elsewhere) | Next::Elsewhere(elsewhere) => {
                    Err(ExchangeError::Refused(self.redirected(&elsewhere)))
                }
            }
        };
        exchanged.await.map_err(|lost| self.lost(lost, false))
    }

    /// Sends a call whose answer is a file, and passes the file on as it arrives. If the status is not success,
    /// returns the answer instead.
    pub(crate) async fn fetch(&self, call: Call, content: FileSink) -> Result<Option<HttpResponse>> {
        let deadline = self.options.deadline;
        let mut response = match tokio::time::timeout(deadline, self.once(&call)).await {
            Ok(response) => response.map_err(|lost| self.lost(lost, true))?,
            Err(_) => return Err(self.deadline_exceeded(deadline)),
        };
        let idle = Some(self.options.idle_timeout);
        if !response.status().is_success() {
            let limit = self.small();
            return whole(response, idle, limit).await.map(Some).map_err(|lost| self.lost(lost, true));
        }
        while let Some(piece) = piece(&mut response, idle).await.map_err(|lost| self.lost(lost, true))? {
            if content.send(piece).await.is_err() {
                // A reader that goes away needs no more.
                break;
            }
        }
        Ok(None)
    }

    async fn attempts(&self, call: &Call, deadline: Option<Instant>) -> Result<HttpResponse> {
        let mut attempt = 0;
        loop {
            let done = match self.once(call).await {
                Ok(response) => whole(response, self.idle(call), self.limit(call)).await,
                Err(lost) => Err(lost),
            };
            let last = attempt >= self.options.retries;
            let wait = match &done {
                // A retry would fail in the same way.
                Err(ExchangeError::TooLong(_) | ExchangeError::Refused(_)) => return self.done(done, call),
                // The request was not sent, so a retry is safe.
                Err(ExchangeError::Broken(error)) if error.is_connect() => None,
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

    fn done(&self, done: Result<HttpResponse, ExchangeError>, call: &Call) -> Result<HttpResponse> {
        done.map_err(|lost| self.lost(lost, call.repeatable))
    }

    /// Sends a request and follows redirects within the same origin.
    async fn once(&self, call: &Call) -> Result<Response, ExchangeError> {
        let mut url = self.target(call)?;
        for _ in 0..=MOST_REDIRECTS {
            let progress = Progress::new();
            let request = self.client.request(call.method.clone(), url.clone()).headers(call.headers.clone());
            let request = request.body(watched(call.body.clone(), &progress));
            let response = exchange(request, &progress, self.idle(call)).await?;
            url = match next(&response, &url, &call.method) {
                Next::Here => return Ok(response),
                Next::There(there) => there,
                Next::Elsewhere(elsewhere) => {
                    return Err(ExchangeError::Refused(self.redirected(&elsewhere)));
                }
            };
        }
        let why = format!("it was redirected more than {MOST_REDIRECTS} times");
        Err(ExchangeError::Refused(self.error(ErrorKind::Unexpected, why)))
    }

    /// The URL of a call, if the call can be sent there.
    fn target(&self, call: &Call) -> Result<Url, ExchangeError> {
        if let Some(name) = call.wrong {
            let why = format!("the header {name} cannot hold this value");
            return Err(ExchangeError::Refused(self.error(ErrorKind::InvalidRequest, why)));
        }
        target(&call.url).map_err(|why| ExchangeError::Refused(self.error(ErrorKind::InvalidRequest, why)))
    }

    /// The error for a redirect to another origin, which would get the credential.
    fn redirected(&self, elsewhere: &Url) -> Error {
        let origin = elsewhere.origin().ascii_serialization();
        self.error(
            ErrorKind::Unexpected,
            format!(
                "the service redirects this request to {origin}, which is not followed, as the credential would go along; \
                 if that is where the service is, set its address to it"
            ),
        )
    }

    /// The length limit for the answer to a call.
    fn limit(&self, call: &Call) -> Limit {
        if call.large {
            Limit { bytes: self.options.max_download, option: "max_download" }
        } else {
            self.small()
        }
    }

    fn small(&self) -> Limit {
        Limit { bytes: self.options.max_answer, option: "max_answer" }
    }

    /// How long a call without a deadline may be silent.
    fn idle(&self, call: &Call) -> Option<Duration> {
        (call.deadline.is_none() && !call.patient).then_some(self.options.idle_timeout)
    }

    /// Upgrades the connection of a call to a WebSocket.
    pub(crate) async fn upgrade(&self, call: &Call) -> Result<Response> {
        let client = made_once(&self.sockets, || builder(&self.options).http1_only())?;
        let url = self.target(call).map_err(|lost| self.lost(lost, false))?;
        let request = client.request(call.method.clone(), url.clone()).headers(call.headers.clone());
        let deadline = self.options.deadline;
        let response = match tokio::time::timeout(deadline, request.send()).await {
            Ok(response) => response.map_err(|error| self.broken(error, true))?,
            Err(_) => return Err(self.deadline_exceeded(deadline)),
        };
        match next(&response, &url, &call.method) {
            Next::Here => {}
            Next::There(elsewhere) | Next::Elsewhere(elsewhere) => return Err(self.redirected(&elsewhere)),
        }
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            Ok(response)
        } else {
            self.not_open(response).await
        }
    }

    /// The error for an answer from [`open`](Self::open) whose status is not success.
    async fn not_open<T>(&self, response: Response) -> Result<T> {
        let deadline = self.options.deadline;
        match tokio::time::timeout(deadline, whole(response, None, self.small())).await {
            Ok(answer) => Err(self.refused(&answer.map_err(|lost| self.lost(lost, false))?)),
            Err(_) => Err(self.deadline_exceeded(deadline)),
        }
    }

    fn kind(&self, answer: &HttpResponse) -> Option<ErrorKind> {
        (self.vendor.kind)(answer.status, &self.message(answer))
    }

    /// The service's message, or the beginning of the body if there is none.
    pub(crate) fn message(&self, answer: &HttpResponse) -> String {
        let message = json::parse(&answer.body).ok().and_then(|body| (self.vendor.message)(&body));
        shown(&message.unwrap_or_else(|| {
            String::from_utf8_lossy(answer.body.get(..1200).unwrap_or(&answer.body)).into()
        }))
    }

    /// The error for an answer that is not a success.
    pub(crate) fn refused(&self, answer: &HttpResponse) -> Error {
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

    /// An error that begins with the vendor's name. The message may be a service's.
    pub(crate) fn error(&self, kind: ErrorKind, message: impl fmt::Display) -> Error {
        Error::new(kind, format!("{}: {}", self.vendor.name, shown(&message.to_string())))
    }

    /// An answer in an unknown form.
    pub(crate) fn malformed(&self, why: impl fmt::Display) -> Error {
        self.error(ErrorKind::Unexpected, format!("the service's answer is malformed: {why}"))
    }

    pub(crate) fn deadline_exceeded(&self, deadline: Duration) -> Error {
        let seconds = deadline.as_secs_f64();
        self.error(ErrorKind::DeadlineExceeded, format!("no answer within {seconds} seconds"))
    }

    fn lost(&self, lost: ExchangeError, repeatable: bool) -> Error {
        match lost {
            ExchangeError::Broken(error) => self.broken(error, repeatable),
            ExchangeError::Silent => {
                let error = self.silent();
                if repeatable { error.retry_after(None) } else { error }
            }
            ExchangeError::TooLong(Limit { bytes, option }) => {
                let why = format!("the service's answer is longer than {bytes} bytes, the limit {option}");
                self.error(ErrorKind::Unexpected, why)
            }
            ExchangeError::Refused(error) => error,
        }
    }

    /// The error for a service that neither accepts nor sends bytes.
    pub(crate) fn silent(&self) -> Error {
        let seconds = self.options.idle_timeout.as_secs_f64();
        self.error(ErrorKind::DeadlineExceeded, format!("the service fell silent for {seconds} seconds"))
    }

    /// The error for a connection that failed.
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

    /// Parses the JSON of an answer.
    pub(crate) fn parse<T: DeserializeOwned>(&self, answer: &HttpResponse) -> Result<T> {
        json::parse(&answer.body).map_err(|error| self.malformed(error))
    }

    /// A call to `url` with the client's deadline. It is retried if the method is idempotent.
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
            large: false,
            wrong: None,
        }
    }

    /// Checks an address from an answer, to which further calls send credentials: it must be HTTP, and encrypted if
    /// the service's own address is.
    ///
    /// # Errors
    ///
    /// `Unexpected` for any other address.
    pub(crate) fn address(&self, service: &str, named: &str) -> Result<String> {
        super::target::address(service, named).map_err(|why| self.malformed(why))
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

    /// Adds a header. If its value is not allowed in a header, the call fails without being sent.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => drop(self.headers.insert(HeaderName::from_static(name), value)),
            Err(_) => self.wrong = self.wrong.or(Some(name)),
        }
        self
    }

    /// Adds a header that logs do not show.
    pub(crate) fn secret(mut self, name: &'static str, prefix: &str, secret: &Secret) -> Self {
        match HeaderValue::from_str(&format!("{prefix}{}", secret.expose())) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.headers.insert(HeaderName::from_static(name), value);
            }
            Err(_) => self.wrong = self.wrong.or(Some(name)),
        }
        self
    }

    /// Allows a long answer, for a file or a command's output.
    pub(crate) fn large(mut self) -> Self {
        self.large = true;
        self
    }

    /// Allows retries although the method is POST.
    pub(crate) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Sets a deadline other than the client's; `None`: the call may take any time as long as bytes keep moving.
    pub(crate) fn deadline(mut self, deadline: Option<Duration>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Lets the call take as long as the connection lives: a command may be silent for hours.
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
        // Redirects are handled in this file: the library would pass on credentials in headers that it does not
        // know.
        .redirect(Policy::none())
        .referer(false)
        // Without compression, a small body cannot expand to a large one.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .http2_max_header_list_size(LONGEST_HEAD)
        .tcp_keepalive(KEEP_ALIVE)
        .tcp_nodelay(true);
    if options.http2 { builder.http2_prior_knowledge() } else { builder }
}

fn built(builder: ClientBuilder) -> Result<reqwest::Client> {
    builder.build().map_err(|error| {
        Error::new(ErrorKind::Unexpected, "the HTTP client could not be made").with_source(error)
    })
}

/// Returns a client that is made when it is first needed.
fn made_once(
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

/// A service's message for display: shortened, and without control characters.
fn shown(text: &str) -> String {
    let plain =
        |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().take(LONGEST_MESSAGE).map(plain).collect()
}

/// Encodes `text` as one part of a query. For a part of a path use [`segment`](super::segment).
pub(crate) fn encode(text: &str) -> Cow<'_, str> {
    utf8_percent_encode(text, &PLAIN).into()
}

/// `?name=value&…`, or nothing.
pub(crate) fn query(pairs: &[(&str, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}
