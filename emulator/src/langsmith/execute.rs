//! Commands over WebSockets.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, close_code};
use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{FIELDS, LangSmith, LangSmithState, Reply, run_config};
use crate::http::{LARGEST_MESSAGE, parsed, strings};
use crate::ids::random_uuid;
use crate::process::{End, Event, Input, Process};
use crate::text::{Decoder, exit_code};
use crate::web_socket::{Socket, Upgrade};
use crate::world::Machine;

pub(super) async fn socket(
    State(langsmith): LangSmithState,
    Path(id): Path<String>,
    upgrade: Upgrade,
) -> Reply {
    let machine = langsmith.reach(&id)?;
    let serve = move |socket| async move { serve(&langsmith, &machine, socket).await };
    Ok(upgrade.largest(LARGEST_MESSAGE).begin(serve, || {}))
}

/// How much of a stream this client has received, in bytes of the encoded text.
struct Stream {
    name: &'static str,
    decoder: Decoder,
    offset: usize,
    /// How many bytes it already had.
    known: usize,
}

async fn serve(langsmith: &LangSmith, machine: &Machine, mut socket: Socket) {
    let Some(first) = receive(&mut socket).await else { return };
    let begun = match first["type"].as_str() {
        Some("execute") => execute(langsmith, machine, &first),
        Some("reconnect") => reconnect(langsmith, machine, &first),
        _ => Err(("CommandError", "the first message is neither execute nor reconnect".to_owned())),
    };
    let (command, process) = match begun {
        Ok(begun) => begun,
        Err((kind, message)) => {
            send(&mut socket, &json!({"type": "error", "error_type": kind, "error": message})).await;
            return close(socket).await;
        }
    };
    let started = json!({"type": "started", "command_id": command, "pid": process.pid});
    if !send(&mut socket, &started).await {
        return;
    }
    let known = |name: &str| first[name].as_u64().and_then(|known| usize::try_from(known).ok()).unwrap_or(0);
    let stream = |name, known| Stream { name, decoder: Decoder::default(), offset: 0, known };
    let mut stdout = stream("stdout", known("stdout_offset"));
    let mut stderr = stream("stderr", known("stderr_offset"));
    let (input, pieces) = mpsc::channel(UNREAD);
    tokio::spawn(feed(process.clone(), pieces));
    let mut follower = process.follow();
    let end = loop {
        let event = tokio::select! {
            event = follower.next() => event,
            (place, message) = async { (input.reserve().await, receive(&mut socket).await) } => match message {
                Some(message) => {
                    steer(&process, place.ok(), &message);
                    continue;
                }
                None => {
                    if first["kill_on_disconnect"] == json!(true) {
                        process.kill(9);
                    }
                    return;
                }
            },
        };
        let message = match event {
            Event::Chunk(chunk) => match chunk.stream {
                OutputStream::Stdout => stdout.push(&chunk.data),
                OutputStream::Stderr => stderr.push(&chunk.data),
            },
            Event::End(end) => break end,
        };
        if let Some(message) = message
            && !send(&mut socket, &message).await
        {
            return;
        }
    };
    for message in [stdout.finish(), stderr.finish()].into_iter().flatten() {
        send(&mut socket, &message).await;
    }
    let last = match &end {
        End::TimedOut => {
            json!({"type": "error", "error_type": "CommandTimeout", "error": "command timed out"})
        }
        End::Failed(error) => {
            json!({"type": "error", "error_type": "CommandError", "error": error.to_string()})
        }
        End::Exited(_) | End::Killed(_) => json!({"type": "exit", "exit_code": exit_code(&end)}),
    };
    send(&mut socket, &last).await;
    close(socket).await;
}

pub(super) type Begun = Result<(String, Arc<Process>), (&'static str, String)>;

/// Starts a command, or finds the one that was started under this id.
pub(super) fn execute(langsmith: &LangSmith, machine: &Machine, body: &Value) -> Begun {
    let wrong = |message: &str| ("CommandError", message.to_owned());
    let command = body["command"].as_str().ok_or_else(|| wrong("command is required"))?;
    if let Some(Err(refused)) = FIELDS.procedure("execute").map(|known| known.check(body)) {
        return Err(wrong(&refused.to_string()));
    }
    let id = body["command_id"].as_str().map_or_else(random_uuid, str::to_owned);
    let mut commands = langsmith.commands.lock();
    let key = (machine.id.clone(), id.clone());
    if let Some(process) = commands.get(&key).and_then(|pid| machine.process(*pid)) {
        return Ok((id, process));
    }
    let line = match body["shell"].as_str() {
        None | Some("/bin/bash" | "bash") => command.to_owned(),
        Some(shell) => format!("exec {} -c {}", quote(shell), quote(command)),
    };
    let refused = || wrong("run_config: other users and relative directories are not emulated");
    let own = run_config::of(body).map_err(|_| refused())?;
    let extra = machine.status().extra;
    let run = &extra["run_config"];
    let mut request = ExecuteRequest::new(line);
    let cwd = [&body["cwd"], &own["work_dir"], &run["work_dir"]].into_iter().find_map(Value::as_str);
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_empty()) {
        request = request.cwd(cwd);
    }
    for layer in [&run["env_vars"], &extra["env_vars"], &own["env_vars"], &body["env"]] {
        for (name, value) in strings(layer) {
            request = request.env(name, value);
        }
    }
    if let Some(seconds) = body["timeout_seconds"].as_f64().filter(|seconds| *seconds > 0.0)
        && let Ok(timeout) = Duration::try_from_secs_f64(seconds)
    {
        request = request.timeout(timeout);
    }
    let process = machine.start(request, Input::written(body["close_stdin"] != json!(true)));
    commands.insert(key, process.pid);
    Ok((id, process))
}

pub(super) fn reconnect(langsmith: &LangSmith, machine: &Machine, body: &Value) -> Begun {
    let id = body["command_id"].as_str().unwrap_or_default().to_owned();
    let pid = langsmith.commands.lock().get(&(machine.id.clone(), id.clone())).copied();
    let process = pid.and_then(|pid| machine.process(pid));
    process.map(|process| (id, process)).ok_or(("CommandNotFound", "no such command".to_owned()))
}

/// A piece of standard input, or its end.
type Piece = Option<Bytes>;

/// How many pieces of unread input are queued before the client has to wait.
const UNREAD: usize = 64;

/// Handles a client's message while the command runs. This never waits, so that a command that does not read its
/// input can still be killed.
fn steer(process: &Process, place: Option<mpsc::Permit<'_, Piece>>, message: &Value) {
    let piece = match message["type"].as_str() {
        Some("input") => Some(message["data"].as_str().unwrap_or_default().to_owned().into()),
        Some("close_stdin") => None,
        Some("kill") => {
            process.kill(9);
            return;
        }
        _ => return,
    };
    if let Some(place) = place {
        place.send(piece);
    }
}

/// Writes standard input in the order of its arrival, including what the client sent before it disconnected.
async fn feed(process: Arc<Process>, mut pieces: mpsc::Receiver<Piece>) {
    while let Some(piece) = pieces.recv().await {
        match piece {
            // What does not arrive must not look as if it had: the command is ended.
            Some(data) => match process.input(data).await {
                Ok(written) => written,
                Err(_) => process.kill(9),
            },
            None => process.close_input().await,
        };
    }
}

impl Stream {
    fn push(&mut self, data: &[u8]) -> Option<Value> {
        let text = self.decoder.push(data);
        self.message(text)
    }

    fn finish(&mut self) -> Option<Value> {
        let text = self.decoder.finish();
        self.message(text)
    }

    /// A message with the part of the text that the client does not have yet.
    fn message(&mut self, text: String) -> Option<Value> {
        let begin = self.offset;
        self.offset += text.len();
        let mut known = self.known.saturating_sub(begin).min(text.len());
        while !text.is_char_boundary(known) {
            known += 1;
        }
        let fresh = text.get(known..).filter(|fresh| !fresh.is_empty())?;
        Some(json!({"type": self.name, "data": fresh, "offset": begin + known}))
    }
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

async fn close(mut socket: Socket) {
    let frame = CloseFrame { code: close_code::NORMAL, reason: "".into() };
    // It does not matter if the client is gone.
    drop(socket.send(Message::Close(Some(frame))).await);
}
