//! Where a command's standard output and error go: kept apart and interleaved, within a budget.

use std::task::{Context, Poll};

use parking_lot::Mutex;

use crate::error::{Errno, Result};

/// One of a command's two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Receives output while a command runs.
pub trait OutputStream: Send + Sync {
    /// Takes all of `bytes`, or wakes `cx` when it can take more. `Ready(false)`: nobody listens any more; the writer gets
    /// SIGPIPE and EPIPE.
    fn poll_write(&self, cx: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool>;
}

impl<F: Fn(OutputKind, &[u8]) + Send + Sync> OutputStream for F {
    fn poll_write(&self, _: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool> {
        self(kind, bytes);
        Poll::Ready(true)
    }
}

/// Where a command's standard input comes from as the command reads it.
pub trait InputStream: Send + Sync {
    /// Reads into `buf`: `Ready(Ok(0))` at the end, otherwise wakes `cx` when there is something. Called only when a process
    /// reads, so nothing is taken from a source that the command leaves alone.
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<std::io::Result<usize>>;
    /// Whether [`poll_read`](Self::poll_read) would return at once; wakes `cx` otherwise.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()>;
    /// Whether it is a character device, such as the host's terminal: programs that read input only if somebody redirected it
    /// ask for the kind. Otherwise it looks like a pipe.
    fn is_device(&self) -> bool {
        false
    }
}

/// Collects and forwards output.
pub(crate) struct Sink {
    captured: Mutex<Option<Captured>>,
    stream: Option<Box<dyn OutputStream>>,
}

/// What was collected.
#[derive(Default)]
pub(crate) struct Captured {
    pub(crate) interleaved: Vec<u8>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) truncated: bool,
    total: u64,
    limit: u64,
    keep: bool,
}

impl Sink {
    pub(crate) fn new(limit: u64, keep: bool, stream: Option<Box<dyn OutputStream>>) -> Sink {
        Sink { captured: Mutex::new(Some(Captured { limit, keep, ..Captured::default() })), stream }
    }

    /// Ends the collection: later output is discarded (it comes from background processes of a command that has ended).
    pub(crate) fn finish(&self) -> Captured {
        self.captured.lock().take().unwrap_or_default()
    }

    pub(crate) fn poll_write(
        &self,
        cx: &mut Context<'_>,
        kind: OutputKind,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let mut captured = self.captured.lock();
        let Some(output) = captured.as_mut() else { return Poll::Ready(Ok(bytes.len())) };
        let left = output.limit.saturating_sub(output.total);
        let fits = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let marker = (fits < bytes.len() && !output.truncated)
            .then(|| format!("\n[output truncated: limit of {} bytes reached]\n", output.limit));
        if let Some(stream) = &self.stream {
            if fits > 0 {
                match stream.poll_write(cx, kind, &bytes[..fits]) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(false) => return Poll::Ready(Err(Errno::PIPE)),
                    Poll::Ready(true) => {}
                }
            }
            if let Some(marker) = &marker {
                // The marker is a service to the reader; a stream that is full just now goes without.
                let _ = stream.poll_write(cx, kind, marker.as_bytes());
            }
        }
        output.total = output.total.saturating_add(fits as u64);
        output.store(kind, &bytes[..fits]);
        if let Some(marker) = marker {
            output.truncated = true;
            output.store(kind, marker.as_bytes());
        }
        Poll::Ready(Ok(bytes.len()))
    }
}

impl Captured {
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    fn store(&mut self, kind: OutputKind, bytes: &[u8]) {
        if !self.keep {
            return;
        }
        self.interleaved.extend_from_slice(bytes);
        match kind {
            OutputKind::Stdout => self.stdout.extend_from_slice(bytes),
            OutputKind::Stderr => self.stderr.extend_from_slice(bytes),
        }
    }
}
