//! A client's socket: calls, their answers, and streams in both directions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use super::streams::Streams;
use super::{Deno, FIELDS, env, files, process, walk};
use crate::http::parsed;
use crate::room::{Room, SHORT, What};
use crate::web_socket::Socket;
use crate::world::Machine;

/// How often a socket checks whether its sandbox has ended.
const LOOK: Duration = Duration::from_millis(100);

/// How many messages may wait to be sent.
const QUEUE: usize = 64;

/// How many calls of a socket may be unanswered. Those that wait for a command are among them.
const MOST_CALLS: usize = 4096;

/// How long a message to a client may take. One that does not read must not keep its sandbox's end from being seen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The number of the first stream that the server begins.
const FIRST_STREAM: u64 = 1001;

/// The state that the calls of one socket share.
pub(super) struct Connection {
    pub(super) machine: Arc<Machine>,
    pub(super) streams: Streams,
    /// Whether the client listens to new streams only some time after it was told of them.
    pub(super) late: bool,
    next: AtomicU64,
    messages: mpsc::Sender<(String, Option<Room>)>,
    calls: Arc<Semaphore>,
}

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

/// Serves a socket to its end. With `owns`, the sandbox ends with it, unless it has got a lifetime of its own.
pub(super) async fn serve(
    deno: Arc<Deno>,
    machine: Arc<Machine>,
    mut socket: Socket,
    late: bool,
    owns: bool,
) {
    let (messages, mut outgoing) = mpsc::channel(QUEUE);
    let next = AtomicU64::new(FIRST_STREAM);
    let (streams, calls) = (Streams::default(), Arc::new(Semaphore::new(MOST_CALLS)));
    let connection = Arc::new(Connection { machine: machine.clone(), streams, late, next, messages, calls });
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) if text.as_str() == "ping" => {
                    if socket.send(Message::text("pong")).await.is_err() {
                        break;
                    }
                }
                Some(Ok(Message::Text(_))) if deno.world.get(&machine.id).is_none() => {
                    drop(socket.send(close(1001, "sandbox terminated")).await);
                    break;
                }
                Some(Ok(Message::Text(text))) => if let Err((code, reason)) = connection.take(text.as_str()) {
                    drop(socket.send(close(code, reason)).await);
                    break;
                },
                Some(Ok(Message::Binary(_))) => {
                    drop(socket.send(close(4000, "Invalid JSON")).await);
                    break;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
            Some((message, _room)) = outgoing.recv() => {
                let sent = tokio::time::timeout(PATIENCE, socket.send(Message::text(message))).await;
                if !matches!(sent, Ok(Ok(()))) {
                    break;
                }
            }
            _ = look.tick() => if deno.world.get(&machine.id).is_none() {
                drop(socket.send(close(1001, "sandbox terminated")).await);
                break;
            },
        }
    }
    if owns {
        over(&deno, &machine).await;
    }
}

/// Ends a sandbox that lives as long as the socket that created it.
pub(super) async fn over(deno: &Deno, machine: &Machine) {
    if machine.status().extra["session"] == json!(true) {
        // It does not matter if the provider cannot delete it.
        drop(deno.world.delete(&machine.id).await);
    }
}

fn close(code: u16, reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code, reason: reason.into() }))
}

impl Connection {
    /// Handles a message; calls are answered later. After an error, the socket is closed with this code and reason.
    fn take(self: &Arc<Self>, text: &str) -> Result<(), (u16, &'static str)> {
        let mut message = parsed(text.as_bytes()).ok_or((4000, "Invalid JSON"))?;
        let method = message["method"].as_str().ok_or((4001, "Invalid message"))?.to_owned();
        let (id, parameters) = (message["id"].take(), message["params"].take());
        if id.is_null() {
            return match self.streams.notified(&method, &parameters) {
                true => Ok(()),
                false => Err((1008, "too many streams that are not read or not ended")),
            };
        }
        let place = self.calls.clone().try_acquire_owned();
        let place = place.map_err(|_| (1008, "too many calls without an answer"))?;
        let room = match text.len() {
            ..=SHORT => None,
            long => Some(Room::now(What::Pieces, long).map_err(|_| (1013, "too much is not answered yet"))?),
        };
        let connection = self.clone();
        tokio::spawn(async move {
            let _place = (place, room);
            if let Err(refused) = known(&method, &parameters) {
                return connection.answer(&id, Err(refused)).await;
            }
            match method.as_str() {
                "spawn" => process::spawn(&connection, &id, &parameters).await,
                "walk" | "expandGlob" => walk::call(&connection, &id, &method, &parameters).await,
                _ => {
                    let called = call(&connection, &method, &parameters).await;
                    connection.answer(&id, called).await;
                }
            }
        });
        Ok(())
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

/// Checks that the method exists and that it supports all parameters.
fn known(method: &str, parameters: &Value) -> Result<(), Failure> {
    let known = FIELDS.procedure(method).ok_or(Failure::Unknown)?;
    let unsupported = |why: String| Failure::Thrown("NotSupported", None, why);
    match &known.refused {
        Some(what) => Err(unsupported(format!("{method}: {what}: not emulated by sandshell"))),
        None => known.check(parameters).map_err(|refused| unsupported(format!("{method}: {refused}"))),
    }
}

async fn call(connection: &Arc<Connection>, method: &str, parameters: &Value) -> Called {
    match method {
        "processWait" => process::wait(connection, parameters).await,
        "processKill" => process::kill(connection, parameters),
        "envGet" | "envSet" | "envDelete" | "envToObject" => {
            env::call(&connection.machine, method, parameters).await
        }
        // A call that is aborted ends soon by itself.
        "abort" => Ok(Value::Null),
        _ => files::call(connection, method, parameters).await,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Treatment;

    fn why(method: &str, parameters: Value) -> Option<String> {
        match known(method, &parameters) {
            Ok(()) => None,
            Err(Failure::Thrown(_, _, why)) => Some(why),
            Err(Failure::Unknown) => Some("unknown".to_owned()),
            Err(Failure::Parameters(why)) => Some(why),
        }
    }

    #[test]
    fn no_field_of_a_call_is_ignored() {
        for known in FIELDS.requests.iter().filter(|known| !known.name.contains(' ')) {
            if let Some(what) = &known.refused {
                assert!(
                    why(&known.name, Value::Null).is_some_and(|why| why.contains(what)),
                    "{}",
                    known.name
                );
                continue;
            }
            for field in &known.fields {
                let asked = match &field.treatment {
                    Treatment::Refused { unless: Some(values), .. } if values.contains(&json!(true)) => {
                        json!(false)
                    }
                    _ => json!("something"),
                };
                let parameters = field.name.rsplit('.').fold(asked, |value, part| json!({part: value}));
                let refused = matches!(field.treatment, Treatment::Refused { .. });
                assert_eq!(why(&known.name, parameters).is_some(), refused, "{} {}", known.name, field.name);
            }
            let unknown = why(&known.name, json!({"noSuchField": 1}));
            assert!(unknown.is_some_and(|why| why.contains("does not know this field")), "{}", known.name);
        }
        assert_eq!(why("noSuchMethod", Value::Null).as_deref(), Some("unknown"));
        assert_eq!(why("spawn", json!({"stdout": "piped", "stderr": "null"})), None);
    }
}
