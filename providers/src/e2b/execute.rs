//! Commands: `process.Process/Start`, a stream of enveloped JSON messages.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::{Bytes, BytesMut};
use reqwest::{Method, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::Envd;
use crate::cloud::{OutputBuffer, check_command, parse_json, time_limit};
use crate::{Error, ErrorKind, ExecuteRequest, ExecuteResponse, OutputSender, OutputStream, Result};

/// How much longer than the service the client waits for a command whose time is up.
const GRACE: Duration = Duration::from_secs(5);

/// The size of the pieces in which standard input is sent.
const PIECE: usize = 256 * 1024;

/// A longer message is treated as malformed.
const LONGEST_MESSAGE: usize = 16 << 20;

#[derive(Debug, Deserialize)]
struct Message {
    event: Option<Event>,
    error: Option<Refusal>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event {
    start: Option<Start>,
    data: Option<Data>,
    end: Option<End>,
}

#[derive(Debug, Deserialize)]
struct Start {
    pid: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Data {
    stdout: Option<String>,
    stderr: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct End {
    exit_code: i32,
    exited: bool,
    status: String,
}

#[derive(Debug, Deserialize)]
struct Refusal {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
}

pub(super) async fn execute(
    envd: &Arc<Envd>,
    workdir: Option<&str>,
    request: ExecuteRequest,
    sender: Option<OutputSender>,
) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let http = &envd.api.http;
    let mut output = OutputBuffer::new(&request, sender);
    let timeout = time_limit(&request);
    let response = http.open(start(envd, workdir, &request, timeout)).await?;
    let mut running = Running { envd: envd.clone(), pid: None };
    let follow = follow(&mut running, response, request.stdin, &mut output);
    let ended = match timeout {
        None => follow.await,
        Some(timeout) => match tokio::time::timeout(timeout + GRACE, follow).await {
            Ok(ended) => ended,
            // The service did not enforce the timeout; dropping the guard kills the command.
            Err(_) => return Ok(output.timed_out()),
        },
    };
    match ended {
        Ok(End { exited: false, status, exit_code }) => {
            running.pid = None;
            Ok(output
                .ended(signal(&status).map(|number| 128 + number).or(Some(exit_code)).filter(|c| *c >= 0)))
        }
        Ok(end) => {
            running.pid = None;
            Ok(output.ended(Some(end.exit_code)))
        }
        Err(Failure::Late) if timeout.is_some() => Ok(output.timed_out()),
        Err(Failure::Late) => Err(http.error(ErrorKind::DeadlineExceeded, "the service stopped the command")),
        Err(Failure::Other(error)) => Err(error),
    }
}

fn start(
    envd: &Envd,
    workdir: Option<&str>,
    request: &ExecuteRequest,
    timeout: Option<Duration>,
) -> crate::cloud::Call {
    let mut process = json!({"cmd": "/bin/bash", "args": ["-l", "-c", request.command]});
    let mut envs = serde_json::Map::new();
    for (name, value) in &request.env {
        envs.insert(name.clone(), Value::from(value.as_str()));
    }
    if !envs.is_empty() {
        process["envs"] = Value::Object(envs);
    }
    if let Some(cwd) = request.cwd.as_deref().or(workdir) {
        process["cwd"] = Value::from(cwd);
    }
    let message = json!({"process": process, "stdin": request.stdin.is_some()}).to_string();
    let mut body = BytesMut::with_capacity(message.len() + 5);
    body.extend_from_slice(&[0]);
    body.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    body.extend_from_slice(message.as_bytes());
    let call = envd
        .call(Method::POST, "/process.Process/Start")
        .header("connect-protocol-version", "1")
        .header("keepalive-ping-interval", "50")
        .body("application/connect+json", body.freeze());
    match timeout {
        Some(timeout) => call.header("connect-timeout-ms", &timeout.as_millis().max(1).to_string()),
        None => call,
    }
}

enum Failure {
    Late,
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// Reads the stream to its end while another task sends standard input.
async fn follow(
    running: &mut Running,
    response: Response,
    stdin: Option<Bytes>,
    output: &mut OutputBuffer,
) -> Result<End, Failure> {
    let envd = running.envd.clone();
    let mut messages = Messages { envd: &envd, response, buffer: BytesMut::new() };
    let mut stdin = stdin;
    let mut feeding: Option<Feeding> = None;
    let mut ended = None;
    while let Some(message) = messages.next().await? {
        if let Some(refusal) = message.error {
            return match (ended, refusal.code.as_str()) {
                (Some(end), _) => Ok(end),
                (None, "deadline_exceeded") => Err(Failure::Late),
                (None, code) => Err(refused(&envd, code, &refusal.message).into()),
            };
        }
        let Some(event) = message.event else { continue };
        if let Some(Start { pid }) = event.start {
            running.pid = Some(pid);
            if let Some(stdin) = stdin.take() {
                feeding = Some(Feeding(tokio::spawn(feed(envd.clone(), pid, stdin))));
            }
        }
        if let Some(data) = event.data {
            for (stream, data) in [(OutputStream::Stdout, data.stdout), (OutputStream::Stderr, data.stderr)] {
                let Some(data) = data else { continue };
                let data = BASE64_STANDARD.decode(data).map_err(|error| envd.api.http.malformed(error))?;
                output.push(stream, data.into()).await;
            }
        }
        if event.end.is_some() {
            ended = event.end;
        }
    }
    drop(feeding);
    ended.ok_or_else(|| {
        envd.api.http.error(ErrorKind::Unavailable, "the stream ended before the command").into()
    })
}

/// A task that is aborted on drop.
struct Feeding(tokio::task::JoinHandle<()>);

impl Drop for Feeding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends standard input. A command that ends early need not read all of it; that is no failure.
async fn feed(envd: Arc<Envd>, pid: u64, stdin: Bytes) {
    for piece in stdin.chunks(PIECE) {
        let body = json!({"process": {"pid": pid}, "input": {"stdin": BASE64_STANDARD.encode(piece)}});
        if envd.unary("/process.Process/SendInput", &body).await.is_err() {
            return;
        }
    }
    drop(envd.unary("/process.Process/CloseStdin", &json!({"process": {"pid": pid}})).await);
}

/// Kills the command if its future is dropped or fails before the command has ended.
struct Running {
    envd: Arc<Envd>,
    pid: Option<u64>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some(pid), Ok(runtime)) = (self.pid, tokio::runtime::Handle::try_current()) else { return };
        let envd = self.envd.clone();
        runtime.spawn(async move {
            let body = json!({"process": {"pid": pid}, "signal": "SIGNAL_SIGKILL"});
            drop(envd.unary("/process.Process/SendSignal", &body).await);
        });
    }
}

/// The messages of a stream: each has a byte of flags, four bytes of length, and JSON.
struct Messages<'a> {
    envd: &'a Envd,
    response: Response,
    buffer: BytesMut,
}

impl Messages<'_> {
    async fn next(&mut self) -> Result<Option<Message>> {
        let http = &self.envd.api.http;
        loop {
            if let Some((&[_, a, b, c, d], rest)) = self.buffer.split_first_chunk::<5>() {
                let length = u32::from_be_bytes([a, b, c, d]) as usize;
                if length > LONGEST_MESSAGE {
                    return Err(
                        http.malformed(format_args!("a message of more than {LONGEST_MESSAGE} bytes"))
                    );
                }
                if rest.len() >= length {
                    let message = self.buffer.split_to(5 + length);
                    let message = message.get(5..).unwrap_or_default();
                    return parse_json(message).map(Some).map_err(|e| http.malformed(e));
                }
            }
            match http.piece(&mut self.response).await? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None if self.buffer.is_empty() => return Ok(None),
                None => return Err(http.malformed("the stream ends within a message")),
            }
        }
    }
}

fn refused(envd: &Envd, code: &str, message: &str) -> Error {
    let kind = match code {
        "invalid_argument" | "failed_precondition" | "out_of_range" => ErrorKind::InvalidRequest,
        "not_found" => ErrorKind::NotFound,
        "unauthenticated" => ErrorKind::Unauthenticated,
        "permission_denied" => ErrorKind::PermissionDenied,
        "resource_exhausted" => ErrorKind::RateLimited,
        "unavailable" | "aborted" | "canceled" => ErrorKind::Unavailable,
        "unimplemented" => ErrorKind::Unsupported,
        _ => ErrorKind::Unexpected,
    };
    envd.api.http.error(kind, format!("{code}: {message}"))
}

/// The number of the signal in `signal: killed`, by the names that Go gives them.
fn signal(status: &str) -> Option<i32> {
    const NAMES: [&str; 15] = [
        "hangup",
        "interrupt",
        "quit",
        "illegal instruction",
        "trace/breakpoint trap",
        "aborted",
        "bus error",
        "floating point exception",
        "killed",
        "user defined signal 1",
        "segmentation fault",
        "user defined signal 2",
        "broken pipe",
        "alarm clock",
        "terminated",
    ];
    let name = status.strip_prefix("signal: ")?.trim_end_matches(" (core dumped)");
    (1..).zip(NAMES).find(|(_, known)| *known == name).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_gos_names() {
        assert_eq!(signal("signal: killed"), Some(9));
        assert_eq!(signal("signal: segmentation fault (core dumped)"), Some(11));
        assert_eq!(signal("exit status 3"), None);
    }
}
