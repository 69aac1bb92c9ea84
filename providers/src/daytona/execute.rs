//! Commands: each in a session of its own.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::api::Toolbox;
use super::sandbox::DaytonaSandbox;
use crate::cloud::{OutputBuffer, Poll, check_command, place_stdin, time_limit, unique, wrap};
use crate::{ExecuteRequest, ExecuteResponse, Result};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Started {
    cmd_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Command {
    exit_code: Option<i32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Logs {
    output: String,
    stdout: String,
    stderr: String,
}

pub(super) async fn execute(sandbox: &DaytonaSandbox, request: ExecuteRequest) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let line = wrap(&request, sandbox.workdir.as_deref(), stdin.as_deref());
    let mut output = OutputBuffer::new(&request, None);
    let session = Session::open(sandbox.toolbox.clone()).await?;
    let command = session.start(&line).await?;
    let timeout = time_limit(&request);
    let ended = session.wait(&command, timeout).await?;
    let logs = session.logs(&command).await?;
    output.whole(logs.output, logs.stdout, logs.stderr);
    Ok(match ended {
        Some(status) => output.ended(Some(status)),
        None => output.timed_out(),
    })
}

/// A session, whose end kills what runs in it.
struct Session {
    toolbox: Arc<Toolbox>,
    path: String,
}

impl Session {
    async fn open(toolbox: Arc<Toolbox>) -> Result<Self> {
        let id = format!("sandshell-{}", unique());
        let session = Self { toolbox, path: format!("/process/session/{id}") };
        let call = session.toolbox.call(Method::POST, "/process/session")?.json(&json!({"sessionId": id}));
        session.toolbox.http().send(call).await?;
        Ok(session)
    }

    async fn start(&self, line: &str) -> Result<String> {
        let body = json!({"command": line, "runAsync": true});
        let call = self.toolbox.call(Method::POST, &format!("{}/exec", self.path))?.json(&body);
        let answer = self.toolbox.http().send(call).await?;
        Ok(self.toolbox.http().parse::<Started>(&answer)?.cmd_id)
    }

    /// The status of a command once it has ended; `None` if its time is up before.
    async fn wait(&self, command: &str, timeout: Option<Duration>) -> Result<Option<i32>> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let path = format!("{}/command/{command}", self.path);
        let mut poll = Poll::new();
        loop {
            let answer = self.toolbox.http().send(self.toolbox.call(Method::GET, &path)?).await?;
            if let Some(status) = self.toolbox.http().parse::<Command>(&answer)?.exit_code {
                return Ok(Some(status));
            }
            match deadline {
                None => poll.wait().await,
                Some(deadline) if Instant::now() >= deadline => return Ok(None),
                Some(deadline) => drop(tokio::time::timeout_at(deadline, poll.wait()).await),
            }
        }
    }

    async fn logs(&self, command: &str) -> Result<Logs> {
        let path = format!("{}/command/{command}/logs", self.path);
        let answer = self.toolbox.http().send(self.toolbox.call(Method::GET, &path)?.deadline(None)).await?;
        self.toolbox.http().parse(&answer)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let (Ok(runtime), Ok(call)) =
            (tokio::runtime::Handle::try_current(), self.toolbox.call(Method::DELETE, &self.path))
        else {
            return;
        };
        let toolbox = self.toolbox.clone();
        runtime.spawn(async move { drop(toolbox.http().answer(call).await) });
    }
}
