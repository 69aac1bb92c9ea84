//! One request and its answer, watched: it takes as long as something moves.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use reqwest::{RequestBuilder, Response};
use tokio::time::Instant;

use super::HttpResponse;
use crate::Error;

/// A longer body is sent in pieces of this size, so that it shows whether they are taken.
const PIECE: usize = 256 << 10;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum ExchangeError {
    Broken(reqwest::Error),
    /// Nothing moved for too long.
    Silent,
    /// The body is longer than this many bytes, the limit with this name.
    TooLong(Limit),
    /// It would have to be sent elsewhere, or cannot be sent at all.
    Refused(Error),
}

/// How many bytes of an answer are held in memory, and the option that says so.
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

/// When something was sent last.
#[derive(Clone, Debug)]
pub(super) struct Progress(Arc<Mutex<Option<Instant>>>);

impl Progress {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Instant::now()))))
    }

    pub(super) fn moved(&self) {
        *self.0.lock() = Some(Instant::now());
    }

    /// It is this side that has nothing to send yet.
    pub(super) fn waits(&self) {
        *self.0.lock() = None;
    }

    /// Ends once the other side has taken nothing for so long.
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

/// Sends a request: the head of the answer, which may take that long after the last of the body was sent. `None`: as
/// long as the connection lives.
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

/// The whole answer, if it is not too long.
pub(super) async fn whole(
    mut response: Response,
    idle: Option<Duration>,
    limit: Limit,
) -> Result<HttpResponse, ExchangeError> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    // What it says of its length is believed only if that is too much.
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

/// A body that shows how much of it was taken.
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
