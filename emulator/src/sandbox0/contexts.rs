//! Contexts: each is a command or an interpreter.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::ExecuteRequest;
use sandshell_providers::posix::quote;
use serde_json::{Value, json};

use super::context::{Context, Work, find, remember};
use super::{Reply, Sandbox0State, WORKSPACE, data, error, interpreters, invalid, object};
use crate::contexts::InterpreterOptions;
use crate::http::{HttpAnswer, strings};
use crate::process::{Input, Process};

pub(super) async fn create(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.reach(&id)?, object(&body)?);
    let cwd = body["cwd"].as_str().filter(|cwd| !cwd.is_empty()).unwrap_or(WORKSPACE);
    let env = strings(&body["env_vars"]);
    let context = |work| Context::new(&machine, cwd.to_owned(), env.clone(), work);
    match body["type"].as_str() {
        Some("cmd") => {}
        Some("repl") => {
            let mut all: Vec<(String, String)> =
                strings(&machine.status().extra["env"]).into_iter().collect();
            all.extend(env.clone());
            let options = InterpreterOptions { cwd: cwd.to_owned(), env: all };
            let interpreter = interpreters::begin(&machine, &body["repl"], options).await?;
            let context = context(Work::Interpreter(interpreter));
            remember(&sandbox0, &machine, &context);
            return Ok(data(201, &context.shown()));
        }
        _ => return Err(invalid("type is neither cmd nor repl")),
    }
    let words: Option<Vec<&str>> =
        body["cmd"]["command"].as_array().and_then(|words| words.iter().map(Value::as_str).collect());
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return Err(invalid("cmd.command is required"));
    };
    // The words are a program and its arguments, not a shell command line.
    let words: Vec<String> = words.into_iter().map(quote).collect();
    let mut request = ExecuteRequest::new(format!("exec {}", words.join(" "))).cwd(cwd);
    for (name, value) in &env {
        request = request.env(name, value);
    }
    if let Some(seconds) = body["ttl_sec"].as_u64().filter(|seconds| *seconds > 0) {
        request = request.timeout(Duration::from_secs(seconds));
    }
    let waits = body["wait_until_done"] == json!(true);
    let process = machine.start(request, Input::written(!waits));
    let context = context(Work::Command(process.clone()));
    remember(&sandbox0, &machine, &context);
    if waits {
        process.ended().await;
    }
    Ok(data(201, &context.shown()))
}

pub(super) async fn list(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    let machine = sandbox0.get(&id)?;
    let contexts = sandbox0.contexts.lock();
    let mut own: Vec<&Context> = contexts
        .iter()
        .filter(|((sandbox, _), _)| *sandbox == machine.id)
        .map(|(_, context)| context)
        .collect();
    own.sort_by_key(|context| context.created);
    let shown: Vec<Value> = own.into_iter().map(Context::shown).collect();
    Ok(data(200, &json!({"contexts": shown})))
}

pub(super) async fn get(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
) -> Reply {
    Ok(data(200, &find(&sandbox0, &id, &context)?.shown()))
}

pub(super) async fn delete(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
) -> Reply {
    match find(&sandbox0, &id, &context)?.work {
        Work::Command(process) => {
            process.kill(9);
        }
        Work::Interpreter(interpreter) => {
            sandbox0.get(&id)?.contexts.remove(&interpreter).await;
        }
    }
    sandbox0.contexts.lock().remove(&(id, context));
    Ok(data(200, &json!({"deleted": true})))
}

pub(super) async fn input(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let (context, asked) = (find(&sandbox0, &id, &context)?, object(&body)?);
    // Others wait for its room, and the command may never read.
    drop(body);
    let text = asked["data"].as_str().ok_or_else(|| invalid("data is required"))?;
    match command(&context)?.input(text.to_owned().into()).await {
        Ok(true) => Ok(data(200, &json!({"written": true}))),
        Ok(false) => Err(error(409, "context_not_running", "the context takes no input")),
        Err(full) => Err(error(503, "unavailable", &full.to_string())),
    }
}

pub(super) async fn signal(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let (context, body) = (find(&sandbox0, &id, &context)?, object(&body)?);
    let number = number_of(&body["signal"])
        .ok_or_else(|| invalid("signal is none of SIGHUP, SIGINT, SIGKILL and SIGTERM"))?;
    match command(&context)?.kill(number) {
        true => Ok(data(200, &json!({"signaled": true}))),
        false => Err(error(409, "process_not_running", "process not running")),
    }
}

fn command(context: &Context) -> Result<&Arc<Process>, HttpAnswer> {
    match &context.work {
        Work::Command(process) => Ok(process),
        Work::Interpreter(_) => Err(invalid("this context runs an interpreter, which takes code")),
    }
}

/// The number of a signal that can be sent.
pub(super) fn number_of(signal: &Value) -> Option<u8> {
    match signal.as_str()?.trim_start_matches("SIG") {
        "KILL" => Some(9),
        "TERM" => Some(15),
        "INT" => Some(2),
        "HUP" => Some(1),
        _ => None,
    }
}
