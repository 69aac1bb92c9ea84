//! Commands.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};

use super::devboxes::patience;
use super::{Reply, Runloop, RunloopState, error, object};
use crate::http::{HttpAnswer, Query, json, stream as answer_stream};
use crate::process::{Event, Input, Process};
use crate::text::{Decoder, exit_code, output};

pub(super) async fn start(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (process, id) = begin(&runloop, &id, &object(&body)?)?;
    Ok(json(200, &shown(&id, &process, None)))
}

/// Waits for the end, for a time that the client and the service limit.
pub(super) async fn execute(
    State(runloop): RunloopState,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Reply {
    let body = object(&body)?;
    let last = lines(query.as_deref(), &body)?;
    let (process, id) = begin(&runloop, &id, &body)?;
    // The answer says whether it has ended.
    drop(tokio::time::timeout(patience(&body["optimistic_timeout"]), process.ended()).await);
    Ok(json(200, &shown(&id, &process, last)))
}

pub(super) async fn execute_sync(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (process, id) = begin(&runloop, &id, &object(&body)?)?;
    process.ended().await;
    Ok(json(200, &shown(&id, &process, None)))
}

fn begin(runloop: &Runloop, id: &str, body: &Value) -> Result<(Arc<Process>, String), HttpAnswer> {
    let machine = runloop.reach(id)?;
    let command = body["command"].as_str().ok_or_else(|| error(400, "command is required"))?;
    let mut commands = runloop.commands.lock();
    let chosen = body["command_id"].as_str().map(|chosen| (machine.id.clone(), chosen.to_owned()));
    let known = chosen.as_ref().and_then(|chosen| machine.process(*commands.get(chosen)?));
    let process = known.unwrap_or_else(|| {
        let process =
            machine.start(ExecuteRequest::new(command), Input::written(body["attach_stdin"] == json!(true)));
        if let Some(chosen) = chosen {
            commands.insert(chosen, process.pid);
        }
        process
    });
    Ok((process, machine.id.clone()))
}

pub(super) async fn get(
    State(runloop): RunloopState,
    Path((id, execution)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Reply {
    let process = find(&runloop, &id, &execution)?;
    Ok(json(200, &shown(&id, &process, lines(query.as_deref(), &Value::Null)?)))
}

/// How many of the output's last lines are wanted; `None`: all.
fn lines(query: Option<&str>, body: &Value) -> Result<Option<usize>, HttpAnswer> {
    let query = Query::new(query);
    let lines = match (query.get("last_n"), &body["last_n"]) {
        (Some(text), _) => text.parse().ok(),
        (None, Value::Null) => return Ok(None),
        (None, Value::String(text)) => text.parse().ok(),
        (None, number) => number.as_u64().and_then(|lines| usize::try_from(lines).ok()),
    };
    lines.map(Some).ok_or_else(|| error(400, "last_n is not a number of lines"))
}

/// Answers when the command is in one of the states, or with 408 if that takes too long.
pub(super) async fn wait(
    State(runloop): RunloopState,
    Path((id, execution)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Reply {
    let (process, body) = (find(&runloop, &id, &execution)?, object(&body)?);
    let last = lines(query.as_deref(), &body)?;
    let wants = |state: &str| body["statuses"].as_array().into_iter().flatten().any(|wanted| wanted == state);
    if !wants("running")
        && tokio::time::timeout(patience(&body["timeout_seconds"]), process.ended()).await.is_err()
    {
        return Err(error(408, "Timed out waiting for the execution's status"));
    }
    Ok(json(200, &shown(&id, &process, last)))
}

pub(super) async fn kill(
    State(runloop): RunloopState,
    Path((id, execution)): Path<(String, String)>,
) -> Reply {
    let process = find(&runloop, &id, &execution)?;
    process.kill(9);
    process.ended().await;
    Ok(json(200, &shown(&id, &process, None)))
}

pub(super) async fn send_std_in(
    State(runloop): RunloopState,
    Path((id, execution)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let (process, asked) = (find(&runloop, &id, &execution)?, object(&body)?);
    // Others wait for its room, and the command may never read.
    drop(body);
    let done = match (asked["text"].as_str(), asked["signal"].as_str()) {
        (Some(text), None) => match process.input(text.to_owned().into()).await {
            Ok(done) => done,
            Err(full) => return Err(error(503, &full.to_string())),
        },
        (None, Some("EOF")) => process.close_input().await,
        (None, Some("INTERRUPT")) => process.kill(2),
        _ => return Err(error(400, "either text or a signal, EOF or INTERRUPT, is required")),
    };
    Ok(json(200, &json!({"devbox_id": id, "execution_id": execution, "success": done})))
}

pub(super) async fn stream_stdout(
    State(runloop): RunloopState,
    Path((id, execution)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Reply {
    stream(find(&runloop, &id, &execution)?, OutputStream::Stdout, query)
}

pub(super) async fn stream_stderr(
    State(runloop): RunloopState,
    Path((id, execution)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Reply {
    stream(find(&runloop, &id, &execution)?, OutputStream::Stderr, query)
}

/// Events with the output of a stream from a byte offset on. The `offset` of an event is where the next one begins.
fn stream(process: Arc<Process>, wanted: OutputStream, query: Option<String>) -> Reply {
    let mut skipped = Query::new(query.as_deref()).number("offset").unwrap_or(0);
    let (sender, answer) = answer_stream("text/event-stream");
    tokio::spawn(async move {
        let mut follower = process.follow();
        let (mut decoder, mut offset) = (Decoder::default(), skipped);
        loop {
            let text = match follower.next().await {
                Event::Chunk(chunk) if chunk.stream == wanted => {
                    let data = chunk.data.get(skipped.min(chunk.data.len())..).unwrap_or_default();
                    skipped -= chunk.data.len() - data.len();
                    offset += data.len();
                    decoder.push(data)
                }
                Event::Chunk(_) => continue,
                Event::End(_) => break,
            };
            if sender.send(event(&text, offset)).await.is_err() {
                return;
            }
        }
        let rest = decoder.finish();
        if !rest.is_empty() {
            // It does not matter if the client is gone.
            drop(sender.send(event(&rest, offset)).await);
        }
    });
    Ok(answer)
}

fn event(text: &str, offset: usize) -> Bytes {
    format!("data: {}\n\n", json!({"output": text, "offset": offset})).into()
}

fn find(runloop: &Runloop, id: &str, execution: &str) -> Result<Arc<Process>, HttpAnswer> {
    let machine = runloop.get(id)?;
    let pid = execution.strip_prefix("exec_").and_then(|pid| pid.parse().ok());
    pid.and_then(|pid| machine.process(pid)).ok_or_else(|| error(404, "Execution not found"))
}

fn shown(devbox: &str, process: &Process, last: Option<usize>) -> Value {
    let mut body = json!({
        "devbox_id": devbox,
        "execution_id": format!("exec_{}", process.pid),
        "status": "running",
    });
    if let Some(end) = process.end() {
        body["status"] = json!("completed");
        body["exit_status"] = json!(exit_code(&end));
        for (name, stream) in [("stdout", OutputStream::Stdout), ("stderr", OutputStream::Stderr)] {
            let all = output(process, stream);
            let kept = last.map_or(all.as_str(), |last| tail(&all, last));
            body[name] = json!(kept);
            body[format!("{name}_truncated")] = json!(kept.len() < all.len());
        }
    }
    body
}

/// The last lines of a text.
fn tail(text: &str, lines: usize) -> &str {
    if lines == 0 {
        return "";
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start = body.rmatch_indices('\n').nth(lines - 1).map_or(0, |(at, _)| at + 1);
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::tail;

    #[test]
    fn last_lines() {
        assert_eq!(tail("a\nb\nc\n", 2), "b\nc\n");
        assert_eq!(tail("a\nb", 1), "b");
        assert_eq!(tail("a\nb\n", 9), "a\nb\n");
        assert_eq!(tail("a\n", 0), "");
    }
}
