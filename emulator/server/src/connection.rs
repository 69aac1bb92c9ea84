//! Connections before their first request.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

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

/// A connection that fails if no request arrives within that time; the flag is set when one has arrived. (The
/// server's own limit begins only when it knows the version of HTTP.)
pub(super) fn begin(connection: TcpStream, within: Duration) -> (TokioIo<Begun>, Arc<AtomicBool>) {
    let asked = Arc::new(AtomicBool::new(false));
    let begun = Begun { connection, asked: asked.clone(), deadline: Some(Box::pin(sleep(within))) };
    (TokioIo::new(begun), asked)
}

/// A connection that must send a request in time.
pub(super) struct Begun {
    connection: TcpStream,
    asked: Arc<AtomicBool>,
    /// The time limit; `None` after the first request.
    deadline: Option<Pin<Box<Sleep>>>,
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
        Pin::new(&mut self.connection).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Begun {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write(cx, data)
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
        Pin::new(&mut self.connection).poll_write_vectored(cx, data)
    }
}
