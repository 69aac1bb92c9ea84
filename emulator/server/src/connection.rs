//! Connections before their first request, and those whose client does not read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

use crate::Limits;
use crate::incoming::{Incoming, Unfinished};

/// Tells a client why its connection is closed at once, if that can be sent without waiting.
pub(super) fn refuse(connection: &TcpStream, limit: usize) {
    let body = format!("too many connections: the limit is {limit}\n");
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: {}\r\nretry-after: 1\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    drop(connection.try_write(answer.as_bytes()));
}

/// The answer to a request for which there is no place.
pub(super) fn crowded(limit: usize) -> Response<Body> {
    let mut answer =
        Response::new(Body::from(format!("too many requests at the same time: the limit is {limit}\n")));
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}

/// A connection that fails if no request arrives within the time for a head; the flag is set when one has arrived. (The
/// server's own limit begins only when it knows the version of HTTP.) It also fails if the client does not read for the
/// time that it may be idle, and has its place as long as it is there: a WebSocket, too.
pub(super) fn begin(
    connection: TcpStream,
    place: OwnedSemaphorePermit,
    limits: &Limits,
    incoming: Incoming,
    room: Arc<Semaphore>,
) -> (TokioIo<Begun>, Arc<AtomicBool>) {
    let asked = Arc::new(AtomicBool::new(false));
    let deadline = Some(Box::pin(sleep(limits.head)));
    let idle = limits.idle;
    let unfinished = Unfinished::new(incoming, room, idle);
    let begun =
        Begun { connection, asked: asked.clone(), deadline, idle, unread: None, unfinished, _place: place };
    (TokioIo::new(begun), asked)
}

/// A connection that must send a request in time, and be read.
pub(super) struct Begun {
    connection: TcpStream,
    asked: Arc<AtomicBool>,
    /// The time limit; `None` after the first request.
    deadline: Option<Pin<Box<Sleep>>>,
    idle: Duration,
    /// Until when the client must read something; `None` while nothing waits to be sent.
    unread: Option<Pin<Box<Sleep>>>,
    unfinished: Unfinished,
    _place: OwnedSemaphorePermit,
}

impl Begun {
    /// What was written, or an error if that has waited for the client for too long.
    fn read_in_time<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let idle = self.idle;
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(idle)));
        if unread.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl Begun {
    /// Whether a WebSocket waits for its client to read. Nothing more is read meanwhile: what a client sends may have
    /// to be answered at once, such as a ping.
    fn is_unread(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.unfinished.is_socket() {
            return Poll::Ready(Ok(()));
        }
        if let Some(unread) = &mut self.unread {
            if self.connection.poll_write_ready(cx).is_ready() {
                self.unread = None;
                return Poll::Ready(Ok(()));
            }
            if unread.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Begun {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.asked.load(Ordering::Relaxed) {
            self.deadline = None;
        }
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        ready!(self.is_unread(cx))?;
        self.unfinished.waits(cx)?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.connection).poll_read(cx, buffer))?;
        let read = buffer.filled().len() - before;
        Poll::Ready(self.unfinished.arrives(read))
    }
}

impl AsyncWrite for Begun {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.connection).poll_write(cx, data);
        self.read_in_time(written, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.connection).poll_write_vectored(cx, data);
        self.read_in_time(written, cx)
    }
}
