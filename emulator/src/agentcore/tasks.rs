//! Commands: those that the call waits for, and tasks that run in the background.

use std::sync::Arc;
use std::time::Instant;

use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};

use super::{HOME, error};
use crate::http::HttpAnswer;
use crate::process::{End, Input, Process};
use crate::text::{exit_code, output};
use crate::world::Machine;

/// Runs a command to its end.
pub(super) async fn execute(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let began = Instant::now();
    let process = begin(machine, arguments)?;
    process.ended().await;
    let mut result = result(&process);
    result["structuredContent"]["executionTime"] = json!(began.elapsed().as_secs_f64());
    Ok(result)
}

/// Starts a task.
pub(super) fn start(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let process = begin(machine, arguments)?;
    Ok(with_task(json!({"content": [], "structuredContent": {}, "isError": false}), &process, "submitted"))
}

/// The output and status of a task so far.
pub(super) fn get(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let process = task(machine, arguments)?;
    let status = match process.end() {
        None => "working",
        Some(End::Exited(_) | End::TimedOut) => "completed",
        Some(End::Killed(_)) => "canceled",
        Some(End::Failed(_)) => "failed",
    };
    Ok(with_task(result(&process), &process, status))
}

/// Ends a task.
pub(super) async fn stop(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let process = task(machine, arguments)?;
    process.kill(9);
    process.ended().await;
    get(machine, arguments)
}

fn begin(machine: &Machine, arguments: &Value) -> Result<Arc<Process>, HttpAnswer> {
    let command = arguments["command"].as_str().filter(|command| !command.is_empty());
    let command = command.ok_or_else(|| error("ValidationException", "command is required"))?;
    Ok(machine.start(ExecuteRequest::new(command).cwd(HOME), Input::Given))
}

fn task(machine: &Machine, arguments: &Value) -> Result<Arc<Process>, HttpAnswer> {
    let id = arguments["taskId"].as_str().unwrap_or_default();
    let number = id.strip_prefix("task-").and_then(|number| number.parse().ok());
    number
        .and_then(|number| machine.process(number))
        .ok_or_else(|| error("ResourceNotFoundException", &format!("task {id:?} was not found")))
}

fn with_task(mut result: Value, process: &Process, status: &str) -> Value {
    result["structuredContent"]["taskId"] = json!(format!("task-{}", process.pid));
    result["structuredContent"]["taskStatus"] = json!(status);
    result
}

/// The output of a command, and its status if it has ended.
fn result(process: &Process) -> Value {
    let (stdout, stderr) = (output(process, OutputStream::Stdout), output(process, OutputStream::Stderr));
    let end = process.end();
    let mut structured = json!({"stdout": stdout, "stderr": stderr});
    if let Some(end) = &end {
        structured["exitCode"] = json!(exit_code(end));
    }
    let text = match &end {
        Some(End::Failed(error)) => error.to_string(),
        _ => stdout + &stderr,
    };
    json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": structured,
        "isError": end.is_some_and(|end| exit_code(&end) != 0),
    })
}
