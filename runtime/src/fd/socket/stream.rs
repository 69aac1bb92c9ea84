//! Connections between two sockets: two pipes, one for each direction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use super::address::Address;
use crate::error::{Errno, Result};
use crate::fd::Ready;
use crate::fd::pipe::{Pipe, PipeEnd};

/// One side of a connection. What is written to it can be read from the other.
pub(crate) struct Connection {
    input: PipeEnd,
    output: PipeEnd,
    /// Of a connection of TCP.
    tcp: Option<Tcp>,
    /// The addresses of the two sides.
    pub(crate) local: Address,
    pub(crate) peer: Address,
}

/// What TCP does other than Unix sockets: a side learns from the answer to what it writes that the other one has gone.
#[derive(Default)]
struct Tcp {
    /// This side writes no more.
    wrote_all: AtomicBool,
    /// This side waits no more for what comes.
    read_all: AtomicBool,
    /// Something was written that nobody received.
    lost: AtomicBool,
}

impl Connection {
    /// Two sides with their addresses, joined by these pipes.
    pub(crate) fn pair(
        one: &Arc<Pipe>,
        other: &Arc<Pipe>,
        addresses: (Address, Address),
    ) -> (Connection, Connection) {
        let (first, second) = addresses;
        let is_tcp = matches!(first, Address::Ip(_));
        let side = |input: &Arc<Pipe>, output: &Arc<Pipe>, local: &Address, peer: &Address| Connection {
            tcp: is_tcp.then(Tcp::default),
            input: input.open(true, false),
            output: output.open(false, true),
            local: local.clone(),
            peer: peer.clone(),
        };
        (side(one, other, &first, &second), side(other, one, &second, &first))
    }

    /// Reads nothing at the end: after all bytes, when either socket was shut down for this direction, or the other one
    /// is closed. The first such read is `ECONNRESET` if the other one was closed with bytes that nobody had read.
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        self.or_end(self.input.poll_read(cx, buf))
    }

    /// Nothing more comes to a side of TCP that was shut down for reading; what has come is read first.
    fn or_end(&self, read: Poll<Result<usize>>) -> Poll<Result<usize>> {
        match (&self.tcp, &read) {
            (Some(tcp), Poll::Pending) if tcp.read_all.load(Ordering::Relaxed) => Poll::Ready(Ok(0)),
            (Some(tcp), Poll::Ready(Err(Errno::CONNRESET))) => {
                tcp.lost.store(true, Ordering::Relaxed);
                read
            }
            _ => read,
        }
    }

    /// Writes some of `buf`. `EPIPE` when either socket was shut down for this direction, or the other one is closed.
    /// The first bytes that TCP writes after the other side has closed are lost; `ECONNRESET` if it had not read all.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let written = self.output.poll_write(cx, buf);
        let (Poll::Ready(Err(Errno::PIPE)), Some(tcp)) = (&written, &self.tcp) else { return written };
        if tcp.wrote_all.load(Ordering::Relaxed) {
            return written;
        }
        if self.input.take_reset() {
            tcp.lost.store(true, Ordering::Relaxed);
            return Poll::Ready(Err(Errno::CONNRESET));
        }
        if tcp.lost.swap(true, Ordering::Relaxed) { written } else { Poll::Ready(Ok(buf.len())) }
    }

    /// As [`poll_read`](Self::poll_read), but the bytes stay.
    pub(crate) fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        self.or_end(self.input.poll_peek(cx, buf))
    }

    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        match (&self.tcp, self.input.poll_readable(cx)) {
            (Some(tcp), Poll::Pending) if tcp.read_all.load(Ordering::Relaxed) => {
                Poll::Ready(Ready { bytes: 0, hangup: true })
            }
            (_, polled) => polled.map(|(bytes, hangup)| Ready { bytes, hangup }),
        }
    }

    pub(crate) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        self.output.poll_writable(cx).map(|(bytes, hangup)| Ready { bytes, hangup })
    }

    /// Ends the direction to this socket, the one from it, or both. What was written before can still be read.
    pub(crate) fn shut_down(&self, reads: bool, writes: bool) {
        if reads {
            match &self.tcp {
                Some(tcp) => {
                    tcp.read_all.store(true, Ordering::Relaxed);
                    self.input.wake();
                }
                None => self.input.end(),
            }
        }
        if writes {
            if let Some(tcp) = &self.tcp {
                tcp.wrote_all.store(true, Ordering::Relaxed);
            }
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

    /// As [`has_error`](Self::has_error), and it does not any more.
    pub(crate) fn take_error(&self) -> bool {
        self.input.take_reset()
    }

    /// The other side's next read at the end is `ECONNRESET`.
    pub(crate) fn reset(&self) {
        self.output.reset();
        self.input.end();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.input.len() > 0 {
            self.output.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cx() -> Context<'static> {
        Context::from_waker(std::task::Waker::noop())
    }

    fn pair() -> (Connection, Connection) {
        let nameless = || Address::Unix(Vec::new());
        Connection::pair(&Pipe::new(1, None), &Pipe::new(2, None), (nameless(), nameless()))
    }

    fn write(socket: &Connection, bytes: &[u8]) -> Poll<Result<usize>> {
        socket.poll_write(&mut cx(), bytes)
    }

    fn read(socket: &Connection) -> Poll<Result<usize>> {
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
    fn tcp_loses_what_is_written_first_after_the_other_side_has_closed() {
        let ip = || Address::Ip(([127, 0, 0, 1], 1).into());
        let pair = || Connection::pair(&Pipe::new(1, None), &Pipe::new(2, None), (ip(), ip()));
        let (one, other) = pair();
        drop(other);
        assert_eq!((write(&one, b"abc"), read(&one)), (Poll::Ready(Ok(3)), Poll::Ready(Ok(0))));
        assert_eq!(write(&one, b"abc"), Poll::Ready(Err(Errno::PIPE)));
        let (one, other) = pair();
        assert_eq!(write(&one, b"unread"), Poll::Ready(Ok(6)));
        drop(other);
        assert_eq!(write(&one, b"abc"), Poll::Ready(Err(Errno::CONNRESET)));
        assert_eq!((read(&one), write(&one, b"abc")), (Poll::Ready(Ok(0)), Poll::Ready(Err(Errno::PIPE))));
        let (one, other) = pair();
        one.shut_down(true, true);
        assert_eq!((read(&one), write(&one, b"abc")), (Poll::Ready(Ok(0)), Poll::Ready(Err(Errno::PIPE))));
        assert_eq!((write(&other, b"abc"), read(&one)), (Poll::Ready(Ok(3)), Poll::Ready(Ok(3))));
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
