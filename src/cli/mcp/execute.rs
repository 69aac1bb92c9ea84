//! `execute`: with progress, and stopped when the client cancels it.

use super::parameters::Execute;
use super::workspace::Workspace;
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::service::RequestContext;
use sandshell::{ExecuteResponse, LimitKind, Sandbox, posix};
use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;

/// How often progress is told.
const TICK: Duration = Duration::from_secs(1);

pub(super) async fn execute(
    workspace: &Workspace,
    asked: Execute,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, String> {
    if asked.background {
        return background(workspace, &asked).await;
    }
    let mut request = workspace.request(asked.command);
    request.cwd = asked.cwd.as_deref().map(|cwd| workspace.path(Some(cwd)));
    request.timeout = asked.timeout.map(seconds).transpose()?;
    let running = workspace.sandbox.execute(request);
    let answer = tokio::select! {
        answer = running => answer.map_err(|error| error.to_string())?,
        // Dropping the command stops it.
        () = context.ct.cancelled() => return Err("cancelled".to_owned()),
        never = progress(context) => match never {},
    };
    Ok(result(workspace, answer).await)
}

/// Starts a command whose output goes to a file.
async fn background(workspace: &Workspace, asked: &Execute) -> Result<CallToolResult, String> {
    let file = workspace.new_file("background");
    let command = posix::quote(&asked.command);
    let mut request = workspace.request(format!("bash -c {command} >{file} 2>&1 </dev/null & echo $!"));
    request.cwd = asked.cwd.as_deref().map(|cwd| workspace.path(Some(cwd)));
    let answer = workspace.sandbox.execute(request).await.map_err(|error| error.to_string())?;
    let pid = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    let text = format!("[started as process {pid}; its output goes to {file}; `kill {pid}` stops it]");
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(json!({ "pid": pid.parse::<u64>().ok(), "output_file": file }));
    Ok(result)
}

async fn result(workspace: &Workspace, answer: ExecuteResponse) -> CallToolResult {
    let mut text = workspace.paged(String::from_utf8_lossy(&answer.output).into_owned()).await;
    let mut notes = String::new();
    for limit in answer.limits.iter().filter(|limit| limit.kind != LimitKind::WallTime) {
        // Writing to a string does not fail.
        let _ = write!(notes, "[{}]", limit.message);
    }
    match answer.exit_code {
        _ if answer.timed_out => notes.push_str("[stopped: its time was up; status 124]"),
        Some(0) => {}
        Some(status) => {
            let _ = write!(notes, "[status {status}]");
        }
        None => notes.push_str("[status unknown]"),
    }
    if !notes.is_empty() && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&notes);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(json!({
        "exit_code": answer.exit_code,
        "timed_out": answer.timed_out,
        "truncated": answer.truncated,
        "duration_seconds": answer.duration.as_secs_f64(),
    }));
    result
}

/// Tells a client that asked for it how long the command has been running.
async fn progress(context: &RequestContext<RoleServer>) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let mut elapsed = 0;
    loop {
        tokio::time::sleep(TICK).await;
        elapsed += TICK.as_secs();
        let said = ProgressNotificationParam::new(token.clone(), elapsed as f64)
            .with_message(format!("running for {elapsed} s"));
        // A client that has gone needs no progress.
        let _ = context.peer.notify_progress(said).await;
    }
}

fn seconds(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("the timeout {seconds} is not a number of seconds"))
}
