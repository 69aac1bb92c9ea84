//! The protocol on standard input and output. Each message is a line; a line that is too long gets an error as its
//! answer.
//!
//! The crate `rmcp` silently drops a line above its limit, so a client would wait for its answer for ever. Here we
//! add a small request of our own with the same id after such a line; its answer names the limit ([`too_long`]).

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{CustomRequest, ProtocolVersion};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use serde_json::{Value, json};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The most bytes of a message: enough for an `upload` of 64 MiB in base64.
pub(super) const MAX_MESSAGE: usize = 128 << 20;

/// The method of the request that stands for one that was too long.
const TOO_LONG: &str = "sandshell/message_too_long";

/// Standard input and output.
pub(super) fn transport() -> impl Transport<RoleServer> {
    let (input, output) = stdio_pipes();
    AsyncRwTransport::new(Lines::new(input, MAX_MESSAGE), output).with_max_line_length(MAX_MESSAGE)
}

/// The answer to a request that stands for one that was too long; `None` for any other.
pub(super) fn too_long(request: &CustomRequest) -> Option<ErrorData> {
    let why = format!("the message has more than {MAX_MESSAGE} bytes, which is the limit");
    (request.method == TOO_LONG).then(|| ErrorData::invalid_request(why, None))
}

/// Passes lines on unchanged. After a line that is longer than the limit (with its line break) it adds a request
/// that stands for it.
struct Lines<R> {
    source: R,
    limit: usize,
    /// What was read and not passed on yet: `chunk[start..end]`.
    chunk: Box<[u8]>,
    start: usize,
    end: usize,
    /// Bytes of the line so far.
    length: usize,
    id: Id,
    /// The rest of our own line that was not passed on yet.
    own: Vec<u8>,
}

impl<R> Lines<R> {
    fn new(source: R, limit: usize) -> Self {
        let chunk = vec![0; 64 << 10].into_boxed_slice();
        Self { source, limit, chunk, start: 0, end: 0, length: 0, id: Id::default(), own: Vec::new() }
    }

    /// How many bytes of the chunk are passed on next. Stops at a line break after which our own line must follow.
    fn look(&mut self, room: usize) -> usize {
        let read = self.chunk.get(self.start..self.end).unwrap_or_default();
        let read = read.get(..room).unwrap_or(read);
        let mut passed = 0;
        for line in read.split_inclusive(|byte| *byte == b'\n') {
            passed += line.len();
            self.length = self.length.saturating_add(line.len());
            self.id.read(line);
            if line.ends_with(b"\n") {
                let (long, id) = (self.length > self.limit, std::mem::take(&mut self.id).value());
                self.length = 0;
                if let (true, Some(id)) = (long, id) {
                    self.own = format!("{}\n", own_request(&id)).into();
                    break;
                }
            }
        }
        passed
    }
}

/// The request that follows a line that is too long. In sessions that begin without `initialize`, each request must
/// describe the client; in other sessions this has no effect.
fn own_request(id: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": ProtocolVersion::LATEST,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": TOO_LONG, "params": {"_meta": meta}})
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.own.is_empty() {
            let count = this.own.len().min(out.remaining());
            out.put_slice(this.own.drain(..count).as_slice());
            return Poll::Ready(Ok(()));
        }
        if this.start == this.end {
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(Pin::new(&mut this.source).poll_read(cx, &mut chunk))?;
            (this.start, this.end) = (0, chunk.filled().len());
        }
        let passed = this.look(out.remaining());
        out.put_slice(this.chunk.get(this.start..this.start + passed).unwrap_or_default());
        this.start += passed;
        Poll::Ready(Ok(()))
    }
}

/// Finds the `id` of a message without keeping the message.
#[derive(Debug, Default)]
struct Id {
    /// How many brackets are open.
    depth: u64,
    in_string: bool,
    after_backslash: bool,
    part: Part,
    /// The member's name with its quotes, as long as it could still be `id`.
    name: Vec<u8>,
    /// The text of the id's value.
    value: Vec<u8>,
}

/// The position in a message's outermost object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Name,
    Value,
}

impl Id {
    /// Longer ids are not answered.
    const MAX: usize = 256;

    fn read(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            if self.in_string && !self.after_backslash && byte != b'"' && byte != b'\\' {
                // Strings may be files of many megabytes, so they are skipped quickly.
                let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                let (inside, after) = rest.split_at(end);
                self.keep(inside);
                rest = after;
                continue;
            }
            rest = after;
            match byte {
                _ if self.after_backslash => self.after_backslash = false,
                b'\\' if self.in_string => self.after_backslash = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' => {
                    self.depth += 1;
                    continue;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                b':' if self.depth == 1 => {
                    self.part = Part::Value;
                    continue;
                }
                b',' if self.depth == 1 => {
                    self.part = Part::Name;
                    self.name.clear();
                    continue;
                }
                _ => {}
            }
            if self.in_string || !byte.is_ascii_whitespace() {
                self.keep(&[byte]);
            }
        }
    }

    fn keep(&mut self, text: &[u8]) {
        let (kept, most) = match self.part {
            _ if self.depth != 1 => return,
            Part::Name => (&mut self.name, "\"id\" ".len()),
            Part::Value if self.name == b"\"id\"" => (&mut self.value, Self::MAX + 1),
            Part::Value => return,
        };
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(text.get(..room).unwrap_or(text));
    }

    /// The id, a string or a number; `None` if there is none, as in notifications.
    fn value(self) -> Option<Value> {
        if self.value.len() > Self::MAX {
            return None;
        }
        serde_json::from_slice(&self.value).ok().filter(|id: &Value| id.is_string() || id.is_number())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{Id, Lines, own_request};
    use serde_json::{Value, json};
    use tokio::io::AsyncReadExt as _;

    fn id(message: &str) -> Option<Value> {
        // The result does not depend on how the input is split.
        let whole = |pieces: usize| {
            let mut id = Id::default();
            message.as_bytes().chunks(pieces).for_each(|piece| id.read(piece));
            id.value()
        };
        let expected = whole(message.len());
        for pieces in 1..message.len() {
            assert_eq!(whole(pieces), expected, "{message} in pieces of {pieces}");
        }
        expected
    }

    #[test]
    fn ids_are_found_wherever_they_are() {
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8}}"#), Some(json!(7)));
        assert_eq!(id(r#"{ "params" : {"id":8, "a":["]","\"}"]}, "id" : "a\"b" }"#), Some(json!("a\"b")));
        assert_eq!(id(r#"{"id":1}"#), Some(json!(1)));
        assert_eq!(id(r#"{"method":"id","params":["id",3]}"#), None);
        assert_eq!(id(r#"{"ID":1,"identity":2,"i":3}"#), None);
        assert_eq!(id(r#"{"id":{"id":1}}"#), None);
        assert_eq!(id(r#"{"id":null}"#), None);
        assert_eq!(id("]]]]{\"id\":1"), Some(json!(1)));
        assert_eq!(id(&format!(r#"{{"id":"{}"}}"#, "x".repeat(300))), None);
    }

    #[tokio::test]
    async fn a_long_line_is_followed_by_a_request_and_others_are_passed_on() {
        let long = format!(r#"{{"params":"{}","id":5}}"#, "x".repeat(100));
        let notification = format!(r#"{{"params":"{}"}}"#, "x".repeat(100));
        let text = format!("{{\"id\":1}}\n{long}\n{notification}\n\n{long}");
        let mut passed = String::new();
        Lines::new(text.as_bytes(), 50).read_to_string(&mut passed).await.unwrap();
        let own = own_request(&json!(5));
        assert_eq!(passed, format!("{{\"id\":1}}\n{long}\n{own}\n{notification}\n\n{long}"));

        let mut passed = String::new();
        Lines::new(text.as_bytes(), long.len() + 1).read_to_string(&mut passed).await.unwrap();
        assert_eq!(passed, text);
    }
}
