//! Standard output and error while a command runs.
//!
//! A thread writes, so that a slow reader delays the command but not its deadline.

use super::characters::Characters;
use super::host_file::nobody_reads;
use sandshell::runtime::{OutputKind, OutputStream};
use sandshell::store::Excerpt;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How many bytes may wait to be written before the command has to wait.
const ROOM: usize = 256 << 10;

/// The host's standard output and error.
#[derive(Clone)]
pub(crate) struct HostOutput(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(OutputKind, Vec<u8>)>,
    queued: usize,
    /// Whether the thread was started. The first output starts it.
    started: bool,
    /// Whether the thread is writing bytes that it took from the queue.
    writing: bool,
    /// Which streams have failed or have lost their reader.
    closed: [bool; 2],
    error: Option<io::Error>,
    waiting: Vec<Waker>,
}

impl HostOutput {
    pub(crate) fn new() -> HostOutput {
        HostOutput(Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() }))
    }

    /// Waits until everything is written, at most for `patience` if it is given. Returns the error if writing
    /// failed, unless the reader went away.
    pub(crate) fn finish(&self, patience: Option<Duration>) -> io::Result<()> {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut state = self.0.lock();
        while state.writing || !state.queue.is_empty() {
            let left = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => break,
                Some(left) => left,
                None => Duration::from_secs(3600),
            };
            let woken = self.0.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.error.take().map_or(Ok(()), Err)
    }
}

impl OutputStream for HostOutput {
    fn poll_write(&self, cx: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool> {
        let mut state = self.0.lock();
        if state.closed[index(kind)] {
            return Poll::Ready(false);
        }
        if state.queued > ROOM {
            state.waiting.push(cx.waker().clone());
            return Poll::Pending;
        }
        state.queued += bytes.len();
        match state.queue.back_mut() {
            Some((last, queued)) if *last == kind => queued.extend_from_slice(bytes),
            _ => state.queue.push_back((kind, bytes.to_vec())),
        }
        if !state.started {
            state.started = true;
            let shared = self.0.clone();
            drop(std::thread::spawn(move || shared.write()));
        }
        drop(state);
        self.0.changed.notify_all();
        Poll::Ready(true)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread.
    fn write(&self) {
        let mut shown = [Characters::of(&io::stdout()), Characters::of(&io::stderr())];
        let mut state = self.lock();
        loop {
            let Some((kind, bytes)) = state.queue.pop_front() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.queued -= bytes.len();
            state.writing = true;
            let closed = state.closed[index(kind)];
            drop(state);
            let written = if closed { Ok(()) } else { write(kind, &shown[index(kind)].show(&bytes)) };
            state = self.lock();
            state.writing = false;
            if let Err(error) = written {
                state.closed[index(kind)] = true;
                if !nobody_reads(&error) {
                    state.error.get_or_insert(error);
                }
            }
            let waiting = std::mem::take(&mut state.waiting);
            self.changed.notify_all();
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
            state = self.lock();
        }
    }
}

fn write(kind: OutputKind, bytes: &[u8]) -> io::Result<()> {
    match kind {
        OutputKind::Stdout => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes)?;
            stdout.flush()
        }
        OutputKind::Stderr => io::stderr().lock().write_all(bytes),
    }
}

fn index(kind: OutputKind) -> usize {
    match kind {
        OutputKind::Stdout => 0,
        OutputKind::Stderr => 1,
    }
}
/// The beginning and the end of what was written.
#[derive(Clone, Default)]
pub(crate) struct Said(Arc<Mutex<Excerpt>>);

impl Said {
    /// An output that also keeps what goes through it.
    pub(crate) fn beside(&self, output: HostOutput) -> impl OutputStream + use<> {
        Kept { said: self.clone(), output }
    }

    pub(crate) fn excerpt(&self) -> Excerpt {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Kept {
    said: Said,
    output: HostOutput,
}

impl OutputStream for Kept {
    fn poll_write(&self, cx: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool> {
        let written = self.output.poll_write(cx, kind, bytes);
        if written.is_ready() {
            self.said.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        }
        written
    }
}
