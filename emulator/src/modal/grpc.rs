//! gRPC over HTTP/2: length-prefixed messages, and the status in trailers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, header};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use http_body::{Body as _, Frame};
use percent_encoding::{CONTROLS, utf8_percent_encode};
use prost::Message;
use tokio::sync::mpsc;

use crate::http::HttpAnswer;
use crate::room::{Full, Room, SHORT, What};
use sandshell_providers::{Error, ErrorKind};

pub(super) const INVALID_ARGUMENT: u16 = 3;
pub(super) const NOT_FOUND: u16 = 5;
pub(super) const ALREADY_EXISTS: u16 = 6;
pub(super) const PERMISSION_DENIED: u16 = 7;
pub(super) const RESOURCE_EXHAUSTED: u16 = 8;
pub(super) const FAILED_PRECONDITION: u16 = 9;
pub(super) const UNIMPLEMENTED: u16 = 12;
pub(super) const INTERNAL: u16 = 13;
pub(super) const UNAVAILABLE: u16 = 14;
pub(super) const UNAUTHENTICATED: u16 = 16;

/// The largest message that is read if it carries input of a command, and any other. Fields of a few bytes take far
/// more memory than their text, so a message that has many must be short.
pub(super) const LARGEST_MESSAGE: usize = 256 << 20;
pub(super) const LARGEST_CALL: usize = 4 << 20;

/// How many characters of an error's message are sent. Clients refuse heads that are too long.
const LONGEST_MESSAGE: usize = 1000;

/// A failed call: its code and message.
#[derive(Debug)]
pub(super) struct Status(pub(super) u16, pub(super) String);

pub(super) type Called<T> = Result<T, Status>;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            ErrorKind::InvalidRequest => INVALID_ARGUMENT,
            ErrorKind::NotFound | ErrorKind::SandboxEnded => NOT_FOUND,
            ErrorKind::Conflict => FAILED_PRECONDITION,
            ErrorKind::PermissionDenied => PERMISSION_DENIED,
            ErrorKind::QuotaExceeded | ErrorKind::RateLimited => RESOURCE_EXHAUSTED,
            ErrorKind::Unsupported => UNIMPLEMENTED,
            ErrorKind::Unavailable => UNAVAILABLE,
            _ => INTERNAL,
        };
        Self(code, error.to_string())
    }
}

impl From<Full> for Status {
    fn from(full: Full) -> Self {
        Self(RESOURCE_EXHAUSTED, full.to_string())
    }
}

/// The only message of a request.
pub(super) async fn read<T: Message + Default>(body: Body) -> Called<T> {
    let mut messages = Messages::new(body);
    messages.next().await?.ok_or_else(|| Status(INTERNAL, "the request has no message".to_owned()))
}

/// An answer with one message or with an error.
pub(super) fn answer<T: Message>(called: Called<T>) -> HttpAnswer {
    match called {
        Ok(message) => {
            let (sender, answer) = stream();
            // The channel has room for both frames.
            drop(sender.0.try_send(Frame::data(framed(&message))));
            drop(sender.0.try_send(Frame::trailers(ended())));
            answer
        }
        Err(Status(code, message)) => {
            let mut answer = Response::new(Body::empty());
            let headers = answer.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
            headers.insert("grpc-status", HeaderValue::from(code));
            if let Some(message) = escaped(&message) {
                headers.insert("grpc-message", message);
            }
            answer
        }
    }
}

/// A message as a header's value. It is not longer than heads may be.
fn escaped(message: &str) -> Option<HeaderValue> {
    let short: String = message.chars().take(LONGEST_MESSAGE).collect();
    HeaderValue::from_str(&utf8_percent_encode(&short, CONTROLS).to_string()).ok()
}

/// An answer of many messages.
pub(super) fn stream() -> (Sender, HttpAnswer) {
    // One connection can have thousands of answers that nobody reads, so only a little of each is waiting.
    let (sender, receiver) = mpsc::channel(2);
    let mut answer = Response::new(Body::new(Frames(receiver)));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    (Sender(sender), answer)
}

/// Sends the messages of an answer.
pub(super) struct Sender(mpsc::Sender<Frame<Bytes>>);

impl Sender {
    /// Sends a message; returns false if nobody reads any more.
    pub(super) async fn send<T: Message>(&self, message: &T) -> bool {
        self.0.send(Frame::data(framed(message))).await.is_ok()
    }

    /// Ends the answer with an error.
    pub(super) async fn fail(self, status: &Status) {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from(status.0));
        if let Some(message) = escaped(&status.1) {
            trailers.insert("grpc-message", message);
        }
        drop(self.0.send(Frame::trailers(trailers)).await);
    }

    /// Ends the answer with success.
    pub(super) async fn end(self) {
        // It does not matter if nobody reads any more.
        drop(self.0.send(Frame::trailers(ended())).await);
    }
}

struct Frames(mpsc::Receiver<Frame<Bytes>>);

impl http_body::Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|frame| frame.map(Ok))
    }
}

/// The messages of a request, as they arrive.
pub(super) struct Messages {
    body: Body,
    buffer: BytesMut,
    /// For a buffer that is long.
    room: Room,
}

impl Messages {
    pub(super) fn new(body: Body) -> Self {
        Self { body, buffer: BytesMut::new(), room: Room::none(What::Pieces) }
    }

    pub(super) async fn next<T: Message + Default>(&mut self) -> Called<Option<T>> {
        let broken = |why: &str| Status(INTERNAL, format!("the request cannot be read: {why}"));
        loop {
            if let Some((&[compressed, a, b, c, d], rest)) = self.buffer.split_first_chunk::<5>() {
                let length = u32::from_be_bytes([a, b, c, d]) as usize;
                if compressed != 0 {
                    return Err(Status(UNIMPLEMENTED, "compression is not emulated".to_owned()));
                }
                if length > LARGEST_MESSAGE {
                    return Err(Status(RESOURCE_EXHAUSTED, "the message is too long".to_owned()));
                }
                if rest.len() >= length {
                    self.buffer.advance(5);
                    let message = self.buffer.split_to(length);
                    // The rest is in the same memory until more arrives, which is then a new buffer.
                    let _room = std::mem::replace(&mut self.room, Room::none(What::Pieces));
                    return T::decode(message).map(Some).map_err(|error| broken(&error.to_string()));
                }
            }
            let frame = std::future::poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await;
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        let length = self.buffer.len().saturating_add(data.len());
                        if length > SHORT {
                            self.room.reach(length)?;
                        }
                        self.buffer.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => return Err(broken(&error.to_string())),
                None if self.buffer.is_empty() => return Ok(None),
                None => return Err(broken("it ends within a message")),
            }
        }
    }
}

fn framed<T: Message>(message: &T) -> Bytes {
    let length = message.encoded_len();
    let mut framed = BytesMut::with_capacity(5 + length);
    framed.put_u8(0);
    framed.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    framed.put_slice(&message.encode_to_vec());
    framed.freeze()
}

fn ended() -> HeaderMap {
    HeaderMap::from_iter([(header::HeaderName::from_static("grpc-status"), HeaderValue::from_static("0"))])
}

#[cfg(test)]
mod tests {
    use sandshell_modal::control::SandboxRequest;

    use super::*;

    #[tokio::test]
    async fn messages_are_read_as_they_are_written() {
        let one = SandboxRequest { sandbox_id: "sb-1".to_owned() };
        let twice = [framed(&one), framed(&one)].concat();
        let mut messages = Messages::new(Body::from(twice.clone()));
        for _ in 0..2 {
            assert_eq!(messages.next::<SandboxRequest>().await.expect("a message"), Some(one.clone()));
        }
        assert_eq!(messages.next::<SandboxRequest>().await.expect("an end"), None);
        let mut torn = Messages::new(Body::from(twice[..4].to_vec()));
        assert!(torn.next::<SandboxRequest>().await.is_err());
        let mut nonsense = Messages::new(Body::from(&b"\0\0\0\0\x01\xff"[..]));
        assert!(nonsense.next::<SandboxRequest>().await.is_err());
    }
}
