//! Datagrams that wait until they are received.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use parking_lot::Mutex;

use super::address::Address;
use crate::error::{Errno, Result};
use crate::fd::pipe::{CAPACITY, PipePermit};
use crate::fd::waiters::Waiters;

/// The most bytes of a datagram of UDP.
pub(crate) const MAX_DATAGRAM: usize = 65_507;

/// What a datagram takes beside its bytes.
const OVERHEAD: usize = 256;

/// The datagrams that were sent to a socket. It holds as much as a pipe and counts as one.
pub(crate) struct Mailbox {
    state: Mutex<State>,
    _permit: PipePermit,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Datagram>,
    size: usize,
    /// Whose datagrams are received, if not everyone's.
    only: Option<Address>,
    receiving: Waiters,
    sending: Waiters,
}

pub(crate) struct Datagram {
    pub(crate) bytes: Vec<u8>,
    pub(crate) from: Address,
}

impl Mailbox {
    pub(crate) fn new(permit: PipePermit) -> Mailbox {
        Mailbox { state: Mutex::default(), _permit: permit }
    }

    /// From now on, only datagrams of this sender are received.
    pub(crate) fn receive_only(&self, from: Option<Address>) {
        let mut state = self.state.lock();
        if let Some(from) = &from {
            state.queue.retain(|datagram| datagram.from == *from);
            state.size = state.queue.iter().map(|datagram| datagram.bytes.len() + OVERHEAD).sum();
        }
        state.only = from;
    }

    /// Puts a datagram in. Waits while there is no room. `ECONNREFUSED` if it receives from another sender only.
    pub(crate) fn poll_put(&self, cx: &mut Context<'_>, bytes: &[u8], from: &Address) -> Poll<Result<()>> {
        let mut state = self.state.lock();
        if state.only.as_ref().is_some_and(|only| only != from) {
            return Poll::Ready(Err(Errno::CONNREFUSED));
        }
        let size = bytes.len() + OVERHEAD;
        if !state.queue.is_empty() && state.size + size > CAPACITY {
            state.sending.add(cx.waker());
            return Poll::Pending;
        }
        state.size += size;
        state.queue.push_back(Datagram { bytes: bytes.to_vec(), from: from.clone() });
        state.receiving.wake_all();
        Poll::Ready(Ok(()))
    }

    /// Calls `take` with the oldest datagram, and removes it unless it was only looked at.
    pub(crate) fn poll_take<T>(
        &self,
        cx: &mut Context<'_>,
        peek: bool,
        take: impl FnOnce(&Datagram) -> T,
    ) -> Poll<T> {
        let mut state = self.state.lock();
        let Some(first) = state.queue.front() else {
            state.receiving.add(cx.waker());
            return Poll::Pending;
        };
        let taken = take(first);
        if !peek && let Some(first) = state.queue.pop_front() {
            state.size = state.size.saturating_sub(first.bytes.len() + OVERHEAD);
            state.sending.wake_all();
        }
        Poll::Ready(taken)
    }

    /// Wakes all who wait: nobody receives any more.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.sending.wake_all();
        state.receiving.wake_all();
    }

    /// The size of the oldest datagram.
    pub(crate) fn poll_first(&self, cx: &mut Context<'_>) -> Poll<usize> {
        self.poll_take(cx, true, |datagram| datagram.bytes.len())
    }
}
