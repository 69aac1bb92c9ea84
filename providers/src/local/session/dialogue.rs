//! What goes to a shell that lives, and what comes back.

use std::collections::VecDeque;
use std::io;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_runtime::{Conversation, InputStream};
use tokio::sync::Notify;

/// Commands and their statuses.
#[derive(Default)]
pub(super) struct Dialogue {
    state: Mutex<State>,
    more: Notify,
}

#[derive(Default)]
struct State {
    commands: VecDeque<u8>,
    reader: Option<Waker>,
    /// The number of answers, and the last one.
    answers: u64,
    status: u8,
}

impl Dialogue {
    /// Gives the shell a command.
    pub(super) fn ask(&self, command: &[u8]) {
        let mut state = self.state.lock();
        state.commands.extend(command);
        state.commands.push_back(0);
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    /// Whether a command was not read to its end.
    pub(super) fn is_unread(&self) -> bool {
        !self.state.lock().commands.is_empty()
    }

    /// The number of commands that were answered.
    pub(super) fn answers(&self) -> u64 {
        self.state.lock().answers
    }

    /// The status of the command of this number, from 1.
    pub(super) async fn answered(&self, number: u64) -> i32 {
        loop {
            let more = self.more.notified();
            {
                let state = self.state.lock();
                if state.answers >= number {
                    return state.status.into();
                }
            }
            more.await;
        }
    }
}

impl Conversation for Dialogue {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<usize> {
        let mut state = self.state.lock();
        if state.commands.is_empty() {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let count = buf.len().min(state.commands.len());
        for (to, byte) in buf.iter_mut().zip(state.commands.drain(..count)) {
            *to = byte;
        }
        Poll::Ready(count)
    }

    fn answer(&self, status: u8) {
        let mut state = self.state.lock();
        state.answers += 1;
        state.status = status;
        drop(state);
        self.more.notify_waiters();
    }
}

/// Standard input: what belongs to the command that runs, and then its end.
#[derive(Default)]
pub(super) struct CallInput(Mutex<Bytes>);

impl CallInput {
    pub(super) fn set(&self, bytes: Bytes) {
        *self.0.lock() = bytes;
    }
}

impl InputStream for CallInput {
    fn poll_read(&self, _: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut bytes = self.0.lock();
        let count = buf.len().min(bytes.len());
        let taken = bytes.split_to(count);
        buf[..count].copy_from_slice(&taken);
        Poll::Ready(Ok(count))
    }

    fn poll_readable(&self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}
