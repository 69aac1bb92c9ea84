//! Commands.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::api::Api;
use super::sandbox::RunloopSandbox;
use crate::cloud::{Id, OutputBuffer, check_command, parse_json, place_stdin, time_limit, unique, wrap};
use crate::{ExecuteRequest, ExecuteResponse, OutputStream, Result};

/// How long the service is asked to wait before it answers.
const HOLD: Duration = Duration::from_secs(25);

#[derive(Deserialize)]
struct Execution {
    execution_id: Id,
    status: String,
    exit_status: Option<i32>,
    #[serde(default)]
    stdout: Option<String>,
    #[serde(default)]
    stderr: Option<String>,
    #[serde(default)]
    stdout_truncated: Option<bool>,
    #[serde(default)]
    stderr_truncated: Option<bool>,
}

pub(super) async fn execute(sandbox: &RunloopSandbox, request: ExecuteRequest) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let line = wrap(&request, sandbox.workdir.as_deref(), stdin.as_deref());
    let mut output = OutputBuffer::new(&request, None);
    let deadline = time_limit(&request).map(|timeout| Instant::now() + timeout);
    let hold = left(&sandbox.api, deadline);
    let (api, id) = (&sandbox.api, &sandbox.id);
    // The id of the command makes a retry safe.
    let body = json!({"command": line, "command_id": unique(), "optimistic_timeout": hold.as_secs()});
    let answer = api.act(&sandbox.id, "execute", &body).await?;
    let mut execution: Execution = match answer.status {
        200..300 => api.http.parse(&answer)?,
        _ => return Err(api.refused(&sandbox.id, &answer).await),
    };
    let path = format!("/{id}/executions/{}", execution.execution_id);
    let mut running = Running { api: api.clone(), id: sandbox.id.clone(), path, over: false };
    while execution.status != "completed" {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            running.over = true;
            let kill = api.call(Method::POST, &format!("{}/kill", running.path))?;
            api.http.send(kill.json(&json!({"kill_process_group": true})).repeatable()).await?;
            let ended = running.wait(left(api, None)).await?;
            if let Some(ended) = ended {
                running.collect(&ended, &mut output).await?;
            }
            return Ok(output.timed_out());
        }
        if let Some(later) = running.wait(left(api, deadline)).await? {
            execution = later;
        }
    }
    running.over = true;
    running.collect(&execution, &mut output).await?;
    Ok(output.ended(execution.exit_status))
}

/// How long the next call waits: well below the time limit of a call.
fn left(api: &Api, deadline: Option<Instant>) -> Duration {
    let hold = HOLD.min(api.http.options.deadline / 2);
    deadline.map_or(hold, |deadline| hold.min(deadline.saturating_duration_since(Instant::now())))
}

/// Kills the command if its future is dropped or fails before the command has ended.
struct Running {
    api: Arc<Api>,
    id: Id,
    path: String,
    over: bool,
}

impl Running {
    /// Waits for the execution to end; `None` if it has not ended in time.
    async fn wait(&self, time: Duration) -> Result<Option<Execution>> {
        let http = &self.api.http;
        let body = json!({"statuses": ["completed"], "timeout_seconds": time.as_secs_f64()});
        let call = self.api.call(Method::POST, &format!("{}/wait_for_status", self.path))?;
        let answer = http.answer(call.json(&body).repeatable().large()).await?;
        match answer.status {
            408 => Ok(None),
            200..300 => http.parse(&answer).map(Some),
            _ => Err(self.api.refused(&self.id, &answer).await),
        }
    }

    /// Collects the output. If the answer holds only a part of a stream, all of it is fetched.
    async fn collect(&self, execution: &Execution, output: &mut OutputBuffer) -> Result<()> {
        let streams = [
            (OutputStream::Stdout, "stdout", &execution.stdout, execution.stdout_truncated),
            (OutputStream::Stderr, "stderr", &execution.stderr, execution.stderr_truncated),
        ];
        for (stream, name, text, truncated) in streams {
            let text = match truncated {
                Some(true) => self.whole(name).await?,
                _ => text.clone().unwrap_or_default(),
            };
            output.push(stream, text.into()).await;
        }
        Ok(())
    }

    /// Fetches all of a stream from its events.
    async fn whole(&self, name: &str) -> Result<String> {
        #[derive(Deserialize)]
        struct Update {
            output: String,
        }
        let http = &self.api.http;
        let call = self.api.call(Method::GET, &format!("{}/stream_{name}_updates", self.path))?;
        let answer = http.send(call.header("accept", "text/event-stream").deadline(None).large()).await?;
        let mut text = String::new();
        for line in answer.body.split(|byte| *byte == b'\n') {
            let Some(data) = line.strip_prefix(b"data:") else { continue };
            let update: Update = parse_json(data).map_err(|error| http.malformed(error))?;
            text.push_str(&update.output);
        }
        Ok(text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let (Ok(runtime), Ok(call)) = (
            tokio::runtime::Handle::try_current(),
            self.api.call(Method::POST, &format!("{}/kill", self.path)),
        ) else {
            return;
        };
        let api = self.api.clone();
        let call = call.json(&json!({"kill_process_group": true})).repeatable();
        runtime.spawn(async move { drop(api.http.answer(call).await) });
    }
}
