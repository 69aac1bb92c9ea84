//! Bodies of requests that stop arriving, and of answers that are counted.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};

/// Wraps a body so that it fails if no part of it arrives for `longest`.
///
/// This is not for bodies with long pauses, such as one with a command's standard input.
pub fn patient(body: Body, longest: Duration) -> Body {
    Body::new(Patient { body, longest, silence: Box::pin(sleep(longest)) })
}

struct Patient {
    body: Body,
    longest: Duration,
    silence: Pin<Box<Sleep>>,
}

impl http_body::Body for Patient {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let next = Pin::new(&mut self.body).poll_frame(cx);
        if next.is_ready() {
            let end = Instant::now() + self.longest;
            self.silence.as_mut().reset(end);
            return next;
        }
        if self.silence.as_mut().poll(cx).is_ready() {
            let late = std::io::Error::from(std::io::ErrorKind::TimedOut);
            return Poll::Ready(Some(Err(axum::Error::new(late))));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Wraps a body so that it has a place until it was sent.
pub(super) fn counted(body: Body, place: OwnedSemaphorePermit) -> Body {
    Body::new(Counted { body, _place: place })
}

struct Counted {
    body: Body,
    _place: OwnedSemaphorePermit,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
