//! Request bodies that are never in memory as a whole.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame};

use super::exchange::Progress;
use crate::FileSource;

/// A file, with bytes before and after it.
pub(crate) struct Pieces {
    before: Option<Bytes>,
    content: FileSource,
    after: Option<Bytes>,
    pub(super) progress: Progress,
}

impl Pieces {
    /// A body that is only the file.
    pub(crate) fn new(content: FileSource) -> Self {
        Self { before: None, content, after: None, progress: Progress::new() }
    }

    /// A body with the file between other bytes.
    pub(super) fn within(before: Bytes, content: FileSource, after: Bytes) -> Self {
        Self { before: Some(before), after: Some(after), ..Self::new(content) }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.progress.moved();
        if let Some(before) = self.before.take() {
            return Poll::Ready(Some(Ok(Frame::data(before))));
        }
        let polled = self.content.poll_recv(cx);
        if polled.is_pending() {
            self.progress.waits();
        }
        Poll::Ready(match ready!(polled) {
            Some(piece) => Some(piece.map(Frame::data)),
            None => self.after.take().map(|after| Ok(Frame::data(after))),
        })
    }
}
