//! What arrives on a connection that has become a WebSocket, until it is a message that somebody takes.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Context;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// What is this short is not counted, as there are a limited number of connections.
const SHORT: usize = 64 << 10;

/// The unit in which memory is counted.
const UNIT: usize = 1 << 10;

/// Room for this many bytes of messages.
pub(super) fn room(bytes: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new((bytes / UNIT).min(Semaphore::MAX_PERMITS)))
}

/// What a client has sent of a message of a WebSocket. It is in the extensions of each request: whoever makes the
/// connection a WebSocket says when a message was [taken](Self::all_taken).
#[derive(Clone, Debug, Default)]
pub struct Incoming(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_socket: AtomicBool,
    /// Since the last message.
    bytes: AtomicUsize,
}

impl Incoming {
    /// A message was taken.
    pub fn all_taken(&self) {
        self.0.bytes.store(0, Ordering::Relaxed);
    }

    /// Some bytes were taken that are not part of a message.
    pub fn taken(&self, bytes: usize) {
        let less = |held: usize| Some(held.saturating_sub(bytes));
        // It cannot fail.
        let _ = self.0.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// The connection has become a WebSocket.
    pub(super) fn begins(&self) {
        self.0.is_socket.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_socket(&self) -> bool {
        self.0.is_socket.load(Ordering::Relaxed)
    }
}

/// A message that arrives. It takes room, and has its time, if it is long.
#[derive(Debug)]
pub(super) struct Unfinished {
    incoming: Incoming,
    longest: Duration,
    room: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
    late: Option<Pin<Box<Sleep>>>,
}

impl Unfinished {
    /// `longest`: how long a message may take.
    pub(super) fn new(incoming: Incoming, room: Arc<Semaphore>, longest: Duration) -> Self {
        Self { incoming, longest, room, held: None, late: None }
    }

    pub(super) fn is_socket(&self) -> bool {
        self.incoming.is_socket()
    }

    /// Before more is read: an error if the message takes too long.
    pub(super) fn waits(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.incoming.0.bytes.load(Ordering::Relaxed) <= SHORT {
            (self.held, self.late) = (None, None);
        }
        if let Some(late) = &mut self.late
            && late.as_mut().poll(cx).is_ready()
        {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    /// Something was read: an error if there is no room for it.
    pub(super) fn arrives(&mut self, bytes: usize) -> io::Result<()> {
        if !self.incoming.is_socket() {
            return Ok(());
        }
        let all = self.incoming.0.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let has = self.held.as_ref().map_or(SHORT, |held| held.num_permits() * UNIT);
        if all <= has {
            return Ok(());
        }
        let units = u32::try_from((all - has).max(SHORT).div_ceil(UNIT)).unwrap_or(u32::MAX);
        let more = self.room.clone().try_acquire_many_owned(units);
        let more = more.map_err(|_| io::Error::from(io::ErrorKind::QuotaExceeded))?;
        match &mut self.held {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        let longest = self.longest;
        self.late.get_or_insert_with(|| Box::pin(sleep(longest)));
        Ok(())
    }
}
