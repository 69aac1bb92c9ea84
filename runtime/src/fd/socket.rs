//! Sockets that are joined with each other when they are made: two pipes, one for each direction.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::Ready;
use super::pipe::{Pipe, PipeEnd};
use crate::error::Result;

/// One of two sockets. What is written to it can be read from the other.
pub(crate) struct Socket {
    input: PipeEnd,
    output: PipeEnd,
}

impl Socket {
    /// Two sockets, joined by these pipes.
    pub(crate) fn pair(one: &Arc<Pipe>, other: &Arc<Pipe>) -> (Socket, Socket) {
        let socket = |input: &Arc<Pipe>, output: &Arc<Pipe>| Socket {
            input: input.open(true, false),
            output: output.open(false, true),
        };
        (socket(one, other), socket(other, one))
    }

    /// Reads nothing at the end: after all bytes, when either socket was shut down for this direction, or the other one
    /// is closed. The first such read is `ECONNRESET` if the other one was closed with bytes that nobody had read.
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        self.input.poll_read(cx, buf)
    }

    /// Writes some of `buf`. `EPIPE` when either socket was shut down for this direction, or the other one is closed.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        self.output.poll_write(cx, buf)
    }

    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        self.input.poll_readable(cx).map(|(bytes, hangup)| Ready { bytes, hangup })
    }

    pub(crate) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        self.output.poll_writable(cx).map(|(bytes, hangup)| Ready { bytes, hangup })
    }

    /// Ends the direction to this socket, the one from it, or both. What was written before can still be read.
    pub(crate) fn shut_down(&self, reads: bool, writes: bool) {
        if reads {
            self.input.end();
        }
        if writes {
            self.output.end();
        }
    }

    /// Bytes that can be read at once.
    pub(crate) fn available(&self) -> usize {
        self.input.len()
    }

    /// Whether the next read at the end fails.
    pub(crate) fn has_error(&self) -> bool {
        self.input.is_reset()
    }

    /// A number that is unique in the sandbox.
    pub(crate) fn id(&self) -> u64 {
        self.input.id()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.input.len() > 0 {
            self.output.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errno;

    fn cx() -> Context<'static> {
        Context::from_waker(std::task::Waker::noop())
    }

    fn pair() -> (Socket, Socket) {
        Socket::pair(&Pipe::new(1, None), &Pipe::new(2, None))
    }

    fn write(socket: &Socket, bytes: &[u8]) -> Poll<Result<usize>> {
        socket.poll_write(&mut cx(), bytes)
    }

    fn read(socket: &Socket) -> Poll<Result<usize>> {
        socket.poll_read(&mut cx(), &mut [0; 100])
    }

    #[test]
    fn each_direction_has_its_end() {
        let (one, other) = pair();
        assert_eq!(write(&one, b"abc"), Poll::Ready(Ok(3)));
        assert!(read(&one).is_pending());
        one.shut_down(false, true);
        one.shut_down(false, true);
        assert_eq!(write(&one, b"abc"), Poll::Ready(Err(Errno::PIPE)));
        assert_eq!((read(&other), read(&other)), (Poll::Ready(Ok(3)), Poll::Ready(Ok(0))));
        assert_eq!((write(&other, b"de"), read(&one)), (Poll::Ready(Ok(2)), Poll::Ready(Ok(2))));
    }

    #[test]
    fn a_socket_that_reads_no_more_still_reads_what_was_sent() {
        let (one, other) = pair();
        assert_eq!(write(&other, b"abc"), Poll::Ready(Ok(3)));
        one.shut_down(true, false);
        assert_eq!(write(&other, b"abc"), Poll::Ready(Err(Errno::PIPE)));
        assert_eq!((read(&one), read(&one)), (Poll::Ready(Ok(3)), Poll::Ready(Ok(0))));
    }

    #[test]
    fn closing_with_unread_bytes_is_a_reset_and_without_an_end() {
        let (one, other) = pair();
        assert_eq!((write(&one, b"x"), write(&other, b"y")), (Poll::Ready(Ok(1)), Poll::Ready(Ok(1))));
        drop(other);
        assert!(one.has_error());
        assert_eq!(read(&one), Poll::Ready(Ok(1)));
        assert_eq!((read(&one), read(&one)), (Poll::Ready(Err(Errno::CONNRESET)), Poll::Ready(Ok(0))));
        assert_eq!(write(&one, b"x"), Poll::Ready(Err(Errno::PIPE)));
        let (one, other) = pair();
        drop(other);
        assert_eq!(read(&one), Poll::Ready(Ok(0)));
    }
}
