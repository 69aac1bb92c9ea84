//! Commands: each in a session of its own.

use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::api::Toolbox;
use super::sandbox::DaytonaSandbox;
use crate::cloud::{Id, OutputBuffer, Poll, check_command, place_stdin, time_limit, unique, wrap};
use crate::{ErrorKind, ExecuteRequest, ExecuteResponse, Result};

#[derive(Deserialize)]
struct Shown {
    #[serde(default)]
    commands: Option<Vec<Command>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Command {
    id: Id,
    exit_code: Option<i32>,
}

/// The answer of a command that was waited for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    exit_code: Option<i32>,
    #[serde(flatten)]
    logs: Logs,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Logs {
    output: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
}

pub(super) async fn execute(sandbox: &DaytonaSandbox, request: ExecuteRequest) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let line = wrap(&request, sandbox.workdir.as_deref(), stdin.as_deref());
    let mut output = OutputBuffer::new(&request, None);
    let session = Session::open(sandbox.toolbox.clone()).await?;
    let deadline = time_limit(&request).map(|timeout| Instant::now() + timeout);
    let followed = session.follow(&line);
    let done = match deadline {
        None => Some(followed.await?),
        Some(deadline) => match tokio::time::timeout_at(deadline, followed).await {
            Ok(done) => Some(done?),
            Err(_) => None,
        },
    };
    Ok(match done {
        Some(Done { exit_code, logs }) => {
            logs.fill(&mut output);
            output.ended(exit_code)
        }
        None => {
            if let Some(command) = session.command().await? {
                session.logs(&command.id).await?.fill(&mut output);
            }
            output.timed_out()
        }
    })
}

/// Whether this is the status of a proxy's answer after it did not wait any longer for the service.
fn is_proxy_timeout(status: u16) -> bool {
    matches!(status, 408 | 502 | 503 | 504 | 524)
}

/// A session. Ending it kills its processes.
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

    /// Runs the session's only command and waits for its answer. If the command is silent for long, or if the
    /// answer is lost, the service is asked for its state. The command is never started again.
    async fn follow(&self, line: &str) -> Result<Done> {
        let http = self.toolbox.http();
        let call = self.toolbox.call(Method::POST, &format!("{}/exec", self.path))?;
        let answer = http.answer(call.json(&json!({"command": line, "runAsync": false})).patient().large());
        tokio::pin!(answer);
        let lost = loop {
            match tokio::time::timeout(http.options.idle_timeout, &mut answer).await {
                Ok(Ok(answer)) if is_proxy_timeout(answer.status) => break http.refused(&answer),
                Ok(Ok(answer)) => return http.parse(&http.success(answer)?),
                Ok(Err(error)) if error.kind() == ErrorKind::Unavailable => break error,
                Ok(Err(error)) => return Err(error),
                Err(_) => match self.command().await? {
                    Some(command) if command.exit_code.is_none() => {}
                    Some(command) => return self.done(command).await,
                    None => return Err(http.silent()),
                },
            }
        };
        match self.command().await {
            Ok(Some(command)) => self.wait(command).await,
            // The command was not started, or the service cannot be asked.
            Ok(None) | Err(_) => Err(lost),
        }
    }

    /// The session's command, if it was started.
    async fn command(&self) -> Result<Option<Command>> {
        let http = self.toolbox.http();
        let shown: Shown = http.parse(&http.send(self.toolbox.call(Method::GET, &self.path)?).await?)?;
        Ok(shown.commands.and_then(|mut commands| commands.pop()))
    }

    /// Polls a command until it has ended.
    async fn wait(&self, mut command: Command) -> Result<Done> {
        let http = self.toolbox.http();
        let path = format!("{}/command/{}", self.path, command.id);
        let mut poll = Poll::new();
        while command.exit_code.is_none() {
            poll.wait().await;
            command = http.parse(&http.send(self.toolbox.call(Method::GET, &path)?).await?)?;
        }
        self.done(command).await
    }

    async fn done(&self, command: Command) -> Result<Done> {
        Ok(Done { exit_code: command.exit_code, logs: self.logs(&command.id).await? })
    }

    async fn logs(&self, command: &Id) -> Result<Logs> {
        let path = format!("{}/command/{}/logs", self.path, command);
        let call = self.toolbox.call(Method::GET, &path)?.deadline(None).large();
        let answer = self.toolbox.http().send(call).await?;
        self.toolbox.http().parse(&answer)
    }
}

impl Logs {
    fn fill(self, output: &mut OutputBuffer) {
        let [joined, stdout, stderr] = [self.output, self.stdout, self.stderr].map(Option::unwrap_or_default);
        output.whole(joined, stdout, stderr);
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
