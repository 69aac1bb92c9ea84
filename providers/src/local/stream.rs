//! Forwards a command's output from the kernel to a channel.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_runtime::{OutputKind, OutputStream as KernelStream};
use tokio::sync::mpsc::OwnedPermit;
use tokio::sync::mpsc::error::SendError;

use crate::{OutputChunk, OutputSender, OutputStream};

type Reservation = Pin<Box<dyn Future<Output = Result<OwnedPermit<OutputChunk>, SendError<()>>> + Send>>;

/// Sends a command's output to a channel. If the channel is full, the command waits.
pub(super) struct Forward {
    state: Mutex<State>,
    writers: Arc<Writers>,
}

struct State {
    sender: OutputSender,
    reservation: Option<Reservation>,
}

/// The wakers of writers that wait for room. There can be several, and any may be killed while it waits, so all are
/// woken and the first that still exists takes the room.
#[derive(Default)]
struct Writers(Mutex<Vec<Waker>>);

impl Wake for Writers {
    fn wake(self: Arc<Self>) {
        for writer in self.0.lock().drain(..) {
            writer.wake();
        }
    }
}

impl Forward {
    pub(super) fn new(sender: OutputSender) -> Self {
        Self { state: Mutex::new(State { sender, reservation: None }), writers: Arc::default() }
    }
}

impl KernelStream for Forward {
    fn poll_write(&self, cx: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool> {
        let mut state = self.state.lock();
        let sender = state.sender.clone();
        let reservation = state.reservation.get_or_insert_with(|| Box::pin(sender.reserve_owned()));
        self.writers.0.lock().push(cx.waker().clone());
        let waker = Waker::from(self.writers.clone());
        let Poll::Ready(room) = reservation.as_mut().poll(&mut Context::from_waker(&waker)) else {
            return Poll::Pending;
        };
        state.reservation = None;
        drop(state);
        if let Ok(room) = room {
            let stream = match kind {
                OutputKind::Stdout => OutputStream::Stdout,
                OutputKind::Stderr => OutputStream::Stderr,
            };
            room.send(OutputChunk { stream, data: Bytes::copy_from_slice(bytes) });
        }
        self.writers.clone().wake();
        // If the reader went away, the command goes on and its output is still kept.
        Poll::Ready(true)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_full_channel_holds_writers_back_and_loses_none() {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
        let forward = Arc::new(Forward::new(sender));
        let writers: Vec<_> = (0..8)
            .map(|_| {
                let forward = forward.clone();
                tokio::spawn(
                    async move { poll_fn(|cx| forward.poll_write(cx, OutputKind::Stdout, b"x")).await },
                )
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
        // Killing one waiting writer must not leave the others waiting.
        writers[3].abort();
        assert!(writers.iter().filter(|writer| writer.is_finished()).count() < 8);
        let mut received = 0;
        while let Ok(Some(_)) = tokio::time::timeout(Duration::from_millis(200), receiver.recv()).await {
            received += 1;
        }
        assert_eq!(received, 7);
    }

    #[tokio::test]
    async fn a_reader_that_goes_away_stops_nobody() {
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        let forward = Forward::new(sender);
        drop(receiver);
        for _ in 0..3 {
            assert!(poll_fn(|cx| forward.poll_write(cx, OutputKind::Stderr, b"x")).await);
        }
    }
}
