//! Commands: messages on a WebSocket. After a lost connection, the client reconnects to the command.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::api::DataPlane;
use super::sandbox::LangSmithSandbox;
use crate::cloud::{OutputBuffer, Poll, Socket, check_command, place_stdin, time_limit, unique};
use crate::posix::quote;
use crate::{ErrorKind, ExecuteRequest, ExecuteResponse, OutputSender, OutputStream, Result};

/// How long the service may take to report the end of a killed command. Also how much later than the client the
/// service ends a command whose time is up.
const GRACE: Duration = Duration::from_secs(5);

/// How long a command without a timeout may take or be silent.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// How often in a row the client reconnects without getting any message.
const RECONNECTS: u32 = 5;

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    offset: usize,
    exit_code: Option<i32>,
    #[serde(default)]
    error_type: String,
    #[serde(default)]
    error: String,
}

enum End {
    Exited(Option<i32>),
    Late,
}

pub(super) async fn execute(
    sandbox: &LangSmithSandbox,
    request: ExecuteRequest,
    sender: Option<OutputSender>,
) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let mut output = OutputBuffer::new(&request, sender);
    let timeout = time_limit(&request);
    let mut running = Running { data: sandbox.data.clone(), id: unique(), over: false };
    let first = first(&running.id, sandbox, &request, stdin.as_deref(), timeout);
    let mut seen = Seen::default();
    let follow = follow(&mut running, &first, &mut seen, &mut output);
    let ended = match timeout {
        None => Some(follow.await?),
        Some(timeout) => tokio::time::timeout(timeout, follow).await.ok().transpose()?,
    };
    match ended {
        Some(End::Exited(code)) => Ok(output.ended(code)),
        Some(End::Late) if timeout.is_some() => Ok(output.timed_out()),
        Some(End::Late) => {
            let http = &sandbox.data.api.http;
            Err(http.error(ErrorKind::DeadlineExceeded, "the service stopped the command"))
        }
        None => {
            // Output that it wrote before is still arriving.
            let last = async {
                let mut socket = running.attach(&seen).await?;
                socket.send(&json!({"type": "kill"})).await?;
                read(&running.data, &mut socket, &mut seen, &mut output).await
            };
            let ended = tokio::time::timeout(GRACE, last).await;
            running.over = matches!(ended, Ok(Ok(Some(_))));
            Ok(output.timed_out())
        }
    }
}

fn first(
    id: &str,
    sandbox: &LangSmithSandbox,
    request: &ExecuteRequest,
    stdin: Option<&str>,
    timeout: Option<Duration>,
) -> Value {
    let command = match stdin {
        Some(file) => {
            format!("exec < {0} && rm -f {0} && exec bash -c {1}", quote(file), quote(&request.command))
        }
        None => request.command.clone(),
    };
    // If the client disappears, the service still enforces the timeout.
    let longest = timeout.map_or(LONGEST, |timeout| timeout + GRACE).as_secs_f64().ceil() as u64;
    let mut body = json!({
        "type": "execute",
        "command": command,
        "command_id": id,
        "shell": "/bin/bash",
        "timeout_seconds": longest,
        "idle_timeout_seconds": longest,
        "kill_on_disconnect": false,
        "close_stdin": true,
    });
    if !request.env.is_empty() {
        let env: Map<String, Value> =
            request.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        body["env"] = Value::Object(env);
    }
    if let Some(cwd) = request.cwd.as_deref().or(sandbox.workdir.as_deref()) {
        body["cwd"] = json!(cwd);
    }
    body
}

/// How many bytes of each stream have arrived.
#[derive(Default)]
struct Seen {
    started: bool,
    stdout: usize,
    stderr: usize,
}

/// Follows a command to its end, over several connections if necessary. Its id makes sure that it runs only once.
async fn follow(
    running: &mut Running,
    first: &Value,
    seen: &mut Seen,
    output: &mut OutputBuffer,
) -> Result<End> {
    let data = running.data.clone();
    let (mut poll, mut left) = (Poll::new(), RECONNECTS);
    loop {
        let before = (seen.started, seen.stdout, seen.stderr);
        let read = async {
            let mut socket = if seen.started {
                running.attach(seen).await?
            } else {
                let mut socket = Socket::open(&data.api.http, data.call(Method::GET, "/execute/ws")?).await?;
                socket.send(first).await?;
                socket
            };
            read(&data, &mut socket, seen, output).await
        };
        let lost = match read.await {
            Ok(Some(end)) => {
                running.over = true;
                return Ok(end);
            }
            Ok(None) => {
                data.api.http.error(ErrorKind::Unavailable, "the connection ended before the command did")
            }
            Err(error) if matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::RateLimited) => error,
            Err(error) => {
                running.over = !seen.started;
                return Err(error);
            }
        };
        if before != (seen.started, seen.stdout, seen.stderr) {
            (poll, left) = (Poll::new(), RECONNECTS);
        }
        if left == 0 {
            return Err(lost);
        }
        left -= 1;
        poll.wait().await;
    }
}

/// Reads one connection to its end; returns how the command ended, if it did.
async fn read(
    data: &DataPlane,
    socket: &mut Socket<'_>,
    seen: &mut Seen,
    output: &mut OutputBuffer,
) -> Result<Option<End>> {
    let http = &data.api.http;
    while let Some(message) = socket.receive::<Message>().await? {
        let (stream, known) = match message.kind.as_str() {
            "started" => {
                seen.started = true;
                continue;
            }
            "stdout" => (OutputStream::Stdout, &mut seen.stdout),
            "stderr" => (OutputStream::Stderr, &mut seen.stderr),
            "exit" => return Ok(Some(End::Exited(message.exit_code.filter(|code| *code >= 0)))),
            "error" if message.error_type == "CommandTimeout" => return Ok(Some(End::Late)),
            "error" => {
                let kind = match message.error_type.as_str() {
                    "SessionExpired" | "CommandNotFound" => ErrorKind::SandboxEnded,
                    _ => ErrorKind::Unexpected,
                };
                return Err(http.error(kind, format!("{}: {}", message.error_type, message.error)));
            }
            _ => continue,
        };
        let end = message.offset + message.data.len();
        // Skip bytes that were already received on an earlier connection.
        let fresh = message.data.get(known.saturating_sub(message.offset).min(message.data.len())..);
        let fresh = fresh.unwrap_or_default().to_owned();
        *known = end.max(*known);
        output.push(stream, fresh.into()).await;
    }
    Ok(None)
}

/// Kills the command if its future is dropped or fails before the command has ended.
struct Running {
    data: Arc<DataPlane>,
    id: String,
    over: bool,
}

impl Running {
    /// Opens a connection to the running command.
    async fn attach(&self, seen: &Seen) -> Result<Socket<'_>> {
        let call = self.data.call(Method::GET, "/execute/ws")?;
        let mut socket = Socket::open(&self.data.api.http, call).await?;
        let again = json!({
            "type": "reconnect",
            "command_id": self.id,
            "stdout_offset": seen.stdout,
            "stderr_offset": seen.stderr,
        });
        socket.send(&again).await?;
        Ok(socket)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let orphan = Self { data: self.data.clone(), id: self.id.clone(), over: true };
        runtime.spawn(async move {
            if let Ok(mut socket) = orphan.attach(&Seen::default()).await
                && socket.send(&json!({"type": "kill"})).await.is_ok()
            {
                // The service has received the message when it answers.
                while let Ok(Some(message)) = socket.receive::<Message>().await {
                    if matches!(message.kind.as_str(), "exit" | "error") {
                        break;
                    }
                }
            }
        });
    }
}
