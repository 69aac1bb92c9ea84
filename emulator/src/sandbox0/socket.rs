//! A context over a WebSocket: its output and its input.

use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, close_code};
use axum::extract::{Path, State};
use sandshell_providers::OutputStream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::context::{Work, find, state};
use super::contexts::number_of;
use super::interpreters::{start_code, text};
use super::{Reply, Sandbox0State};
use crate::http::{LARGEST_MESSAGE, parsed};
use crate::process::{Event, Process};
use crate::text::Decoder;
use crate::web_socket::{Socket, Upgrade};
use crate::world::Machine;

/// How many pieces of unread input are queued before the client has to wait.
const UNREAD: usize = 64;

pub(super) async fn connect(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
    upgrade: Upgrade,
) -> Reply {
    let machine = sandbox0.reach(&id)?;
    let context = find(&sandbox0, &id, &context)?;
    let serve = move |socket| async move {
        match context.work {
            Work::Command(process) => command(socket, process).await,
            Work::Interpreter(interpreter) => interpret(socket, &machine, &interpreter).await,
        }
    };
    Ok(upgrade.largest(LARGEST_MESSAGE).begin(serve, || {}))
}

/// Sends all output of a command from its beginning, and then its end.
async fn command(mut socket: Socket, process: Arc<Process>) {
    let mut follower = process.follow();
    let (mut stdout, mut stderr) = (Decoder::default(), Decoder::default());
    let (input, mut pieces) = mpsc::channel::<String>(UNREAD);
    let fed = process.clone();
    tokio::spawn(async move {
        while let Some(piece) = pieces.recv().await {
            // What does not arrive must not look as if it had: the command is ended.
            if fed.input(piece.into()).await.is_err() {
                fed.kill(9);
            }
        }
    });
    let end = loop {
        let event = tokio::select! {
            event = follower.next() => event,
            message = receive(&mut socket) => {
                let Some(message) = message else { return };
                match message["type"].as_str() {
                    Some("input") => {
                        let data = message["data"].as_str().unwrap_or_default().to_owned();
                        if input.try_send(data).is_err() {
                            return close(socket, "too much input waits for a command that does not read").await;
                        }
                    }
                    Some("signal") => if let Some(number) = number_of(&message["signal"]) {
                        process.kill(number);
                    },
                    // Resizing has no effect, because there is no terminal.
                    _ => {}
                }
                continue;
            }
        };
        let (source, text) = match event {
            Event::Chunk(chunk) => match chunk.stream {
                OutputStream::Stdout => ("stdout", stdout.push(&chunk.data)),
                OutputStream::Stderr => ("stderr", stderr.push(&chunk.data)),
            },
            Event::End(end) => break end,
        };
        if !output(&mut socket, source, &text).await {
            return;
        }
    };
    for (source, rest) in [("stdout", stdout.finish()), ("stderr", stderr.finish())] {
        output(&mut socket, source, &rest).await;
    }
    let (state, code) = state(&end);
    send(&mut socket, &json!({"type": "done", "exit_code": code, "state": state})).await;
    close(socket, "").await;
}

/// Runs the pieces of code that the client sends, one after another.
async fn interpret(mut socket: Socket, machine: &Arc<Machine>, interpreter: &str) {
    while let Some(message) = receive(&mut socket).await {
        let (Some("input"), Some(code)) = (message["type"].as_str(), message["data"].as_str()) else {
            continue;
        };
        let Ok(mut events) = start_code(machine, interpreter, code).await else {
            return close(socket, "the interpreter is gone").await;
        };
        while let Some(what) = events.recv().await {
            if let Some((source, text)) = text(what)
                && !output(&mut socket, source, &text).await
            {
                return;
            }
        }
        if !send(&mut socket, &json!({"type": "done", "request_id": message["request_id"]})).await {
            return;
        }
    }
}

async fn output(socket: &mut Socket, source: &str, text: &str) -> bool {
    text.is_empty() || send(socket, &json!({"type": "output", "source": source, "data": text})).await
}

/// The next message that is JSON; `None` when the client is gone.
async fn receive(socket: &mut Socket) -> Option<Value> {
    loop {
        let text = match socket.recv().await? {
            Ok(Message::Text(text)) => text,
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => continue,
        };
        if let Some(message) = parsed(text.as_bytes()) {
            return Some(message);
        }
    }
}

async fn send(socket: &mut Socket, message: &Value) -> bool {
    socket.send(Message::Text(message.to_string().into())).await.is_ok()
}

async fn close(mut socket: Socket, why: &'static str) {
    let code = if why.is_empty() { close_code::NORMAL } else { close_code::POLICY };
    // It does not matter if the client is gone.
    drop(socket.send(Message::Close(Some(CloseFrame { code, reason: why.into() }))).await);
}
