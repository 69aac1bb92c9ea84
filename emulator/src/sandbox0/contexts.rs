//! Contexts: each is a command.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};

use super::{Reply, Sandbox0, Sandbox0State, WORKSPACE, data, error, invalid, object};
use crate::http::{Answer, strings};
use crate::mint::mint;
use crate::process::{End, Input, Process};
use crate::text::{exit_code, output};
use crate::time::rfc3339;

#[derive(Clone)]
pub(super) struct Context {
    id: String,
    cwd: String,
    env: BTreeMap<String, String>,
    created: SystemTime,
    process: Arc<Process>,
}

pub(super) async fn create(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.reach(&id)?, object(&body)?);
    if body["type"] != json!("cmd") || !body["pty_size"].is_null() {
        return Err(invalid("only contexts of type cmd without a terminal are emulated"));
    }
    let words: Option<Vec<&str>> =
        body["cmd"]["command"].as_array().and_then(|words| words.iter().map(Value::as_str).collect());
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return Err(invalid("cmd.command is required"));
    };
    // Not a shell's line but a program and its arguments.
    let words: Vec<String> = words.into_iter().map(quote).collect();
    let cwd = body["cwd"].as_str().filter(|cwd| !cwd.is_empty()).unwrap_or(WORKSPACE);
    let mut request = ExecuteRequest::new(format!("exec {}", words.join(" "))).cwd(cwd);
    let env = strings(&body["env_vars"]);
    for (name, value) in &env {
        request = request.env(name, value);
    }
    if let Some(seconds) = body["ttl_sec"].as_u64().filter(|seconds| *seconds > 0) {
        request = request.timeout(Duration::from_secs(seconds));
    }
    let waits = body["wait_until_done"] == json!(true);
    let context = Context {
        id: format!("ctx-{}", mint(12)),
        cwd: cwd.to_owned(),
        env,
        created: SystemTime::now(),
        process: machine.start(request, Input::written(!waits)),
    };
    sandbox0.contexts.lock().insert((machine.id.clone(), context.id.clone()), context.clone());
    if waits {
        context.process.ended().await;
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
    own.sort_by_key(|context| context.process.pid);
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
    find(&sandbox0, &id, &context)?.process.kill(9);
    sandbox0.contexts.lock().remove(&(id, context));
    Ok(data(200, &json!({"deleted": true})))
}

pub(super) async fn input(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let (context, body) = (find(&sandbox0, &id, &context)?, object(&body)?);
    let text = body["data"].as_str().ok_or_else(|| invalid("data is required"))?;
    match context.process.input(text.to_owned().into()).await {
        true => Ok(data(200, &json!({"written": true}))),
        false => Err(error(409, "context_not_running", "the context takes no input")),
    }
}

pub(super) async fn signal(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let (context, body) = (find(&sandbox0, &id, &context)?, object(&body)?);
    let number = match body["signal"].as_str().unwrap_or_default().trim_start_matches("SIG") {
        "KILL" => 9,
        "TERM" => 15,
        "INT" => 2,
        "HUP" => 1,
        _ => return Err(invalid("signal is none of SIGHUP, SIGINT, SIGKILL and SIGTERM")),
    };
    match context.process.kill(number) {
        true => Ok(data(200, &json!({"signaled": true}))),
        false => Err(error(409, "process_not_running", "process not running")),
    }
}

fn find(sandbox0: &Sandbox0, id: &str, context: &str) -> Result<Context, Answer> {
    sandbox0.get(id)?;
    let found = sandbox0.contexts.lock().get(&(id.to_owned(), context.to_owned())).cloned();
    found.ok_or_else(|| error(404, "not_found", "context not found"))
}

impl Context {
    fn shown(&self) -> Value {
        let mut body = json!({
            "id": self.id,
            "type": "cmd",
            "cwd": self.cwd,
            "env_vars": self.env,
            "running": true,
            "paused": false,
            "created_at": rfc3339(self.created),
        });
        if let Some(end) = self.process.end() {
            // What runs out of time is killed.
            let (state, code) = match end {
                End::TimedOut => ("killed", 137),
                End::Killed(_) => ("killed", exit_code(&end)),
                End::Exited(_) | End::Failed(_) => ("stopped", exit_code(&end)),
            };
            body["running"] = json!(false);
            body["state"] = json!(state);
            body["exit_code"] = json!(code);
        }
        let raw: Vec<u8> = self.process.chunks().iter().flat_map(|chunk| chunk.data.to_vec()).collect();
        body["output_raw"] = json!(String::from_utf8_lossy(&raw));
        body["stdout"] = json!(output(&self.process, OutputStream::Stdout));
        body["stderr"] = json!(output(&self.process, OutputStream::Stderr));
        body
    }
}
