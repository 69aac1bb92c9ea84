//! Commands: each is a task that is started and then polled.

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;

use super::api::{Api, Structured, Use};
use super::sandbox::AgentCoreSandbox;
use crate::cloud::{Id, OutputBuffer, Poll, check_command, place_stdin, time_limit, wrap};
use crate::{ErrorKind, ExecuteRequest, ExecuteResponse, Result};

pub(super) async fn execute(sandbox: &AgentCoreSandbox, request: ExecuteRequest) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let line = wrap(&request, Some(&sandbox.workdir), stdin.as_deref());
    let output = OutputBuffer::new(&request, None);
    let timeout = time_limit(&request);
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let mut running = Running::start(sandbox, &line).await?;
    let mut poll = Poll::new();
    loop {
        // A task that was only just started cannot have ended yet.
        match deadline {
            None => poll.wait().await,
            Some(deadline) => drop(tokio::time::timeout_at(deadline, poll.wait()).await),
        }
        let task = running.ask("getTask").await?;
        match task.task_status.as_deref() {
            Some("submitted" | "working") => {}
            Some("failed") if task.exit_code.is_none() => {
                running.over = true;
                let why = task.stderr.unwrap_or_default();
                return Err(sandbox
                    .api
                    .http
                    .error(ErrorKind::Unexpected, format!("the command failed: {why}")));
            }
            // We do not know whether it runs, so it is stopped.
            None => return Err(sandbox.api.http.malformed("a task without a status")),
            _ => {
                running.over = true;
                let status = task.exit_code;
                return Ok(filled(output, task).ended(status));
            }
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let stopped = running.ask("stopTask").await?;
            running.over = true;
            // The answer to stopping may lack the task's output.
            let task = match stopped.stdout {
                Some(_) => stopped,
                None => running.ask("getTask").await?,
            };
            return Ok(filled(output, task).timed_out());
        }
    }
}

fn filled(mut output: OutputBuffer, task: Structured) -> OutputBuffer {
    let (stdout, stderr) = (task.stdout.unwrap_or_default(), task.stderr.unwrap_or_default());
    output.whole(format!("{stdout}{stderr}"), stdout, stderr);
    output
}

/// Stops the task if its future is dropped, or failed, before it ended.
struct Running {
    api: Arc<Api>,
    session: Id,
    task: String,
    over: bool,
}

impl Running {
    async fn start(sandbox: &AgentCoreSandbox, line: &str) -> Result<Self> {
        let (api, session) = (sandbox.api.clone(), sandbox.id.clone());
        let arguments = json!({"command": line});
        let started = api.invoke(&session, "startCommandExecution", arguments, Use::Once).await?;
        let task = started.structured_content.task_id;
        let task = task.ok_or_else(|| api.http.malformed("a task without an id"))?;
        Ok(Self { api, session, task, over: false })
    }

    async fn ask(&self, tool: &str) -> Result<Structured> {
        let arguments = json!({"taskId": self.task});
        let answer = self.api.invoke(&self.session, tool, arguments, Use::Repeatable).await?;
        Ok(answer.structured_content)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let (false, Ok(runtime)) = (self.over, tokio::runtime::Handle::try_current()) else { return };
        let (api, session, task) = (self.api.clone(), self.session.clone(), self.task.clone());
        runtime.spawn(async move {
            drop(api.invoke(&session, "stopTask", json!({"taskId": task}), Use::Repeatable).await);
        });
    }
}
