//! The protocol on standard input and output. Each message is a line; a line that cannot be read gets an error as its
//! answer.
//!
//! The crate `rmcp` silently drops a line above its limit, and one with half of a surrogate pair (`"\ud83d"`, as
//! JavaScript writes a text that was cut within a character). A client would wait for its answer for ever. Here we add
//! a small request of our own with the same id after such a line; its answer says what is wrong ([`unread`]).

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

/// The method of the request that stands for one with half of a surrogate pair.
const HALF: &str = "sandshell/message_with_half_a_pair";

/// Standard input and output.
pub(super) fn transport() -> impl Transport<RoleServer> {
    let (input, output) = stdio_pipes();
    AsyncRwTransport::new(Lines::new(input, MAX_MESSAGE), output).with_max_line_length(MAX_MESSAGE)
}

/// The answer to a request that stands for one that could not be read; `None` for any other.
pub(super) fn unread(request: &CustomRequest) -> Option<ErrorData> {
    let why = match request.method.as_str() {
        TOO_LONG => format!("the message has more than {MAX_MESSAGE} bytes, which is the limit"),
        HALF => {
            "the message has half of a surrogate pair (\\ud800 to \\udfff alone), which is no text".to_owned()
        }
        _ => return None,
    };
    Some(ErrorData::invalid_request(why, None))
}

/// Passes lines on unchanged. After a line that is longer than the limit (with its line break), or has half of a
/// surrogate pair, it adds a request that stands for it.
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
    pairs: Pairs,
    /// The rest of our own line that was not passed on yet.
    own: Vec<u8>,
}

impl<R> Lines<R> {
    fn new(source: R, limit: usize) -> Self {
        let chunk = vec![0; 64 << 10].into_boxed_slice();
        Self {
            source,
            limit,
            chunk,
            start: 0,
            end: 0,
            length: 0,
            id: Id::default(),
            pairs: Pairs::default(),
            own: Vec::new(),
        }
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
            self.pairs.read(line);
            if line.ends_with(b"\n") {
                let (long, id) = (self.length > self.limit, std::mem::take(&mut self.id).value());
                let half = std::mem::take(&mut self.pairs).are_broken();
                self.length = 0;
                if let (true, Some(id)) = (long || half, id) {
                    let method = if long { TOO_LONG } else { HALF };
                    self.own = format!("{}\n", own_request(&id, method)).into();
                    break;
                }
            }
        }
        passed
    }
}

/// The request that follows a line that cannot be read. In sessions that begin without `initialize`, each request must
/// describe the client; in other sessions this has no effect.
fn own_request(id: &Value, method: &str) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": ProtocolVersion::LATEST,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta}})
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

/// Finds out whether the escaped characters of a message are whole, without keeping the message.
#[derive(Debug, Default)]
struct Pairs {
    escape: Escape,
    /// The first half of a pair came last.
    first_half: bool,
    broken: bool,
}

/// The part of an escape sequence that was read.
#[derive(Clone, Copy, Debug, Default)]
enum Escape {
    #[default]
    None,
    Backslash,
    /// The digits after `\u`.
    Digits {
        value: u32,
        count: u32,
    },
}

impl Pairs {
    fn read(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            self.escape = match self.escape {
                Escape::None if byte == b'\\' => Escape::Backslash,
                Escape::None => {
                    self.other();
                    // Strings may be files of many megabytes, so they are skipped quickly.
                    let end = rest.iter().position(|byte| *byte == b'\\').unwrap_or(rest.len());
                    rest = rest.get(end..).unwrap_or_default();
                    Escape::None
                }
                Escape::Backslash if byte == b'u' => Escape::Digits { value: 0, count: 0 },
                Escape::Backslash => {
                    self.other();
                    Escape::None
                }
                Escape::Digits { value, count } => {
                    let value = value << 4 | char::from(byte).to_digit(16).unwrap_or_default();
                    if count == 3 {
                        self.character(value);
                        Escape::None
                    } else {
                        Escape::Digits { value, count: count + 1 }
                    }
                }
            };
        }
    }

    fn character(&mut self, value: u32) {
        let second = (0xdc00..0xe000).contains(&value);
        self.broken |= self.first_half != second;
        self.first_half = (0xd800..0xdc00).contains(&value);
    }

    fn other(&mut self) {
        self.broken |= std::mem::take(&mut self.first_half);
    }

    /// At the end of the message.
    fn are_broken(self) -> bool {
        self.broken || self.first_half
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
    use super::{HALF, Id, Lines, Pairs, TOO_LONG, own_request};
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
        let own = own_request(&json!(5), TOO_LONG);
        assert_eq!(passed, format!("{{\"id\":1}}\n{long}\n{own}\n{notification}\n\n{long}"));

        let mut passed = String::new();
        Lines::new(text.as_bytes(), long.len() + 1).read_to_string(&mut passed).await.unwrap();
        assert_eq!(passed, text);
    }

    #[test]
    fn halves_of_surrogate_pairs_are_found() {
        let broken = |text: &str| {
            let whole = |pieces: usize| {
                let mut pairs = Pairs::default();
                text.as_bytes().chunks(pieces).for_each(|piece| pairs.read(piece));
                pairs.are_broken()
            };
            let expected = whole(text.len());
            for pieces in 1..text.len() {
                assert_eq!(whole(pieces), expected, "{text} in pieces of {pieces}");
            }
            expected
        };
        for text in [
            r#""\ud83d\ude00""#,
            r#""\u0041\n\\ud83d""#,
            r#""\uD83D\uDE00\ud83d\ude00 x""#,
            "\"😀\\u00e9\"",
            "{}",
        ] {
            assert!(!broken(text) && serde_json::from_str::<Value>(text).is_ok(), "{text}");
        }
        for text in [
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ude00\ud83d""#,
            r#""\ud83dx\ude00""#,
            r#""\ud83d\n""#,
            r#""\ud83d\ud83d\ude00""#,
        ] {
            assert!(broken(text) && serde_json::from_str::<Value>(text).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_message_with_half_a_pair_is_followed_by_a_request() {
        let text = "{\"id\":1,\"a\":\"\\ud83d\"}\n{\"id\":2}\n";
        let mut passed = String::new();
        Lines::new(text.as_bytes(), 500).read_to_string(&mut passed).await.unwrap();
        let own = own_request(&json!(1), HALF);
        assert_eq!(passed, format!("{{\"id\":1,\"a\":\"\\ud83d\"}}\n{own}\n{{\"id\":2}}\n"));
    }
}
