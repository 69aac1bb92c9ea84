//! Sends requests to a process and receives its answers.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

use super::{CommandOptions, line};
use crate::calls::json::{bytes, error};
use crate::{Error, ErrorKind, OutputChunk, OutputSender, OutputStream, Result};

/// How long the process may take to exit by itself when it is no longer needed.
const PARTING: Duration = Duration::from_secs(5);

/// How many requests may wait to be written.
const WAITING: usize = 16;

/// A running process. Dropping it closes the process's standard input.
#[derive(Debug)]
pub(super) struct Connection {
    requests: mpsc::Sender<Vec<u8>>,
    shared: Arc<Shared>,
    last: AtomicU64,
}

#[derive(Debug)]
struct Shared {
    /// The program's name for messages.
    program: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, Waiting>,
    /// Why there will be no more answers; `None` while the process runs.
    over: Option<String>,
}

#[derive(Debug)]
struct Waiting {
    answer: oneshot::Sender<Result<Value>>,
    /// Unbounded: a slow reader of one command's output must not delay the answers to others.
    output: Option<mpsc::UnboundedSender<OutputChunk>>,
}

impl Connection {
    pub(super) fn start(options: &CommandOptions) -> Result<Self> {
        let Some((program, args)) = options.command.split_first() else {
            return Err(Error::invalid_request("the provider's command is empty"));
        };
        let mut command = Command::new(program);
        command.args(args).envs(options.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| {
            Error::invalid_request(format!("the provider's command {program} cannot be started: {error}"))
                .with_source(error)
        })?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::new(ErrorKind::Unexpected, "the provider's command has no pipes"));
        };
        let shared = Arc::new(Shared { program: program.clone(), state: Mutex::default() });
        let (requests, lines) = mpsc::channel(WAITING);
        tokio::spawn(write(stdin, lines));
        tokio::spawn(attend(child, stdout, shared.clone()));
        Ok(Self { requests, shared, last: AtomicU64::new(0) })
    }

    /// Sends a request and waits for the answer, at most for the deadline if there is one.
    pub(super) async fn ask(
        &self,
        method: &str,
        params: Value,
        output: Option<OutputSender>,
        deadline: Option<Duration>,
    ) -> Result<Value> {
        let asking = self.asking(method, params, output);
        match deadline {
            None => asking.await,
            Some(deadline) => match tokio::time::timeout(deadline, asking).await {
                Ok(answer) => answer,
                Err(_) => Err(self.shared.error(
                    ErrorKind::DeadlineExceeded,
                    &format!("no answer to {method} within {} seconds", deadline.as_secs_f64()),
                )),
            },
        }
    }

    async fn asking(&self, method: &str, params: Value, output: Option<OutputSender>) -> Result<Value> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, mut answer) = oneshot::channel();
        let (chunks, mut pieces) = mpsc::unbounded_channel();
        {
            let mut state = self.shared.state.lock();
            if let Some(why) = &state.over {
                return Err(self.shared.error(ErrorKind::Unavailable, why));
            }
            let output = output.is_some().then_some(chunks);
            state.waiting.insert(id, Waiting { answer: sender, output });
        }
        let _asked = Asked { connection: self, id };
        let mut line = json!({"id": id, "method": method, "params": params}).to_string().into_bytes();
        line.push(b'\n');
        // If the process has ended, `attend` answers the request with an error.
        drop(self.requests.send(line).await);
        let gone = || self.shared.error(ErrorKind::Unavailable, "it was let go");
        let Some(output) = output else { return answer.await.map_err(|_| gone())? };
        loop {
            tokio::select! {
                // Output must be passed on before the answer.
                biased;
                Some(chunk) = pieces.recv() => {
                    // When the reader goes away, streaming stops but the command goes on.
                    drop(output.send(chunk).await);
                }
                answer = &mut answer => return answer.map_err(|_| gone())?,
            }
        }
    }
}

/// A pending request. Dropping it tells the process that nobody waits for the answer any more.
struct Asked<'a> {
    connection: &'a Connection,
    id: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let waiting = self.connection.shared.state.lock().waiting.remove(&self.id);
        if waiting.is_some() {
            let line = json!({"cancel": self.id}).to_string() + "\n";
            let requests = self.connection.requests.clone();
            if let (Err(error), Ok(runtime)) =
                (requests.try_send(line.into_bytes()), tokio::runtime::Handle::try_current())
            {
                runtime.spawn(async move { drop(requests.send(error.into_inner()).await) });
            }
        }
    }
}

impl Shared {
    fn error(&self, kind: ErrorKind, why: &str) -> Error {
        Error::new(kind, format!("the provider's command {}: {why}", self.program))
    }

    /// Handles a line from the process. The error says what is wrong with the line.
    fn take(&self, line: &[u8]) -> std::result::Result<(), String> {
        let mut message: Value =
            serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
        let id = message["id"].as_u64().ok_or("an answer has no id")?;
        let mut state = self.state.lock();
        if !message["output"].is_null() {
            let Some(output) = state.waiting.get(&id).and_then(|waiting| waiting.output.as_ref()) else {
                return Ok(());
            };
            for (name, stream) in [("stdout", OutputStream::Stdout), ("stderr", OutputStream::Stderr)] {
                let value = &message["output"][name];
                if value.is_null() {
                    continue;
                }
                let data = bytes(value).map_err(|error| error.to_string())?;
                if !data.is_empty() {
                    drop(output.send(OutputChunk { stream, data }));
                }
            }
            return Ok(());
        }
        // An answer that nobody waits for belongs to a cancelled request.
        let Some(waiting) = state.waiting.remove(&id) else { return Ok(()) };
        let answer = match &message["error"] {
            Value::Null => Ok(message["result"].take()),
            failure => Err(error(failure)),
        };
        drop(waiting.answer.send(answer));
        Ok(())
    }

    /// Fails all pending and later requests.
    fn end(&self, why: &str) {
        let mut state = self.state.lock();
        state.over = Some(why.to_owned());
        for (_, waiting) in state.waiting.drain() {
            drop(waiting.answer.send(Err(self.error(ErrorKind::Unavailable, why))));
        }
    }
}

async fn write(mut stdin: ChildStdin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// Reads answers until there are no more, then makes sure that the process ends.
async fn attend(mut child: Child, stdout: ChildStdout, shared: Arc<Shared>) {
    let mut reader = BufReader::with_capacity(64 << 10, stdout);
    let why = loop {
        match line::next(&mut reader).await {
            Ok(Some(line)) => {
                if let Err(why) = shared.take(&line) {
                    break format!("it wrote something else than an answer: {why}");
                }
            }
            Ok(None) => {
                break match tokio::time::timeout(PARTING, child.wait()).await {
                    Ok(Ok(status)) => format!("it has ended ({status})"),
                    _ => "it has closed its output".to_owned(),
                };
            }
            Err(error) => break format!("its answers cannot be read: {error}"),
        }
    };
    shared.end(&why);
    // A process that does not exit by itself is killed.
    drop(child.start_kill());
    drop(child.wait().await);
}
