//! What the calls of one socket share: answers, notifications, streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use super::streams::Streams;
use crate::room::{Room, SHORT, What};
use crate::world::Machine;

/// The state that the calls of one socket share.
pub(super) struct Connection {
    pub(super) machine: Arc<Machine>,
    pub(super) streams: Streams,
    /// Whether the client listens to new streams only some time after it was told of them.
    pub(super) late: bool,
    /// Places for calls that are not answered yet.
    pub(super) calls: Arc<Semaphore>,
    next: AtomicU64,
    messages: mpsc::Sender<Outgoing>,
}

/// A message that waits to be sent, and the room that it takes.
pub(super) type Outgoing = (String, Option<Room>);

/// Why a call failed.
pub(super) enum Failure {
    /// The exception that Deno would throw: the error's class, its code, and its message.
    Thrown(&'static str, Option<&'static str>, String),
    /// There is no such method.
    Unknown,
    /// The parameters are invalid.
    Parameters(String),
}

pub(super) type Called = Result<Value, Failure>;

/// The number of the first stream that the server begins.
const FIRST_STREAM: u64 = 1001;

/// How many messages may wait to be sent.
const QUEUE: usize = 64;

/// How many calls of a socket may be unanswered. Those that wait for a command are among them.
const MOST_CALLS: usize = 4096;

impl Connection {
    /// A connection to a sandbox, and its messages for the client.
    pub(super) fn new(machine: Arc<Machine>, late: bool) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (messages, outgoing) = mpsc::channel(QUEUE);
        let (calls, next) = (Arc::new(Semaphore::new(MOST_CALLS)), AtomicU64::new(FIRST_STREAM));
        (Arc::new(Self { machine, streams: Streams::default(), late, calls, next, messages }), outgoing)
    }

    pub(super) async fn answer(&self, id: &Value, called: Called) {
        let mut message = json!({"jsonrpc": "2.0", "id": id});
        match called {
            Ok(value) => message["result"] = json!({"ok": value}),
            Err(Failure::Thrown(class, code, text)) => {
                message["result"] = json!({"error": {
                    "constructorName": class,
                    "message": text,
                    "code": code,
                    "stack": null,
                    "cause": null,
                    "errors": null,
                    "name": class,
                    "suppressed": null,
                    "error": null,
                }});
            }
            Err(Failure::Unknown) => {
                message["error"] = json!({"code": -32601, "message": "Method not found"});
            }
            Err(Failure::Parameters(text)) => {
                message["error"] = json!({"code": -32602, "message": format!("Invalid params: {text}")});
            }
        }
        self.send(&message).await;
    }

    pub(super) async fn notify(&self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters})).await;
    }

    /// A new number for a stream from the server.
    pub(super) fn stream(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    async fn send(&self, message: &Value) {
        let mut text = message.to_string();
        let mut room = None;
        if text.len() > SHORT {
            match Room::now(What::Answers, text.len()) {
                Ok(taken) => room = Some(taken),
                Err(full) => {
                    let error = json!({"code": -32000, "message": full.to_string()});
                    text = json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string();
                }
            }
        }
        // It does not matter if the socket is closed.
        drop(self.messages.send((text, room)).await);
    }
}

impl Failure {
    /// The failure for an error of the provider.
    pub(super) fn of(error: &sandshell_providers::Error) -> Self {
        Self::Thrown("Error", None, error.to_string())
    }
}

/// A parameter that must be a string.
pub(super) fn text<'a>(parameters: &'a Value, name: &str) -> Result<&'a str, Failure> {
    parameters[name].as_str().ok_or_else(|| Failure::Parameters(format!("{name} is not a string")))
}
