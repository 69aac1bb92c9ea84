//! Bodies of requests that stop arriving, and of answers that are counted.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use crate::reading::Reading;

/// The fewest bytes a second that a body has on average, over any time of the longest pause.
pub(super) const SLOWEST: u32 = 64 << 10;

/// The most bytes of an answer that are given out at once. What was given out is not seen any more.
const PIECE: usize = 32 << 10;

/// Wraps a body so that it fails if no part of it arrives for `longest`.
///
/// This is not for bodies with long pauses, such as one with a command's standard input.
pub fn patient(body: Body, longest: Duration) -> Body {
    Body::new(Patient { body, longest, steady: false, left: longest, waiting: None })
}

/// As [`patient`], but the body also fails if it is slower than 64 KiB a second for about that time: with a byte now
/// and then it would keep for ever what is reserved for the whole. Time in which nobody asks for it does not count.
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

/// Wraps the body of an answer so that it has this `place` until it was sent, and that it is seen whether its client
/// reads it.
pub(super) fn read_by_client(body: Body, reading: Arc<Reading>, place: impl Send + Unpin + 'static) -> Body {
    reading.begins();
    let whole = body.size_hint().exact().is_some();
    Body::new(ReadByClient { body, reading, whole, given: 0, rest: Bytes::new(), _place: place })
}

struct ReadByClient<T> {
    body: Body,
    reading: Arc<Reading>,
    /// Whether its length is known, so that nothing but the client makes it wait.
    whole: bool,
    /// How many bytes were given out last.
    given: usize,
    /// What is left of a piece of the body.
    rest: Bytes,
    _place: T,
}

impl<T: Unpin> http_body::Body for ReadByClient<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.reading.goes_on(self.whole.then_some(self.given));
        self.given = 0;
        if self.rest.is_empty() {
            let next = Pin::new(&mut self.body).poll_frame(cx);
            match next {
                Poll::Ready(Some(Ok(frame))) if frame.is_data() => {
                    self.rest = frame.into_data().unwrap_or_default();
                }
                next => {
                    if next.is_ready() {
                        self.reading.waits();
                    }
                    return next;
                }
            }
        }
        let length = self.rest.len().min(PIECE);
        self.given = length;
        self.reading.waits();
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    /// Not before it is asked for more, which is when the client has read the rest.
    fn is_end_stream(&self) -> bool {
        self.given == 0 && self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(rest));
        if let Some(upper) = inner.upper().and_then(|upper| upper.checked_add(rest)) {
            hint.set_upper(upper);
        }
        hint
    }
}

impl<T> Drop for ReadByClient<T> {
    fn drop(&mut self) {
        self.reading.ends();
    }
}
