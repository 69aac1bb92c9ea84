//! Streams from the client: standard input, and contents of files.

use std::collections::HashMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::room::{Room, What};

/// A piece of a stream with the memory that it takes, or the reason why the stream failed.
pub(super) type Piece = Result<(Bytes, Room), String>;

/// What a piece takes beside its bytes.
const PIECE: usize = 256;

/// How many streams of a socket are not read or not ended yet.
const MOST: usize = 1000;

/// The two ends of each stream, by number.
#[derive(Default)]
pub(super) struct Streams(Mutex<HashMap<u64, Ends>>);

/// Each end is taken separately, because a stream may be read before it begins and may end before it is read.
struct Ends {
    writer: Option<UnboundedSender<Piece>>,
    reader: Option<UnboundedReceiver<Piece>>,
}

impl Streams {
    /// Handles a client's notification about a stream; other notifications are ignored. Returns false if there are too
    /// many streams.
    pub(super) fn notified(&self, method: &str, parameters: &Value) -> bool {
        let Some(id) = parameters["streamId"].as_u64() else { return true };
        let mut streams = self.0.lock();
        if streams.len() >= MOST && !streams.contains_key(&id) {
            return false;
        }
        let ends = streams.entry(id).or_insert_with(Ends::new);
        let send = |piece: Piece| {
            if let Some(writer) = &ends.writer {
                // It does not matter if nobody reads any more.
                drop(writer.send(piece));
            }
        };
        match method {
            "$sandbox.stream.enqueue" => {
                let data = parameters["data"].as_str().and_then(|data| BASE64_STANDARD.decode(data).ok());
                let piece = match data {
                    None => Err("the data is not base64".to_owned()),
                    // A stream that nobody reads yet is in memory.
                    Some(data) => match Room::now(What::Pieces, data.len() + PIECE) {
                        Ok(room) => Ok((data.into(), room)),
                        Err(full) => Err(full.to_string()),
                    },
                };
                let failed = piece.is_err();
                send(piece);
                if failed {
                    ends.writer = None;
                }
            }
            "$sandbox.stream.error" => {
                send(Err(parameters["error"].as_str().unwrap_or("the stream broke off").to_owned()));
                ends.writer = None;
            }
            "$sandbox.stream.end" => ends.writer = None,
            _ => {}
        }
        if ends.writer.is_none() && ends.reader.is_none() {
            streams.remove(&id);
        }
        true
    }

    /// The reading end of a stream. It can be taken once.
    pub(super) fn reader(&self, id: u64) -> Option<UnboundedReceiver<Piece>> {
        let mut streams = self.0.lock();
        let ends = streams.entry(id).or_insert_with(Ends::new);
        let reader = ends.reader.take();
        if ends.writer.is_none() {
            streams.remove(&id);
        }
        reader
    }
}

impl Ends {
    fn new() -> Self {
        let (writer, reader) = unbounded_channel();
        Self { writer: Some(writer), reader: Some(reader) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn what_nobody_reads_takes_room_and_is_limited() {
        let streams = Streams::default();
        let send =
            |id: u64| streams.notified("$sandbox.stream.enqueue", &json!({"streamId": id, "data": "eA=="}));
        assert!((0..MOST as u64).all(send));
        assert!(!send(MOST as u64), "a stream too many");
        assert!(send(0));
        let mut reader = streams.reader(0).expect("a stream");
        for _ in 0..2 {
            let (data, room) = reader.recv().await.expect("a piece").expect("data");
            assert!(data == "x" && room.bytes() > data.len());
        }
        streams.notified("$sandbox.stream.enqueue", &json!({"streamId": 0, "data": "?"}));
        assert!(reader.recv().await.expect("a piece").is_err());
        assert!(reader.recv().await.is_none(), "a stream with an error goes on");
    }
}
