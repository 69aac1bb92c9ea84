//! What `exec` and the process that keeps a sandbox's sessions say to each other: one JSON object a line.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use sandshell::{ExecuteRequest, ExecuteResponse, LimitKind, LimitReached, SessionResponse};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The version of this protocol. Both sides are the same program, unless it was replaced while sessions lived.
pub(super) const VERSION: u32 = 1;

/// The most bytes of a command's input, and of its output.
pub(super) const MOST: u64 = 64 << 20;

/// The longest line: output travels twice, once by stream, in base64.
const LONGEST: u64 = 4 * MOST;

/// The first line, which the keeper says: whoever has read it is heard.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) version: u32,
    pub(super) pid: u32,
}

/// What is asked for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Runs a command in a session, or in a shell of its own.
    Execute { session: Option<String>, command: Command },
    /// Names the sessions.
    List,
    /// What a session's jobs wrote.
    Output { session: String },
    /// Ends a session, or all of them and the process that keeps them.
    End { session: Option<String> },
}

/// A command as it travels.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Command {
    pub(super) text: String,
    pub(super) cwd: Option<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_output: Option<u64>,
    stdin: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Done(Done),
    Sessions(Vec<Listed>),
    /// In base64.
    Output(String),
    Ended,
    Failed(String),
}

/// A session as it is listed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) busy: bool,
    pub(super) terminal: bool,
}

/// What a command did. Bytes are in base64.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Done {
    exit_code: Option<i32>,
    output: String,
    stdout: String,
    stderr: String,
    background: String,
    truncated: bool,
    timed_out: bool,
    limits: Vec<(String, String)>,
    duration: Duration,
    restarted: Option<String>,
    ended: bool,
}

impl Command {
    pub(super) fn new(request: ExecuteRequest) -> Command {
        Command {
            text: request.command,
            cwd: request.cwd,
            env: request.env.into_iter().collect(),
            timeout: request.timeout,
            max_output: request.max_output,
            stdin: request.stdin.map(|bytes| STANDARD.encode(bytes)),
        }
    }

    pub(super) fn request(self) -> Result<ExecuteRequest, String> {
        let mut request = ExecuteRequest::new(self.text);
        request.cwd = self.cwd;
        request.env = self.env.into_iter().collect();
        request.timeout = self.timeout;
        request.max_output = self.max_output;
        request.stdin = self.stdin.map(decode).transpose()?;
        Ok(request)
    }
}

impl Done {
    pub(super) fn new(answer: &SessionResponse) -> Done {
        let response = &answer.response;
        let limit = |limit: &LimitReached| (limit.kind.name().to_owned(), limit.message.clone());
        Done {
            exit_code: response.exit_code,
            output: STANDARD.encode(&response.output),
            stdout: STANDARD.encode(&response.stdout),
            stderr: STANDARD.encode(&response.stderr),
            background: STANDARD.encode(&answer.background),
            truncated: response.truncated,
            timed_out: response.timed_out,
            limits: response.limits.iter().map(limit).collect(),
            duration: response.duration,
            restarted: answer.restarted.clone(),
            ended: answer.ended,
        }
    }

    pub(super) fn response(self) -> Result<SessionResponse, String> {
        let mut response = ExecuteResponse::default();
        response.exit_code = self.exit_code;
        response.output = decode(self.output)?;
        response.stdout = decode(self.stdout)?;
        response.stderr = decode(self.stderr)?;
        response.truncated = self.truncated;
        response.timed_out = self.timed_out;
        response.duration = self.duration;
        let named = |name: &str| LimitKind::ALL.iter().copied().find(|kind| kind.name() == name);
        let kind = |name: &str| named(name).unwrap_or(LimitKind::Other);
        let limit = |(name, message): (String, String)| LimitReached::new(kind(&name), message);
        response.limits = self.limits.into_iter().map(limit).collect();
        let mut answer = SessionResponse::new(response);
        answer.background = decode(self.background)?;
        answer.restarted = self.restarted;
        answer.ended = self.ended;
        Ok(answer)
    }
}

pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn decode(text: String) -> Result<Bytes, String> {
    STANDARD.decode(text).map(Bytes::from).map_err(|error| error.to_string())
}

/// Writes one line.
pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), what: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    to.write_all(&line).await?;
    to.flush().await
}

/// Reads one line; `None` at the end.
pub(super) async fn read<T: for<'a> Deserialize<'a>>(
    from: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(std::io::Error::other("a message is not complete, or too long"));
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
