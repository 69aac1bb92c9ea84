//! Commands.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::rpc::{Failure, Output, Rpc};
use super::sandbox::DenoSandbox;
use crate::cloud::{OutputBuffer, check_command, time_limit};
use crate::{ErrorKind, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// How long to wait for more output after the command has ended: background processes may hold its streams open.
const LINGER: Duration = Duration::from_millis(500);

/// The size of the pieces in which standard input is sent.
const PIECE: usize = 192 * 1024;

/// The number of streams of a command.
const STREAMS: usize = 2;

pub(super) async fn execute(
    sandbox: &DenoSandbox,
    request: ExecuteRequest,
    sender: Option<OutputSender>,
) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let rpc = sandbox.rpc().await?;
    let mut output = OutputBuffer::new(&request, sender);
    let timeout = time_limit(&request);
    let mut running = Running::start(sandbox, rpc, request).await?;
    let ended = match timeout {
        None => running.follow(&mut output).await,
        Some(timeout) => match tokio::time::timeout(timeout, running.follow(&mut output)).await {
            Ok(ended) => ended,
            Err(_) => {
                running.kill().await;
                running.drain(&mut output).await;
                return Ok(output.timed_out());
            }
        },
    };
    let ended = ended?;
    running.pid = None;
    Ok(output.ended(status(&ended)))
}

/// The status as a shell shows it.
fn status(ended: &Value) -> Option<i32> {
    let code = ended["code"].as_i64().and_then(|code| i32::try_from(code).ok())?;
    // Some services report a signal as its negative number.
    Some(if code < 0 { code.checked_neg()?.checked_add(128)? } else { code })
}

/// Kills the command if its future is dropped or fails before the command has ended.
struct Running {
    rpc: Arc<Rpc>,
    pid: Option<u64>,
    outputs: mpsc::UnboundedReceiver<Output>,
    open: usize,
}

impl Running {
    async fn start(sandbox: &DenoSandbox, rpc: Arc<Rpc>, request: ExecuteRequest) -> Result<Self> {
        let mut parameters = json!({
            "command": "bash",
            "args": ["-c", request.command],
            "stdout": "piped",
            "stderr": "piped",
        });
        if let Some(cwd) = request.cwd.as_deref().or(sandbox.workdir.as_deref()) {
            parameters["cwd"] = json!(cwd);
        }
        if !request.env.is_empty() {
            let env = request.env.iter().map(|(name, value)| (name.clone(), json!(value)));
            parameters["env"] = Value::Object(env.collect::<Map<_, _>>());
        }
        let mut input = None;
        if let Some(stdin) = request.stdin {
            let id = rpc.begin().await;
            parameters["stdinStreamId"] = json!(id);
            input = Some((id, stdin));
        }
        let deadline = Some(sandbox.api.options.client.deadline);
        let (sender, outputs) = mpsc::unbounded_channel();
        let started = rpc.call_with("spawn", parameters, deadline, Some(sender)).await;
        let started = started.map_err(|failure| match failure {
            // What is missing is not bash but, for example, the working directory.
            Failure::Thrown(thrown) if thrown["code"] == json!("ENOENT") => {
                let message = thrown["message"].as_str().unwrap_or("the command could not be started");
                sandbox.api.http.error(ErrorKind::InvalidRequest, message)
            }
            other => rpc.error(other),
        })?;
        let pid =
            started["pid"].as_u64().ok_or_else(|| sandbox.api.http.malformed("a command without a pid"))?;
        if let Some((id, stdin)) = input {
            let rpc = rpc.clone();
            // A command that ends early need not read all of its input; that is no failure.
            tokio::spawn(async move {
                for piece in stdin.chunks(PIECE) {
                    rpc.enqueue(id, piece).await;
                }
                rpc.end(id).await;
            });
        }
        Ok(Self { rpc, pid: Some(pid), outputs, open: STREAMS })
    }

    /// Collects output until both the command and its streams have ended.
    async fn follow(&mut self, output: &mut OutputBuffer) -> Result<Value> {
        let rpc = self.rpc.clone();
        let wait = rpc.call("processWait", json!({"pid": self.pid}), None);
        tokio::pin!(wait);
        let ended = loop {
            tokio::select! {
                piece = self.outputs.recv(), if self.open > 0 => self.take(piece, output).await,
                ended = &mut wait => break ended.map_err(|failure| rpc.error(failure))?,
            }
        };
        self.drain(output).await;
        Ok(ended)
    }

    async fn drain(&mut self, output: &mut OutputBuffer) {
        while self.open > 0 {
            let Ok(piece) = tokio::time::timeout(LINGER, self.outputs.recv()).await else { return };
            self.take(piece, output).await;
        }
    }

    async fn take(&mut self, piece: Option<Output>, output: &mut OutputBuffer) {
        match piece {
            Some(Output::Data(stream, data, _held)) => output.push(stream, data).await,
            Some(Output::Ended) => self.open -= 1,
            // The socket was closed; the waiting call reports it.
            None => self.open = 0,
        }
    }

    async fn kill(&mut self) {
        let Some(pid) = self.pid.take() else { return };
        // The command may have ended just now.
        drop(self.rpc.call("processKill", json!({"pid": pid, "signal": "SIGKILL"}), Some(LINGER)).await);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some(pid), Ok(runtime)) = (self.pid, tokio::runtime::Handle::try_current()) else { return };
        let rpc = self.rpc.clone();
        runtime.spawn(async move {
            let parameters = json!({"pid": pid, "signal": "SIGKILL"});
            drop(rpc.call("processKill", parameters, Some(Duration::from_secs(10))).await);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_shown_as_shells_do() {
        for (code, shown) in [(0, 0), (3, 3), (137, 137), (-9, 137)] {
            assert_eq!(status(&json!({"code": code})), Some(shown));
        }
        assert_eq!(status(&json!({})), None);
    }
}
