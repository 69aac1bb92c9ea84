//! Connections that wait until they are accepted.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use parking_lot::Mutex;

use super::stream::Connection;
use crate::error::{Errno, Result};
use crate::fd::waiters::Waiters;

/// The longest queue, Linux's `somaxconn`.
const MOST: u32 = 4096;

/// The queue of a socket that listens.
#[derive(Default)]
pub(crate) struct Listener {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    room: usize,
    closed: bool,
    queue: VecDeque<Connection>,
    /// Those who accept, and those who wait for a place.
    accepting: Waiters,
    connecting: Waiters,
}

impl Listener {
    /// Accepts connections, again if it was closed, and sets how many may wait; as on Linux, one more does.
    pub(crate) fn set_backlog(&self, backlog: u32) {
        let mut state = self.state.lock();
        state.room = backlog.min(MOST) as usize + 1;
        state.closed = false;
        state.connecting.wake_all();
    }

    /// Takes the connection that waits longest. `EINVAL` once it is closed.
    pub(crate) fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<Result<Connection>> {
        let mut state = self.state.lock();
        if let Some(first) = state.queue.pop_front() {
            state.connecting.wake_all();
            return Poll::Ready(Ok(first));
        }
        if state.closed {
            return Poll::Ready(Err(Errno::INVAL));
        }
        state.accepting.add(cx.waker());
        Poll::Pending
    }

    /// Ready when there is a connection to be accepted, or when it is closed: whether it is.
    pub(crate) fn poll_waits(&self, cx: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.state.lock();
        if state.queue.is_empty() && !state.closed {
            state.accepting.add(cx.waker());
            return Poll::Pending;
        }
        Poll::Ready(state.closed)
    }

    /// Whether nobody is accepted any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Puts a connection into the queue as soon as there is room. `ECONNREFUSED` if it is closed.
    pub(crate) fn poll_offer(
        &self,
        cx: &mut Context<'_>,
        connection: &mut Option<Connection>,
    ) -> Poll<Result<()>> {
        let mut state = self.state.lock();
        if state.closed {
            return Poll::Ready(Err(Errno::CONNREFUSED));
        }
        if state.queue.len() >= state.room {
            state.connecting.add(cx.waker());
            return Poll::Pending;
        }
        state.queue.extend(connection.take());
        state.accepting.wake_all();
        Poll::Ready(Ok(()))
    }

    /// Refuses everyone, also those in the queue.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let left = std::mem::take(&mut state.queue);
        state.connecting.wake_all();
        state.accepting.wake_all();
        drop(state);
        for connection in left {
            connection.reset();
        }
    }
}
