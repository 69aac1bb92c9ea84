//! Streams from the client: standard input, and contents of files.

use std::collections::HashMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A piece of a stream, or the reason why the stream failed.
pub(super) type Piece = Result<Bytes, String>;

/// The two ends of each stream, by number.
#[derive(Default)]
pub(super) struct Streams(Mutex<HashMap<u64, Ends>>);

/// Each end is taken separately, because a stream may be read before it begins and may end before it is read.
struct Ends {
    writer: Option<UnboundedSender<Piece>>,
    reader: Option<UnboundedReceiver<Piece>>,
}

impl Streams {
    /// Handles a client's notification about a stream; other notifications are ignored.
    pub(super) fn notified(&self, method: &str, parameters: &Value) {
        let Some(id) = parameters["streamId"].as_u64() else { return };
        let mut streams = self.0.lock();
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
                send(data.map(Bytes::from).ok_or_else(|| "the data is not base64".to_owned()));
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
