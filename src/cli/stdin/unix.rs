//! Standard input on Unix: what no command reads stays for the next program.

use crate::cli::host_file::is_device;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use sandshell::runtime::{InputStream, Stdin};
use std::io;
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
    /// Whether the thread was started. The first read that has to wait starts it.
    started: bool,
    waiting: Vec<Waker>,
}

impl HostInput {
    /// Reads without waiting; `None` if it would have to wait.
    fn try_read(buf: &mut [u8]) -> Option<io::Result<usize>> {
        if !is_ready() {
            return None;
        }
        match rustix::io::read(std::io::stdin(), buf) {
            Ok(count) => Some(Ok(count)),
            Err(Errno::AGAIN | Errno::INTR) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Wakes `cx` when there is something to read.
    fn wait(&self, cx: &Context<'_>) {
        let mut state = self.shared.lock();
        state.waiting.push(cx.waker().clone());
        state.wanted = true;
        if state.started {
            self.shared.wanted.notify_one();
        } else {
            state.started = true;
            let shared = self.shared.clone();
            drop(std::thread::spawn(move || shared.watch()));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's loop: waits for input whenever a command wants some.
    fn watch(&self) {
        loop {
            let mut state = self.lock();
            while !state.wanted {
                state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            wait_ready();
            let mut state = self.lock();
            state.wanted = false;
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

impl InputStream for HostInput {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        match Self::try_read(buf) {
            Some(done) => Poll::Ready(done),
            None => {
                self.wait(cx);
                Poll::Pending
            }
        }
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()> {
        if is_ready() {
            return Poll::Ready(());
        }
        self.wait(cx);
        Poll::Pending
    }

    fn is_device(&self) -> bool {
        self.device
    }
}

/// Whether a read would return at once: with data, at the end, or with an error.
fn is_ready() -> bool {
    let stdin = std::io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    // If polling fails, the read reports the error.
    poll(&mut fds, Some(&now)).is_ok_and(|count| count > 0)
}

fn wait_ready() {
    let stdin = std::io::stdin();
    while poll(&mut [PollFd::new(&stdin, PollFlags::IN)], None) == Err(Errno::INTR) {}
}
