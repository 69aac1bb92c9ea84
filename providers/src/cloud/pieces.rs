//! Request bodies that are not in memory as a whole.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};

use crate::FileSource;

/// What comes before a file, the file, and what comes after it.
pub(crate) struct Pieces {
    pub(super) before: Option<Bytes>,
    pub(super) content: FileSource,
    pub(super) after: Option<Bytes>,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(before) = self.before.take() {
            return Poll::Ready(Some(Ok(Frame::data(before))));
        }
        match self.content.poll_recv(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(piece)) => Poll::Ready(Some(piece.map(Frame::data))),
            Poll::Ready(None) => Poll::Ready(self.after.take().map(|after| Ok(Frame::data(after)))),
        }
    }
}
