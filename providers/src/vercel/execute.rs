//! Commands: each is a stream of JSON lines.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::{Method, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::api::Api;
use super::sandbox::VercelSandbox;
use crate::cloud::{Id, OutputBuffer, argv, check_command, parse_json, place_stdin, time_limit};
use crate::{ErrorKind, ExecuteRequest, ExecuteResponse, OutputSender, OutputStream, Result};

/// How long the service may take to report the end of a killed command. Also how much later than the client the
/// service ends a command whose time is up.
const GRACE: Duration = Duration::from_secs(5);

/// A longer line is treated as malformed.
const LONGEST_LINE: usize = 16 << 20;

#[derive(Deserialize)]
struct Line {
    command: Option<Command>,
    stream: Option<String>,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Command {
    id: Id,
    exit_code: Option<i32>,
}

pub(super) async fn execute(
    sandbox: &VercelSandbox,
    request: ExecuteRequest,
    sender: Option<OutputSender>,
) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let mut output = OutputBuffer::new(&request, sender);
    let timeout = time_limit(&request);
    let body = body(sandbox, &request, stdin.as_deref(), timeout);
    let api = &sandbox.api;
    let open = |session: Id| {
        let body = &body;
        async move {
            let what = "/cmd";
            let response =
                api.http.open(api.within(Method::POST, &session, what)?.json(body).patient()).await?;
            Ok((session, response))
        }
    };
    let (session, response) = sandbox.awake(open).await?;
    let mut running = Running { api: api.clone(), session, command: None };
    let mut lines = Lines { api, response, buffer: BytesMut::new(), seen: 0 };
    let Some(timeout) = timeout else {
        let code = follow(&mut running, &mut lines, &mut output).await?;
        return Ok(output.ended(code));
    };
    if let Ok(code) = tokio::time::timeout(timeout, follow(&mut running, &mut lines, &mut output)).await {
        return Ok(output.ended(code?));
    }
    running.kill().await?;
    // Output that it wrote before is still arriving.
    drop(tokio::time::timeout(GRACE, follow(&mut running, &mut lines, &mut output)).await);
    running.command = None;
    Ok(output.timed_out())
}

fn body(
    sandbox: &VercelSandbox,
    request: &ExecuteRequest,
    stdin: Option<&str>,
    timeout: Option<Duration>,
) -> Value {
    let [command, args @ ..] = argv(&request.command, stdin);
    let mut body = json!({"command": command, "args": args, "sudo": false, "wait": true, "logs": true});
    if !request.env.is_empty() {
        let env: Map<String, Value> =
            request.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        body["env"] = Value::Object(env);
    }
    if let Some(cwd) = request.cwd.as_deref().or(sandbox.workdir.as_deref()) {
        body["cwd"] = json!(cwd);
    }
    if let Some(timeout) = timeout {
        // If the client disappears, the service still enforces the timeout.
        body["timeout"] = json!(u64::try_from((timeout + GRACE).as_millis()).unwrap_or(u64::MAX));
    }
    body
}

/// Reads the stream to its end; returns the exit status.
async fn follow(
    running: &mut Running,
    lines: &mut Lines<'_>,
    output: &mut OutputBuffer,
) -> Result<Option<i32>> {
    let http = &lines.api.http;
    while let Some(line) = lines.next(running).await? {
        if let Some(command) = line.command {
            if let Some(code) = command.exit_code {
                running.command = None;
                return Ok(Some(code).filter(|code| *code >= 0));
            }
            running.command = Some(command.id);
            continue;
        }
        let stream = match line.stream.as_deref() {
            Some("stdout") => OutputStream::Stdout,
            Some("stderr") => OutputStream::Stderr,
            Some("error") => {
                let text = |name: &str| line.data[name].as_str().unwrap_or("unknown").to_owned();
                let (code, message) = (text("code"), text("message"));
                // The command had started, so it must never be started again.
                let over = code.starts_with("sandbox_") && code != "sandbox_stream_closed";
                let kind = if over { ErrorKind::SandboxEnded } else { ErrorKind::Unavailable };
                return Err(http.error(kind, format!("{code}: {message}")));
            }
            _ => continue,
        };
        if let Some(text) = line.data.as_str() {
            output.push(stream, text.to_owned().into()).await;
        }
    }
    Err(http.error(ErrorKind::Unavailable, "the stream ended before the command did"))
}

/// The lines of an answer.
struct Lines<'a> {
    api: &'a Api,
    response: Response,
    buffer: BytesMut,
    /// How many bytes of the buffer are known to have no line end.
    seen: usize,
}

impl Lines<'_> {
    async fn next(&mut self, running: &Running) -> Result<Option<Line>> {
        let http = &self.api.http;
        loop {
            if let Some(at) = memchr::memchr(b'\n', self.buffer.get(self.seen..).unwrap_or_default()) {
                let line = self.buffer.split_to(self.seen + at + 1);
                self.seen = 0;
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return parse_json(&line).map(Some).map_err(|error| http.malformed(error));
            }
            self.seen = self.buffer.len();
            if self.seen > LONGEST_LINE {
                return Err(http.malformed(format_args!("a line of more than {LONGEST_LINE} bytes")));
            }
            match self.piece(running).await? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None if self.buffer.trim_ascii().is_empty() => return Ok(None),
                None => return Err(http.malformed("a line that breaks off")),
            }
        }
    }

    /// The next piece of the answer. If the command is silent for long, the service is asked whether it still runs.
    async fn piece(&mut self, running: &Running) -> Result<Option<Bytes>> {
        let http = &self.api.http;
        let mut runs = true;
        loop {
            match tokio::time::timeout(http.options.idle_timeout, self.response.chunk()).await {
                Ok(piece) => return piece.map_err(|error| http.broken(error, false)),
                Err(_) if runs => runs = running.look().await?,
                Err(_) => return Err(http.silent()),
            }
        }
    }
}

/// Kills the command if its future is dropped or fails before the command has ended.
struct Running {
    api: Arc<Api>,
    session: Id,
    /// The command's id, while it runs.
    command: Option<Id>,
}

impl Running {
    /// Asks the service whether the command still runs.
    async fn look(&self) -> Result<bool> {
        #[derive(Deserialize)]
        struct Looked {
            command: Command,
        }
        let Some(command) = &self.command else { return Ok(false) };
        let call = self.api.within(Method::GET, &self.session, &format!("/cmd/{command}"))?;
        let looked: Looked = self.api.http.parse(&self.api.http.send(call).await?)?;
        Ok(looked.command.exit_code.is_none())
    }

    async fn kill(&self) -> Result<()> {
        let Some(command) = &self.command else { return Ok(()) };
        let what = format!("/cmd/{command}/kill");
        let call = self.api.within(Method::POST, &self.session, &what)?;
        let answer = self.api.http.answer(call.json(&json!({"signal": 9})).repeatable()).await?;
        match answer.status {
            // The command has ended by itself just now.
            404 | 409 | 410 => Ok(()),
            _ => self.api.http.success(answer).map(drop),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(command) = self.command.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let orphan = Self { api: self.api.clone(), session: self.session.clone(), command: Some(command) };
        runtime.spawn(async move {
            drop(orphan.kill().await);
            let mut orphan = orphan;
            orphan.command = None;
        });
    }
}
