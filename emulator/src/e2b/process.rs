//! `process.Process`: commands, their streams and signals.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{E2b, FIELDS, HOME, absolute, environment, frame};
use crate::http::{HttpAnswer, json, object, stream, text};
use crate::process::{End, Event, Input, Process};
use crate::world::Machine;

/// The default interval of keep-alive messages on a silent stream.
const KEEPALIVE: Duration = Duration::from_secs(50);

pub(super) async fn call(
    State(e2b): State<Arc<E2b>>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> HttpAnswer {
    let machine = match e2b.reach(&headers) {
        Ok(machine) => machine,
        Err(unreachable) => return unreachable.refusal(),
    };
    let streams = matches!(method.as_str(), "Start" | "Connect" | "StreamInput");
    let messages = if streams {
        frame::messages(body)
    } else {
        let asked = object(&body).map(|asked| vec![asked]);
        // Others wait for its room, and the process may never read.
        drop(body);
        asked
    };
    let Some(messages) = messages.filter(|messages| !messages.is_empty()) else {
        return frame::refuse("invalid_argument", "the request cannot be read");
    };
    let request = messages.first().unwrap_or(&Value::Null);
    if streams && let Some(known) = FIELDS.at("POST", &format!("/process.Process/{method}")) {
        for message in &messages {
            if let Err(refused) = known.check(message) {
                return streamed(frame::failure("unimplemented", &refused.to_string())).await;
            }
        }
    }
    match method.as_str() {
        "Start" => start(&machine, request, &headers).await,
        "Connect" => match process(&machine, request) {
            Some(process) => follow(process, &headers),
            None => streamed(frame::failure("not_found", &unknown(request))).await,
        },
        "StreamInput" => stream_input(&machine, &messages).await,
        "List" => list(&machine),
        "SendInput" => send_input(&machine, request).await,
        "CloseStdin" => match process(&machine, request) {
            None => frame::refuse("not_found", &unknown(request)),
            Some(process) if process.close_input().await => json(200, &json!({})),
            Some(_) => frame::refuse("failed_precondition", "stdin of the process is not open"),
        },
        "SendSignal" => signal(&machine, request),
        _ => frame::refuse("unimplemented", &format!("process.Process/{method} is not emulated")),
    }
}

async fn start(machine: &Machine, request: &Value, headers: &HeaderMap) -> HttpAnswer {
    let config = &request["process"];
    let mut argv = vec![config["cmd"].as_str().unwrap_or_default()];
    argv.extend(config["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    let command: Vec<String> = argv.iter().map(|arg| quote(arg)).collect();
    let cwd = absolute(config["cwd"].as_str().unwrap_or_default());
    if cwd != HOME && !is_directory(machine, &cwd).await {
        let message = format!("cwd '{cwd}' does not exist");
        return streamed(frame::failure("invalid_argument", &message)).await;
    }
    let mut run = ExecuteRequest::new(format!("exec {}", command.join(" "))).cwd(cwd);
    run.env.extend(environment(machine));
    for (name, value) in config["envs"].as_object().into_iter().flatten() {
        run = run.env(name, value.as_str().unwrap_or_default());
    }
    let timeout = text(headers, "connect-timeout-ms").and_then(|ms| ms.parse().ok());
    run.timeout = Some(timeout.map_or(Duration::ZERO, Duration::from_millis));
    // Old clients do not send the field; they expect standard input.
    let stdin = request["stdin"].as_bool().unwrap_or(true);
    let process = machine.start(run, Input::written(stdin));
    process.describe(json!({"config": config, "tag": request["tag"]}));
    follow(process, headers)
}

async fn is_directory(machine: &Machine, path: &str) -> bool {
    let test = ExecuteRequest::new(format!("[ -d {} ]", quote(path)));
    machine.sandbox.execute(test).await.is_ok_and(|answer| answer.success())
}

/// The events of a process from its start to its end. A client that goes away does not stop it.
fn follow(process: Arc<Process>, headers: &HeaderMap) -> HttpAnswer {
    let interval = text(headers, "keepalive-ping-interval").and_then(|seconds| seconds.parse().ok());
    let interval = interval.filter(|seconds| *seconds > 0).map_or(KEEPALIVE, Duration::from_secs);
    let (sender, answer) = stream("application/connect+json");
    tokio::spawn(async move {
        // The stream ends when the reader goes away.
        drop(events(&process, &sender, interval).await);
    });
    answer
}

async fn events(
    process: &Arc<Process>,
    sender: &mpsc::Sender<Bytes>,
    interval: Duration,
) -> Result<(), mpsc::error::SendError<Bytes>> {
    sender.send(event(&json!({"start": {"pid": process.pid}}))).await?;
    let mut follower = process.follow();
    loop {
        let Ok(next) = tokio::time::timeout(interval, follower.next()).await else {
            sender.send(event(&json!({"keepalive": {}}))).await?;
            continue;
        };
        match next {
            Event::Chunk(chunk) => {
                let name = match chunk.stream {
                    OutputStream::Stdout => "stdout",
                    OutputStream::Stderr => "stderr",
                };
                sender.send(event(&json!({"data": {name: BASE64_STANDARD.encode(&chunk.data)}}))).await?;
            }
            Event::End(end) => {
                for message in ending(&end) {
                    sender.send(message).await?;
                }
                return Ok(());
            }
        }
    }
}

fn event(event: &Value) -> Bytes {
    frame::message(&json!({"event": event}))
}

fn ending(end: &End) -> Vec<Bytes> {
    let end = match end {
        End::Exited(0) => json!({"exited": true, "status": "exit status 0"}),
        End::Exited(code) => {
            let status = format!("exit status {code}");
            json!({"exited": true, "exitCode": code, "status": status, "error": status})
        }
        End::Killed(number) => {
            let name = if *number == 15 { "terminated" } else { "killed" };
            let status = format!("signal: {name}");
            json!({"exitCode": -1, "status": status, "error": status})
        }
        End::TimedOut => {
            return vec![frame::failure("deadline_exceeded", "the command ran out of time")];
        }
        End::Failed(error) => return vec![frame::failure(frame::code(error), &error.to_string())],
    };
    vec![event(&json!({"end": end})), frame::end()]
}

fn list(machine: &Machine) -> HttpAnswer {
    let processes: Vec<Value> = machine
        .running()
        .iter()
        .map(|process| {
            let mut shown = process.description();
            shown["pid"] = json!(process.pid);
            shown
        })
        .collect();
    json(200, &json!({"processes": processes}))
}

async fn send_input(machine: &Machine, request: &Value) -> HttpAnswer {
    let Some(process) = process(machine, request) else {
        return frame::refuse("not_found", &unknown(request));
    };
    let Some(data) = request["input"]["stdin"].as_str().and_then(|data| BASE64_STANDARD.decode(data).ok())
    else {
        return frame::refuse("invalid_argument", "the input is not stdin in base64");
    };
    match process.input(data.into()).await {
        Ok(true) => json(200, &json!({})),
        Ok(false) => frame::refuse("failed_precondition", "stdin of the process is not open"),
        Err(full) => frame::refuse("unavailable", &full.to_string()),
    }
}

async fn stream_input(machine: &Machine, messages: &[Value]) -> HttpAnswer {
    let mut target = None;
    for message in messages {
        if message.get("start").is_some() {
            target = process(machine, &message["start"]);
            if target.is_none() {
                return streamed(frame::failure("not_found", &unknown(&message["start"]))).await;
            }
        }
        let Some(data) = message["data"]["input"]["stdin"].as_str() else { continue };
        let written = match (&target, BASE64_STANDARD.decode(data)) {
            (Some(process), Ok(data)) => process.input(data.into()).await,
            _ => Ok(false),
        };
        match written {
            Ok(true) => {}
            Ok(false) => {
                let why = "stdin of the process is not open";
                return streamed(frame::failure("failed_precondition", why)).await;
            }
            Err(full) => return streamed(frame::failure("unavailable", &full.to_string())).await,
        }
    }
    streamed(Bytes::from([frame::message(&json!({})), frame::end()].concat())).await
}

fn signal(machine: &Machine, request: &Value) -> HttpAnswer {
    let number = match request["signal"].as_str() {
        Some("SIGNAL_SIGKILL") => 9,
        Some("SIGNAL_SIGTERM") => 15,
        _ => {
            return frame::refuse("unimplemented", "signals other than SIGKILL and SIGTERM are not emulated");
        }
    };
    match process(machine, request) {
        Some(process) if process.kill(number) => json(200, &json!({})),
        _ => frame::refuse("not_found", &unknown(request)),
    }
}

/// The process that a request selects, by its number or its tag.
fn process(machine: &Machine, request: &Value) -> Option<Arc<Process>> {
    let selector = &request["process"];
    match selector["tag"].as_str() {
        None => machine.process(selector["pid"].as_u64()?),
        Some(tag) => machine.running().into_iter().find(|process| process.description()["tag"] == json!(tag)),
    }
}

fn unknown(request: &Value) -> String {
    match request["process"]["tag"].as_str() {
        None => format!("process with pid {} not found", request["process"]["pid"]),
        Some(tag) => format!("process with tag {tag} not found"),
    }
}

async fn streamed(message: Bytes) -> HttpAnswer {
    let (sender, answer) = stream("application/connect+json");
    // The channel has room for the message.
    drop(sender.send(message).await);
    answer
}
