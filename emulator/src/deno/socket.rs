//! A client's socket: calls, their answers, and streams in both directions.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message};
use serde_json::{Value, json};

use super::connection::{Called, Connection, Failure};
use super::{Deno, FIELDS, env, files, process, walk};
use crate::http::parsed;
use crate::room::{Room, SHORT, What};
use crate::web_socket::Socket;
use crate::world::Machine;

/// How often a socket checks whether its sandbox has ended.
const LOOK: Duration = Duration::from_millis(100);

/// How long a message to a client may take. One that does not read must not keep its sandbox's end from being seen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves a socket to its end. With `owns`, the sandbox ends with it, unless it has got a lifetime of its own.
pub(super) async fn serve(
    deno: Arc<Deno>,
    machine: Arc<Machine>,
    mut socket: Socket,
    late: bool,
    owns: bool,
) {
    let (connection, mut outgoing) = Connection::new(machine.clone(), late);
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
                Some(Ok(Message::Text(text))) => if let Err((code, reason)) = take(&connection, text.as_str()) {
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

/// Handles a message; calls are answered later. After an error, the socket is closed with this code and reason.
fn take(connection: &Arc<Connection>, text: &str) -> Result<(), (u16, &'static str)> {
    let mut message = parsed(text.as_bytes()).ok_or((4000, "Invalid JSON"))?;
    let method = message["method"].as_str().ok_or((4001, "Invalid message"))?.to_owned();
    let (id, parameters) = (message["id"].take(), message["params"].take());
    if id.is_null() {
        return match connection.streams.notified(&method, &parameters) {
            true => Ok(()),
            false => Err((1008, "too many streams that are not read or not ended")),
        };
    }
    let place = connection.calls.clone().try_acquire_owned();
    let place = place.map_err(|_| (1008, "too many calls without an answer"))?;
    let room = match text.len() {
        ..=SHORT => None,
        long => Some(Room::now(What::Pieces, long).map_err(|_| (1013, "too much is not answered yet"))?),
    };
    let connection = connection.clone();
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
