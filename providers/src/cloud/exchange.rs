//! One request and its answer. It may take any time as long as bytes keep moving.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response};
use tokio::time::Instant;

use crate::Error;

/// A longer body is sent in pieces of this size, so that progress can be seen.
const PIECE: usize = 256 << 10;

/// A whole answer.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Why a request failed.
#[derive(Debug)]
pub(super) enum ExchangeError {
    Broken(reqwest::Error),
    /// No byte was sent or received for too long.
    Silent,
    /// The body is longer than this limit.
    TooLong(Limit),
    /// The request would have to go to another origin, or cannot be sent at all.
    Refused(Error),
}

/// How many bytes of an answer are held in memory, and the name of the option that sets this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) bytes: u64,
    pub(super) option: &'static str,
}

impl From<reqwest::Error> for ExchangeError {
    fn from(error: reqwest::Error) -> Self {
        Self::Broken(error)
    }
}

/// When the last bytes were sent.
#[derive(Clone, Debug)]
pub(super) struct Progress(Arc<Mutex<Option<Instant>>>);

impl Progress {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Instant::now()))))
    }

    pub(super) fn moved(&self) {
        *self.0.lock() = Some(Instant::now());
    }

    /// The client itself has nothing to send yet, so silence does not count.
    pub(super) fn waits(&self) {
        *self.0.lock() = None;
    }

    /// Completes when the other side has accepted no bytes for `longest`.
    async fn silence(&self, longest: Duration) {
        loop {
            let now = Instant::now();
            let end = self.0.lock().unwrap_or(now) + longest;
            if end <= now {
                return;
            }
            tokio::time::sleep_until(end).await;
        }
    }
}

/// Sends a request and waits for the head of the answer, at most for the given time after the last byte of the body
/// was sent; with `None`, as long as the connection lives.
pub(super) async fn exchange(
    request: RequestBuilder,
    progress: &Progress,
    idle: Option<Duration>,
) -> Result<Response, ExchangeError> {
    let sent = request.send();
    match idle {
        None => Ok(sent.await?),
        Some(idle) => tokio::select! {
            response = sent => Ok(response?),
            () = progress.silence(idle) => Err(ExchangeError::Silent),
        },
    }
}

/// The next piece of an answer's body.
pub(super) async fn piece(
    response: &mut Response,
    idle: Option<Duration>,
) -> Result<Option<Bytes>, ExchangeError> {
    let piece = response.chunk();
    match idle {
        None => Ok(piece.await?),
        Some(idle) => Ok(tokio::time::timeout(idle, piece).await.map_err(|_| ExchangeError::Silent)??),
    }
}

/// Reads the whole body of an answer, unless it is longer than the limit.
pub(super) async fn whole(
    mut response: Response,
    idle: Option<Duration>,
    limit: Limit,
) -> Result<HttpResponse, ExchangeError> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    // The announced length is used only to refuse long answers early: it may be wrong.
    if response.content_length().is_some_and(|length| length > limit.bytes) {
        return Err(ExchangeError::TooLong(limit));
    }
    let mut body = Vec::new();
    while let Some(piece) = piece(&mut response, idle).await? {
        if (body.len() as u64).saturating_add(piece.len() as u64) > limit.bytes {
            return Err(ExchangeError::TooLong(limit));
        }
        body.extend_from_slice(&piece);
    }
    Ok(HttpResponse { status, headers, body: body.into() })
}

/// A body that records in `progress` whenever a part of it is taken.
pub(super) fn watched(body: Bytes, progress: &Progress) -> reqwest::Body {
    if body.len() <= PIECE {
        return body.into();
    }
    reqwest::Body::wrap(Slices { rest: body, progress: progress.clone() })
}

struct Slices {
    rest: Bytes,
    progress: Progress,
}

impl Body for Slices {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.progress.moved();
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
