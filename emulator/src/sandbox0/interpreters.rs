//! Contexts of type `repl`: Python interpreters.

use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::ErrorKind;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::context::{Context, Work, find};
use super::{Reply, Sandbox0State, data, error, failed, invalid, object};
use crate::contexts::InterpreterOptions;
use crate::http::HttpAnswer;
use crate::kernel::CodeEvent;
use crate::process::OUTPUT_LIMIT;
use crate::world::Machine;

/// Starts an interpreter; returns its id in the sandbox's `Contexts`.
pub(super) async fn begin(
    machine: &Machine,
    repl: &Value,
    options: InterpreterOptions,
) -> Result<String, HttpAnswer> {
    match repl["alias"].as_str().unwrap_or("python") {
        "" | "python" | "python3" => {}
        other => {
            return Err(invalid(&format!(
                "contexts of {other}: not emulated by sandshell, which runs Python"
            )));
        }
    }
    let context = machine.contexts.create(&machine.sandbox, options).await;
    let context = context.map_err(|why| match why.kind() {
        // The sandbox has no Python; the error says how to get it.
        ErrorKind::Unsupported => invalid(&why.to_string()),
        _ => failed(&why),
    })?;
    if let Some(input) = repl["input"].as_str().filter(|input| !input.trim().is_empty()) {
        run(machine, &context.id, input).await?;
    }
    Ok(context.id)
}

/// Runs a piece of code to its end.
pub(super) async fn exec(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
    body: Bytes,
) -> Reply {
    let (machine, body) = (sandbox0.reach(&id)?, object(&body)?);
    let context = find(&sandbox0, &id, &context)?;
    let code = body["data"].as_str().or(body["input"].as_str()).ok_or_else(|| invalid("data is required"))?;
    Ok(data(200, &run(&machine, interpreter(&context)?, code).await?))
}

/// Replaces the interpreter with a new one.
pub(super) async fn restart(
    State(sandbox0): Sandbox0State,
    Path((id, context)): Path<(String, String)>,
) -> Reply {
    let machine = sandbox0.reach(&id)?;
    let context = find(&sandbox0, &id, &context)?;
    let restarted = machine.contexts.restart(&machine.sandbox, interpreter(&context)?).await;
    restarted.map_err(|why| failed(&why))?.ok_or_else(gone)?;
    Ok(data(200, &context.shown()))
}

pub(super) fn interpreter(context: &Context) -> Result<&str, HttpAnswer> {
    match &context.work {
        Work::Interpreter(interpreter) => Ok(interpreter),
        Work::Command(_) => Err(invalid("this context runs a command, not an interpreter")),
    }
}

/// Runs code and returns its events as they happen.
pub(super) async fn start_code(
    machine: &Machine,
    interpreter: &str,
    code: &str,
) -> Result<mpsc::Receiver<CodeEvent>, HttpAnswer> {
    let options = || InterpreterOptions { cwd: super::WORKSPACE.to_owned(), env: Vec::new() };
    let kernel = machine.contexts.kernel(&machine.sandbox, Some(interpreter), options).await;
    let kernel = kernel.map_err(|why| failed(&why))?.ok_or_else(gone)?;
    Ok(kernel.run(code, &Value::Null))
}

async fn run(machine: &Machine, interpreter: &str, code: &str) -> Result<Value, HttpAnswer> {
    let mut events = start_code(machine, interpreter, code).await?;
    let (mut raw, mut stdout, mut stderr) = (String::new(), String::new(), String::new());
    let mut ended = false;
    while let Some(what) = events.recv().await {
        ended |= matches!(what, CodeEvent::End);
        let Some((source, text)) = text(what) else { continue };
        if ((raw.len() + text.len()) as u64) < OUTPUT_LIMIT {
            raw.push_str(&text);
            let stream = if source == "stdout" { &mut stdout } else { &mut stderr };
            stream.push_str(&text);
        }
    }
    if !ended {
        return Err(error(409, "context_not_running", "the interpreter ended while the code ran"));
    }
    Ok(json!({"output_raw": raw, "stdout": stdout, "stderr": stderr}))
}

/// What a terminal would show of an event, and on which stream.
pub(super) fn text(event: CodeEvent) -> Option<(&'static str, String)> {
    match event {
        CodeEvent::Stdout(text) => Some(("stdout", text)),
        CodeEvent::Stderr(text) => Some(("stderr", text)),
        CodeEvent::Shown { forms, .. } => {
            forms.get("text/plain").and_then(Value::as_str).map(|text| ("stdout", format!("{text}\n")))
        }
        CodeEvent::Raised { traceback, .. } => Some(("stderr", format!("{traceback}\n"))),
        CodeEvent::Begun(_) | CodeEvent::End => None,
    }
}

fn gone() -> HttpAnswer {
    error(404, "not_found", "context not found")
}
