//! Pipes: bounded, with back-pressure.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use parking_lot::Mutex;

use super::waiters::Waiters;
use crate::error::{Errno, Result};
use crate::limits::Limit;

/// Bytes that a pipe holds before its writer waits, as on Linux.
pub(crate) const CAPACITY: usize = 64 << 10;
/// Writes up to this size are atomic (`PIPE_BUF`).
pub(crate) const ATOMIC: usize = 4096;

/// The bytes between writers and readers.
pub(crate) struct Pipe {
    id: u64,
    state: Mutex<State>,
    _permit: Option<PipePermit>,
}

#[derive(Default)]
struct State {
    buffer: VecDeque<u8>,
    readers: usize,
    writers: usize,
    /// Nobody may write any more, whoever has it open.
    ended: bool,
    /// The next read at the end tells that the other side went away without having read everything.
    reset: bool,
    /// How often either end was opened, for opens of FIFOs that wait for the other end.
    reader_opens: u64,
    writer_opens: u64,
    wait_read: Waiters,
    wait_write: Waiters,
}

impl State {
    fn has_readers(&self) -> bool {
        self.readers > 0 && !self.ended
    }

    fn has_writers(&self) -> bool {
        self.writers > 0 && !self.ended
    }
}

/// A place in the budget of pipes.
pub(crate) struct PipePermit(Arc<AtomicU32>);

impl PipePermit {
    /// Takes one of `limit` places.
    pub(crate) fn take(counter: &Arc<AtomicU32>, limit: u32) -> std::result::Result<PipePermit, Limit> {
        let taken = counter
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| (used < limit).then_some(used + 1));
        taken.map(|_| PipePermit(counter.clone())).map_err(|_| Limit::Pipes(limit))
    }
}

impl Drop for PipePermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pipe {
    /// A pipe with a number that is unique in the sandbox.
    pub(crate) fn new(id: u64, permit: Option<PipePermit>) -> Arc<Pipe> {
        Arc::new(Pipe { id, state: Mutex::default(), _permit: permit })
    }

    /// Opens an end, or both ends for a FIFO that is opened for reading and writing.
    pub(crate) fn open(self: &Arc<Self>, read: bool, write: bool) -> PipeEnd {
        let mut state = self.state.lock();
        if read {
            state.readers += 1;
            state.reader_opens += 1;
            state.wait_write.wake_all();
        }
        if write {
            state.writers += 1;
            state.writer_opens += 1;
            state.wait_read.wake_all();
        }
        drop(state);
        PipeEnd { pipe: self.clone(), read, write }
    }

    pub(crate) fn has_readers(&self) -> bool {
        self.state.lock().readers > 0
    }
}

/// An open end of a pipe.
pub(crate) struct PipeEnd {
    pipe: Arc<Pipe>,
    read: bool,
    write: bool,
}

impl PipeEnd {
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        self.read(cx, buf, true)
    }

    /// As [`poll_read`](Self::poll_read), but the bytes stay.
    pub(crate) fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        self.read(cx, buf, false)
    }

    fn read(&self, cx: &mut Context<'_>, buf: &mut [u8], takes: bool) -> Poll<Result<usize>> {
        let mut state = self.pipe.state.lock();
        if state.buffer.is_empty() {
            if buf.is_empty() {
                return Poll::Ready(Ok(0));
            }
            if !state.has_writers() {
                let reset = std::mem::take(&mut state.reset);
                return Poll::Ready(if reset { Err(Errno::CONNRESET) } else { Ok(0) });
            }
            state.wait_read.add(cx.waker());
            return Poll::Pending;
        }
        let count = buf.len().min(state.buffer.len());
        let (head, tail) = state.buffer.as_slices();
        let first = count.min(head.len());
        buf[..first].copy_from_slice(&head[..first]);
        buf[first..count].copy_from_slice(&tail[..count - first]);
        if takes {
            state.buffer.drain(..count);
            state.wait_write.wake_all();
        }
        Poll::Ready(Ok(count))
    }

    /// Writes some of `buf`; if it is not longer than [`ATOMIC`], all of it or nothing.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let mut state = self.pipe.state.lock();
        if !state.has_readers() {
            return Poll::Ready(Err(Errno::PIPE));
        }
        let free = CAPACITY.saturating_sub(state.buffer.len());
        let needed = if buf.len() <= ATOMIC { buf.len() } else { 1 };
        if free < needed {
            state.wait_write.add(cx.waker());
            return Poll::Pending;
        }
        let count = buf.len().min(free);
        state.buffer.extend(&buf[..count]);
        state.wait_read.wake_all();
        Poll::Ready(Ok(count))
    }

    /// Bytes that can be read, and whether the other end is closed.
    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<(u64, bool)> {
        let mut state = self.pipe.state.lock();
        if state.buffer.is_empty() && state.has_writers() {
            state.wait_read.add(cx.waker());
            return Poll::Pending;
        }
        Poll::Ready((state.buffer.len() as u64, !state.has_writers()))
    }

    /// Bytes that can be written, and whether the other end is closed.
    pub(crate) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<(u64, bool)> {
        let mut state = self.pipe.state.lock();
        let free = CAPACITY.saturating_sub(state.buffer.len());
        if free < ATOMIC && state.has_readers() {
            state.wait_write.add(cx.waker());
            return Poll::Pending;
        }
        Poll::Ready((free as u64, !state.has_readers()))
    }

    /// How many bytes were written and not read yet.
    pub(crate) fn len(&self) -> usize {
        self.pipe.state.lock().buffer.len()
    }

    /// Nobody can write any more. What was written can still be read.
    pub(crate) fn end(&self) {
        let mut state = self.pipe.state.lock();
        state.ended = true;
        state.wait_read.wake_all();
        state.wait_write.wake_all();
    }

    /// Ends it, and the next read at the end fails with `ECONNRESET`.
    pub(crate) fn reset(&self) {
        self.pipe.state.lock().reset = true;
        self.end();
    }

    /// Has those who wait look again.
    pub(crate) fn wake(&self) {
        let mut state = self.pipe.state.lock();
        state.wait_read.wake_all();
        state.wait_write.wake_all();
    }

    /// As [`is_reset`](Self::is_reset), and no read fails any more.
    pub(crate) fn take_reset(&self) -> bool {
        std::mem::take(&mut self.pipe.state.lock().reset)
    }

    /// Whether a read is still to fail with `ECONNRESET`.
    pub(crate) fn is_reset(&self) -> bool {
        self.pipe.state.lock().reset
    }

    /// How often the other end has been opened, for [`poll_peer`](Self::poll_peer).
    pub(crate) fn peer_opens(&self) -> u64 {
        let state = self.pipe.state.lock();
        if self.read { state.writer_opens } else { state.reader_opens }
    }

    /// Ready when the other end is open, or has been opened since `seen` was taken.
    pub(crate) fn poll_peer(&self, cx: &mut Context<'_>, seen: u64) -> Poll<()> {
        let mut state = self.pipe.state.lock();
        let (present, opens) = if self.read {
            (state.writers > 0, state.writer_opens)
        } else {
            (state.readers > 0, state.reader_opens)
        };
        if present || opens != seen || (self.read && self.write) {
            return Poll::Ready(());
        }
        let queue = if self.read { &mut state.wait_read } else { &mut state.wait_write };
        queue.add(cx.waker());
        Poll::Pending
    }

    /// Opens another end of the same pipe.
    pub(crate) fn reopen(&self, read: bool, write: bool) -> PipeEnd {
        self.pipe.open(read, write)
    }

    /// The pipe's number.
    pub(crate) fn id(&self) -> u64 {
        self.pipe.id
    }
}

impl Drop for PipeEnd {
    fn drop(&mut self) {
        let mut state = self.pipe.state.lock();
        if self.read {
            state.readers -= 1;
            state.wait_write.wake_all();
        }
        if self.write {
            state.writers -= 1;
            state.wait_read.wake_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cx() -> Context<'static> {
        Context::from_waker(std::task::Waker::noop())
    }

    #[test]
    fn writes_wait_when_full_and_small_ones_are_atomic() {
        let pipe = Pipe::new(1, None);
        let (reader, writer) = (pipe.open(true, false), pipe.open(false, true));
        assert_eq!(writer.poll_write(&mut cx(), &vec![1; CAPACITY + 5]), Poll::Ready(Ok(CAPACITY)));
        assert!(writer.poll_write(&mut cx(), b"x").is_pending());
        assert_eq!(reader.poll_read(&mut cx(), &mut [0; 100]), Poll::Ready(Ok(100)));
        assert!(writer.poll_write(&mut cx(), &[0; 101]).is_pending());
        assert_eq!(writer.poll_write(&mut cx(), &[0; 100]), Poll::Ready(Ok(100)));
    }

    #[test]
    fn ends_see_each_other_go() {
        let pipe = Pipe::new(1, None);
        let (reader, writer) = (pipe.open(true, false), pipe.open(false, true));
        assert!(reader.poll_read(&mut cx(), &mut [0; 4]).is_pending());
        assert_eq!(writer.poll_write(&mut cx(), b"ab"), Poll::Ready(Ok(2)));
        drop(writer);
        assert_eq!(reader.poll_read(&mut cx(), &mut [0; 4]), Poll::Ready(Ok(2)));
        assert_eq!(reader.poll_read(&mut cx(), &mut [0; 4]), Poll::Ready(Ok(0)));
        let writer = pipe.open(false, true);
        drop(reader);
        assert_eq!(writer.poll_write(&mut cx(), b"ab"), Poll::Ready(Err(Errno::PIPE)));
    }
}
