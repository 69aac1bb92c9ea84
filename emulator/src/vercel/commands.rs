//! Commands, with their output as JSON lines.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, RawQuery, State};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{CWD, Reply, Vercel, VercelState, error, invalid, object};
use crate::http::{HttpAnswer, Query, json, stream, strings};
use crate::process::{End, Event, Input, Process};
use crate::text::{Decoder, exit_code};
use crate::time::milliseconds;
use crate::world::Machine;

/// The content type. A client compares it, so it must be exactly this.
const LINES: &str = "application/x-ndjson";

pub(super) async fn run(State(vercel): VercelState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (vercel.running(&id)?, object(&body)?);
    let process = start(&machine, &id, &body)?;
    if body["wait"] != json!(true) {
        return Ok(json(200, &json!({"command": shown(&process)})));
    }
    if body["logs"] != json!(true) {
        process.ended().await;
        return Ok(json(200, &json!({"command": shown(&process)})));
    }
    let (sender, answer) = stream(LINES);
    tokio::spawn(async move {
        // The command may already have ended, but its output comes first.
        if sender.send(line(&json!({"command": process.description()}))).await.is_ok()
            && follow(&process, &sender, &machine).await
        {
            // It does not matter if the client is gone.
            drop(sender.send(line(&json!({"command": shown(&process)}))).await);
        }
    });
    Ok(answer)
}

fn start(machine: &Machine, session: &str, body: &Value) -> Result<Arc<Process>, HttpAnswer> {
    let command = body["command"].as_str().ok_or_else(|| invalid("command is required"))?;
    let args: Vec<&str> = body["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let words: Vec<String> = std::iter::once(command).chain(args.iter().copied()).map(quote).collect();
    let cwd = match body["cwd"].as_str().filter(|cwd| !cwd.is_empty()) {
        Some(cwd) if cwd.starts_with('/') => cwd.to_owned(),
        Some(cwd) => format!("{CWD}/{cwd}"),
        None => CWD.to_owned(),
    };
    let mut request = ExecuteRequest::new(format!("exec {}", words.join(" "))).cwd(&cwd);
    for (name, value) in strings(&body["env"]) {
        request = request.env(name, value);
    }
    if let Some(timeout) = body["timeout"].as_u64().filter(|milliseconds| *milliseconds > 0) {
        request = request.timeout(Duration::from_millis(timeout));
    }
    let process = machine.start(request, Input::written(body["attachStdin"] == json!(true)));
    process.describe(json!({
        "id": format!("cmd_{}", process.pid),
        "name": command,
        "args": args,
        "cwd": cwd,
        "sessionId": session,
        "sandboxId": session,
        "exitCode": null,
        "startedAt": milliseconds(SystemTime::now()),
    }));
    Ok(process)
}

pub(super) async fn list(State(vercel): VercelState, Path(id): Path<String>) -> Reply {
    let all: Vec<Value> = vercel.session(&id)?.processes().iter().map(|process| shown(process)).collect();
    Ok(json(200, &json!({"commands": all})))
}

pub(super) async fn get(
    State(vercel): VercelState,
    Path((id, command)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Reply {
    let (_, process) = find(&vercel, &id, &command)?;
    if Query::new(query.as_deref()).get("wait") == Some("true") {
        process.ended().await;
    }
    Ok(json(200, &json!({"command": shown(&process)})))
}

pub(super) async fn logs(State(vercel): VercelState, Path((id, command)): Path<(String, String)>) -> Reply {
    let (machine, process) = find(&vercel, &id, &command)?;
    let (sender, answer) = stream(LINES);
    tokio::spawn(async move { follow(&process, &sender, &machine).await });
    Ok(answer)
}

pub(super) async fn kill(
    State(vercel): VercelState,
    Path((id, command)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let ((_, process), body) = (find(&vercel, &id, &command)?, object(&body)?);
    let signal = body["signal"].as_u64().unwrap_or(15);
    let signal = u8::try_from(signal).ok().filter(|number| (1..=64).contains(number));
    process.kill(signal.ok_or_else(|| invalid("no such signal"))?);
    Ok(json(200, &json!({"command": shown(&process)})))
}

/// Writes to standard input from the client's offset; bytes that already arrived are not written again.
pub(super) async fn stdin(
    State(vercel): VercelState,
    Path((id, command)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let ((machine, process), asked) = (find(&vercel, &id, &command)?, object(&body)?);
    // Others wait for its room, and the command may never read.
    drop(body);
    let key = (machine.id.clone(), process.pid);
    let data = BASE64_STANDARD.decode(asked["data"].as_str().unwrap_or_default());
    let data = Bytes::from(data.map_err(|_| invalid("data is not base64"))?);
    let (written, total, fresh) = {
        // What is written is written to its end, even if the client does not wait for that; so it counts from now on.
        let mut all = vercel.written.lock();
        let written = all.get(&key).copied().unwrap_or(0);
        let offset = asked["offset"].as_u64().unwrap_or(written);
        let known = written.checked_sub(offset).ok_or_else(|| {
            error(409, "stdin_offset_conflict", "the offset is past the end of what was written")
        })?;
        let fresh = data.slice(usize::try_from(known).unwrap_or(usize::MAX).min(data.len())..);
        let total = written.saturating_add(fresh.len() as u64);
        all.insert(key.clone(), total);
        (written, total, fresh)
    };
    if !fresh.is_empty() {
        match process.input(fresh).await {
            Ok(true) => {}
            Ok(false) => return Err(error(409, "stdin_closed", "the command takes no input")),
            Err(full) => {
                vercel.written.lock().insert(key, written);
                return Err(error(503, "unavailable", &full.to_string()));
            }
        }
    }
    if asked["close"] == json!(true) {
        process.close_input().await;
    }
    Ok(json(200, &json!({"command": shown(&process), "bytesWritten": total})))
}

/// Sends the command's output until it ends. Returns false if the client is gone, or if the command could not be
/// run, which was then reported.
async fn follow(process: &Arc<Process>, sender: &mpsc::Sender<Bytes>, machine: &Machine) -> bool {
    let mut follower = process.follow();
    let (mut stdout, mut stderr) = (Decoder::default(), Decoder::default());
    let end = loop {
        let (name, text) = match follower.next().await {
            Event::Chunk(chunk) => match chunk.stream {
                OutputStream::Stdout => ("stdout", stdout.push(&chunk.data)),
                OutputStream::Stderr => ("stderr", stderr.push(&chunk.data)),
            },
            Event::End(end) => break end,
        };
        if !text.is_empty() && sender.send(line(&json!({"stream": name, "data": text}))).await.is_err() {
            return false;
        }
    };
    for (name, rest) in [("stdout", stdout.finish()), ("stderr", stderr.finish())] {
        if !rest.is_empty() && sender.send(line(&json!({"stream": name, "data": rest}))).await.is_err() {
            return false;
        }
    }
    let failure = match &end {
        End::Failed(error) => json!({"code": "internal_error", "message": error.to_string()}),
        End::Killed(_) if machine.status().paused => {
            json!({"code": "sandbox_stopped", "message": "Sandbox is stopped"})
        }
        _ => return true,
    };
    drop(sender.send(line(&json!({"stream": "error", "data": failure}))).await);
    false
}

fn find(vercel: &Vercel, id: &str, command: &str) -> Result<(Arc<Machine>, Arc<Process>), HttpAnswer> {
    let machine = vercel.session(id)?;
    let pid = command.strip_prefix("cmd_").and_then(|pid| pid.parse().ok());
    let process = pid.and_then(|pid| machine.process(pid));
    process.map(|process| (machine, process)).ok_or_else(|| error(404, "not_found", "Command not found"))
}

fn shown(process: &Process) -> Value {
    let mut shown = process.description();
    if let Some(end) = process.end() {
        // After a timeout, the command was killed.
        shown["exitCode"] = json!(if matches!(end, End::TimedOut) { 137 } else { exit_code(&end) });
    }
    shown
}

fn line(value: &Value) -> Bytes {
    format!("{value}\n").into()
}
