//! The tool `execute`: reports progress, and stops the command when the client cancels.

use super::answers::{Executed, answered};
use super::parameters::Execute;
use super::workspace::Workspace;
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use rmcp::service::RequestContext;
use sandshell::{ExecuteResponse, LimitKind, Sandbox, SessionResponse, posix};
use std::time::Duration;

/// How often progress is reported.
const TICK: Duration = Duration::from_secs(1);

pub(super) async fn execute(
    workspace: &Workspace,
    asked: Execute,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, String> {
    if let Some(session) = &asked.session {
        return in_session(workspace, session, &asked, context).await;
    }
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
    Ok(result(workspace, answer, None).await)
}

/// Runs a command in a shell that lives. Cancelling interrupts it.
async fn in_session(
    workspace: &Workspace,
    session: &str,
    asked: &Execute,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, String> {
    if asked.background {
        return Err("a session's own jobs run in the background: end the command with `&`".to_owned());
    }
    if asked.cwd.is_some() {
        return Err("a session has a directory of its own: `cd` changes it".to_owned());
    }
    let mut request = workspace.request(&*asked.command);
    request.timeout = asked.timeout.map(seconds).transpose()?;
    let running = workspace.sandbox.execute_in_session(session, request);
    let answer = tokio::select! {
        answer = running => answer.map_err(|error| error.to_string())?,
        () = context.ct.cancelled() => return Err("cancelled".to_owned()),
        never = progress(context) => match never {},
    };
    Ok(result(workspace, answer.response.clone(), Some(answer)).await)
}

/// Starts a command whose output goes to a file. It has no time limit unless the call sets one.
async fn background(workspace: &Workspace, asked: &Execute) -> Result<CallToolResult, String> {
    let file = workspace.new_file("background");
    let command = posix::quote(&asked.command);
    let mut request = workspace.request(format!("bash -c {command} >{file} 2>&1 </dev/null & echo $!"));
    request.cwd = asked.cwd.as_deref().map(|cwd| workspace.path(Some(cwd)));
    request.timeout = Some(asked.timeout.map_or(Ok(Duration::ZERO), seconds)?);
    let answer = workspace.sandbox.execute(request).await.map_err(|error| error.to_string())?;
    let pid = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    let note = format!("[started as process {pid}; its output goes to {file}; `kill {pid}` stops it]");
    let started = Executed {
        pid: pid.parse().ok(),
        output_file: Some(file),
        duration_seconds: answer.duration.as_secs_f64(),
        notes: vec![note.clone()],
        ..Executed::default()
    };
    Ok(answered(note, &started))
}

/// The answer to a command, which ran in a session or not.
async fn result(
    workspace: &Workspace,
    answer: ExecuteResponse,
    session: Option<SessionResponse>,
) -> CallToolResult {
    let paged = workspace.paged(String::from_utf8_lossy(&answer.output).into_owned()).await;
    let mut text = paged.text();
    let of_time = |kind: LimitKind| answer.timed_out && kind == LimitKind::WallTime;
    let limits = answer.limits.iter().filter(|limit| !of_time(limit.kind));
    let mut said: Vec<String> = limits.map(|limit| format!("[{}]", limit.message)).collect();
    match answer.exit_code {
        _ if answer.timed_out => said.push("[stopped: its time was up; status 124]".to_owned()),
        Some(0) => {}
        Some(status) => said.push(format!("[status {status}]")),
        None => said.push("[status unknown]".to_owned()),
    }
    let mut background = None;
    if let Some(session) = session {
        said.extend(session.restarted.map(|why| format!("[{why}]")));
        if session.ended {
            said.push("[the session's shell has ended: the next command gets a new one]".to_owned());
        }
        if !session.background.is_empty() {
            let before = workspace.paged(String::from_utf8_lossy(&session.background).into_owned()).await;
            text = format!("[jobs wrote before]\n{}\n[now]\n{text}", before.text().trim_end_matches('\n'));
            background = Some(before.shown);
        }
    }
    if !said.is_empty() && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&said.concat());
    // The status already has a field of its own.
    said.retain(|note| !note.starts_with("[status "));
    let executed = Executed {
        exit_code: answer.exit_code.map(i64::from),
        timed_out: answer.timed_out,
        truncated: answer.truncated || paged.is_cut(),
        duration_seconds: answer.duration.as_secs_f64(),
        notes: paged.note.into_iter().chain(said).collect(),
        output: paged.shown,
        output_file: paged.file,
        pid: None,
        background_output: background,
    };
    answered(text, &executed)
}

/// Reports to a client that asked for it how long the command has been running.
async fn progress(context: &RequestContext<RoleServer>) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let mut elapsed = 0;
    loop {
        tokio::time::sleep(TICK).await;
        elapsed += TICK.as_secs();
        let said = ProgressNotificationParam::new(token.clone(), elapsed as f64)
            .with_message(format!("running for {elapsed} s"));
        // It does not matter if the client has gone.
        let _ = context.peer.notify_progress(said).await;
    }
}

fn seconds(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("the timeout {seconds} is not a number of seconds"))
}
