//! Standard input on Windows, where nothing tells whether a pipe has something to read: a thread reads ahead by one
//! piece, once a command asks for input. What it has read is lost for the next program.

use crate::cli::host_file::is_device;
use sandshell::runtime::{InputStream, Stdin};
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The host's standard input for a command.
pub(crate) fn stdin() -> Stdin {
    Stdin::Source(Arc::new(HostInput { shared: Arc::default(), device: is_device(std::io::stdin()) }))
}

struct HostInput {
    shared: Arc<Shared>,
    device: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wanted: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether a command waits for input.
    wanted: bool,
    /// Whether the thread was started.
    started: bool,
    /// What was read and not yet taken.
    ready: Option<io::Result<Vec<u8>>>,
    waiting: Vec<Waker>,
}

/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

impl HostInput {
    /// Asks for a piece; `cx` is woken when it is there.
    fn ask(&self, state: &mut State, cx: &Context<'_>) {
        state.waiting.push(cx.waker().clone());
        state.wanted = true;
        if state.started {
            self.shared.wanted.notify_one();
        } else {
            state.started = true;
            let shared = self.shared.clone();
            drop(std::thread::spawn(move || shared.serve()));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's loop.
    fn serve(&self) {
        loop {
            let mut state = self.lock();
            while !state.wanted {
                state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            let mut piece = vec![0; PIECE];
            let read = std::io::stdin().lock().read(&mut piece).map(|count| {
                piece.truncate(count);
                piece
            });
            let mut state = self.lock();
            (state.wanted, state.ready) = (false, Some(read));
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

impl InputStream for HostInput {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut state = self.shared.lock();
        match state.ready.take() {
            None => {
                self.ask(&mut state, cx);
                Poll::Pending
            }
            Some(Ok(mut piece)) => {
                let count = piece.len().min(buf.len());
                for (to, from) in buf.iter_mut().zip(piece.drain(..count)) {
                    *to = from;
                }
                if !piece.is_empty() {
                    state.ready = Some(Ok(piece));
                }
                Poll::Ready(Ok(count))
            }
            Some(Err(error)) => Poll::Ready(Err(error)),
        }
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        if state.ready.is_some() {
            return Poll::Ready(());
        }
        self.ask(&mut state, cx);
        Poll::Pending
    }

    fn is_device(&self) -> bool {
        self.device
    }
}
