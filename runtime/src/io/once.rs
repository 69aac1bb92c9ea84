//! Operations that do not wait.

use std::task::{Context, Poll, Waker};

use crate::error::{Errno, Result};

/// Polls once. `EAGAIN` instead of waiting.
pub(crate) fn at_once<T>(poll: impl FnOnce(&mut Context<'_>) -> Poll<Result<T>>) -> Result<T> {
    match poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(Errno::AGAIN),
    }
}
