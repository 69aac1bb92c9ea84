//! Output of commands as server-sent events, from any byte offset on.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use sandshell_providers::OutputStream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::execute::{execute, reconnect};
use super::{LangSmithState, Reply, error, invalid, object};
use crate::http::stream;
use crate::process::{End, Event, Process};
use crate::text::exit_code;

/// The interval of keep-alive events on a silent stream.
const HEARTBEAT: Duration = Duration::from_secs(15);

pub(super) async fn start(State(langsmith): LangSmithState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, mut body) = (langsmith.reach(&id)?, object(&body)?);
    // A command that is started in this way cannot get input.
    body["close_stdin"] = json!(true);
    let (command, process) =
        execute(&langsmith, &machine, &body).map_err(|(_, message)| invalid("command", &message))?;
    Ok(follow(command, process, [0, 0]))
}

pub(super) async fn resume(State(langsmith): LangSmithState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (langsmith.reach(&id)?, object(&body)?);
    let (command, process) =
        reconnect(&langsmith, &machine, &body).map_err(|(kind, message)| error(404, kind, &message))?;
    let offset = |name: &str| body[name].as_u64().unwrap_or(0);
    Ok(follow(command, process, [offset("stdout_offset"), offset("stderr_offset")]))
}

/// The events of a command, without the bytes of each stream that the client already has.
fn follow(command: String, process: Arc<Process>, known: [u64; 2]) -> crate::http::HttpAnswer {
    let (sender, answer) = stream("text/event-stream");
    tokio::spawn(async move {
        // It does not matter if the client is gone.
        drop(send(&sender, command, &process, known).await);
    });
    answer
}

type Sent = Result<(), mpsc::error::SendError<Bytes>>;

async fn send(
    sender: &mpsc::Sender<Bytes>,
    command: String,
    process: &Arc<Process>,
    known: [u64; 2],
) -> Sent {
    sender.send(event("started", &json!({"command_id": command, "pid": process.pid}))).await?;
    let mut streams = [("stdout", 0u64, known[0]), ("stderr", 0, known[1])];
    let mut follower = process.follow();
    let end = loop {
        let next = match tokio::time::timeout(HEARTBEAT, follower.next()).await {
            Ok(next) => next,
            Err(_) => {
                sender.send(Bytes::from_static(b":\n\n")).await?;
                continue;
            }
        };
        let chunk = match next {
            Event::Chunk(chunk) => chunk,
            Event::End(end) => break end,
        };
        let [stdout, stderr] = &mut streams;
        let (name, offset, known) = if chunk.stream == OutputStream::Stdout { stdout } else { stderr };
        let begin = *offset;
        *offset += chunk.data.len() as u64;
        let skipped = known.saturating_sub(begin).min(chunk.data.len() as u64);
        let fresh = chunk.data.slice(usize::try_from(skipped).unwrap_or(chunk.data.len())..);
        if !fresh.is_empty() {
            let data = BASE64_STANDARD.encode(&fresh);
            sender.send(event(name, &json!({"offset": begin + skipped, "data": data}))).await?;
        }
    };
    for (name, offset, _) in streams {
        sender.send(event("stream_end", &json!({"stream": name, "offset": offset}))).await?;
    }
    let last = match &end {
        End::TimedOut => {
            event("error", &json!({"error_type": "CommandTimeout", "error": "command timed out"}))
        }
        End::Failed(why) => event("error", &json!({"error_type": "CommandError", "error": why.to_string()})),
        End::Exited(_) | End::Killed(_) => event("exit", &json!({"exit_code": exit_code(&end)})),
    };
    sender.send(last).await
}

fn event(name: &str, data: &Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
