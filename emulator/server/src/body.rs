//! Bodies of requests that stop arriving, and of answers that are counted.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

/// The fewest bytes a second that a body has on average, over any time of the longest pause.
const SLOWEST: u32 = 64 << 10;

/// Wraps a body so that it fails if no part of it arrives for `longest`.
///
/// This is not for bodies with long pauses, such as one with a command's standard input.
pub fn patient(body: Body, longest: Duration) -> Body {
    Body::new(Patient { body, longest, steady: false, left: longest, waiting: None })
}

/// As [`patient`], but the body also fails if it is slower than 64 KiB a second for about that time: with a byte now and then
/// it would keep for ever what is reserved for the whole. Time in which nobody asks for it does not count.
pub fn steady(body: Body, longest: Duration) -> Body {
    Body::new(Patient { body, longest, steady: true, left: longest, waiting: None })
}

struct Patient {
    body: Body,
    longest: Duration,
    /// Whether a byte is not enough for another pause.
    steady: bool,
    /// For how long it may be waited for.
    left: Duration,
    /// Since when it is waited for, and until when.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Patient {
    fn arrived(&mut self, bytes: usize) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
        if !self.steady {
            return;
        }
        self.left = self.left.saturating_sub(waited);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.left = self.longest.min(self.left + Duration::from_secs(1) * bytes / SLOWEST);
    }
}

impl http_body::Body for Patient {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let next = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(frame) = &next {
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            let bytes = data.map_or(0, Bytes::len);
            self.arrived(bytes);
            return next;
        }
        let left = self.left;
        let (_, late) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        if late.as_mut().poll(cx).is_ready() {
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

/// Wraps a body so that it has this until it was sent.
pub(super) fn counted(body: Body, place: impl Send + Unpin + 'static) -> Body {
    Body::new(Counted { body, _place: place })
}

struct Counted<T> {
    body: Body,
    _place: T,
}

impl<T: Unpin> http_body::Body for Counted<T> {
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
