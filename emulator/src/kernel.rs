//! A Python interpreter in a sandbox that keeps its state between pieces of code. Vendors call it a context.
//!
//! The interpreter is a process of the sandbox (`kernel.py`) that reads code from one FIFO and writes to two
//! others. For each piece of code, a separate command transfers the code and its output. So the output has the
//! limits of a command's output, and is not kept afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sandshell_providers::posix::quote;
use sandshell_providers::{Error, ErrorKind, ExecuteRequest, OutputChunk, OutputStream, Sandbox};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::ids::random_id;
use crate::process::OUTPUT_LIMIT;
use crate::text::Decoder;

/// The program that runs in the sandbox.
const PROGRAM: &str = include_str!("kernel.py");

/// The output limit of the interpreter's process itself, which says why it could not start.
const COMPLAINTS: u64 = 64 << 10;

/// How long to wait for output that background processes of a piece hold open.
const AFTERWARDS: Duration = Duration::from_millis(300);

/// How long an interrupted piece may take to stop; then the interpreter is killed.
const NOTICE: Duration = Duration::from_secs(5);

/// The longest line of an event. It may hold all representations of one value.
const LONGEST_LINE: usize = 64 << 20;

/// An interpreter.
pub(crate) struct Kernel {
    sandbox: Arc<dyn Sandbox>,
    place: String,
    mark: String,
    pid: AtomicU64,
    /// Lets only one piece run at a time.
    turn: Arc<tokio::sync::Mutex<()>>,
    alive: AtomicBool,
    /// Set to end the interpreter.
    ended: watch::Sender<bool>,
}

/// An event of a running piece of code.
#[derive(Debug)]
pub(crate) enum CodeEvent {
    /// It begins; the number counts pieces from 1.
    Begun(u64),
    Stdout(String),
    Stderr(String),
    /// A value by MIME type: the result, or one that the code displays.
    Shown {
        main: bool,
        forms: Map<String, Value>,
    },
    /// An exception that nobody caught.
    Raised {
        name: String,
        value: String,
        traceback: String,
    },
    /// It ended; no event follows. If this is missing, the interpreter itself has ended.
    End,
}

impl Kernel {
    /// Starts an interpreter. It runs until it is killed or its sandbox ends.
    ///
    /// # Errors
    ///
    /// `Unsupported`, with advice, if the sandbox has no Python; errors of the provider.
    pub(crate) async fn start(
        sandbox: Arc<dyn Sandbox>,
        cwd: &str,
        env: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Arc<Self>, Error> {
        let (place, mark) = (format!("/tmp/.kernel-{}", random_id(16)), random_id(32));
        let fifos = ["in", "out", "err"].map(|name| format!("{place}/{name}")).join(" ");
        let command = format!(
            "umask 077; mkdir {place} && mkfifo {fifos} && exec python3 -c {} {place} {mark} </dev/null",
            quote(PROGRAM)
        );
        let mut request =
            ExecuteRequest::new(command).cwd(cwd).timeout(Duration::ZERO).max_output(COMPLAINTS);
        request.env.extend(env);
        let (sender, mut output) = mpsc::channel(16);
        let ended = watch::Sender::new(false);
        let (alive, turn) = (AtomicBool::new(true), Arc::default());
        let kernel = Arc::new(Self { sandbox, place, mark, pid: AtomicU64::new(0), turn, alive, ended });
        let mut run = tokio::spawn(kernel.clone().live(request, sender));
        let mut said = Vec::new();
        while let Some(OutputChunk { stream, data }) = output.recv().await {
            said.extend_from_slice(&data);
            if stream == OutputStream::Stdout
                && let Some(pid) = std::str::from_utf8(&data).ok().and_then(|line| line.trim().parse().ok())
            {
                kernel.pid.store(pid, Ordering::Relaxed);
                // Discard any later output of the process.
                tokio::spawn(async move { while output.recv().await.is_some() {} });
                return Ok(Arc::clone(&kernel));
            }
        }
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        Err(match (&mut run).await {
            Ok(Ok(())) => {
                Error::new(ErrorKind::Unsupported, with_advice(&format!("Python cannot be started: {said}")))
            }
            Ok(Err(error)) => error,
            Err(stopped) => Error::new(ErrorKind::Unexpected, stopped.to_string()),
        })
    }

    /// Runs the interpreter to its end.
    async fn live(
        self: Arc<Self>,
        request: ExecuteRequest,
        output: mpsc::Sender<OutputChunk>,
    ) -> Result<(), Error> {
        let mut ended = self.ended.subscribe();
        let done = tokio::select! {
            done = self.sandbox.execute_streaming(request, output) => done.map(drop),
            () = over(&mut ended) => Ok(()),
        };
        self.alive.store(false, Ordering::Release);
        self.ended.send_replace(true);
        drop(self.sandbox.execute(ExecuteRequest::new(format!("rm -rf {}", self.place))).await);
        done
    }

    /// Whether it can run code.
    pub(crate) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Ends the interpreter and the running piece.
    pub(crate) fn kill(&self) {
        self.ended.send_replace(true);
    }

    /// Runs a piece of code after all earlier ones. It is interrupted when the receiver is dropped.
    pub(crate) fn run(self: &Arc<Self>, code: &str, env: &Value) -> mpsc::Receiver<CodeEvent> {
        let (sender, receiver) = mpsc::channel(64);
        let env: Map<String, Value> =
            crate::http::strings(env).into_iter().map(|(name, value)| (name, value.into())).collect();
        let piece = json!({"code": code, "env": env}).to_string();
        tokio::spawn(self.clone().take(piece, sender));
        receiver
    }

    async fn take(self: Arc<Self>, piece: String, events: mpsc::Sender<CodeEvent>) {
        let _turn = self.turn.clone().lock_owned().await;
        if !self.is_alive() || events.is_closed() {
            return;
        }
        let place = &self.place;
        let script = format!("cat > {place}/in; cat {place}/err >&2 & cat {place}/out; wait");
        let request =
            ExecuteRequest::new(script).stdin(piece).timeout(Duration::ZERO).max_output(OUTPUT_LIMIT);
        let (sender, mut output) = mpsc::channel(16);
        let sandbox = self.sandbox.clone();
        // Dropping this at the end of the call stops the tasks.
        let mut moving = tokio::task::JoinSet::new();
        moving.spawn(async move { drop(sandbox.execute_streaming(request, sender).await) });
        let mut reader = Reader::new(&self.mark);
        let mut ended = self.ended.subscribe();
        let (mut interrupted, mut until) = (false, None);
        loop {
            let time_is_up = async move {
                match until {
                    Some(until) => tokio::time::sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                chunk = output.recv() => {
                    let Some(chunk) = chunk else { break };
                    if reader.take(&chunk) && !interrupted {
                        // Standard error may still be arriving.
                        until.get_or_insert(Instant::now() + AFTERWARDS);
                    }
                    for what in reader.found.drain(..) {
                        // The code below notices if nobody listens any more.
                        drop(events.send(what).await);
                    }
                    if reader.is_over && interrupted {
                        break;
                    }
                }
                () = events.closed(), if !interrupted && !reader.is_over => {
                    (interrupted, until) = (true, Some(Instant::now() + NOTICE));
                    self.interrupt().await;
                }
                () = over(&mut ended), if until.is_none() => {
                    until = Some(Instant::now() + AFTERWARDS);
                }
                () = time_is_up => break,
            }
        }
        if !reader.is_over {
            // The interpreter has ended or does not react, so the next piece needs a new one.
            self.alive.store(false, Ordering::Release);
            self.kill();
        }
        reader.finish();
        for what in reader.found.drain(..) {
            // It does not matter if the reader is gone.
            drop(events.send(what).await);
        }
        if reader.is_over {
            drop(events.send(CodeEvent::End).await);
        }
    }

    async fn interrupt(&self) {
        let pid = self.pid.load(Ordering::Relaxed);
        drop(self.sandbox.execute(ExecuteRequest::new(format!("kill -INT {pid}"))).await);
    }
}

/// The error if Python is missing, with advice on what to do. Local sandboxes already give this advice themselves.
pub(crate) fn with_advice(message: &str) -> String {
    const ADVICE: &str = "sandshell pack build python";
    if message.contains(ADVICE) {
        return message.to_owned();
    }
    format!("{message}; for local sandboxes, `{ADVICE}` on the host installs it")
}

/// Waits until the interpreter must end.
async fn over(ended: &mut watch::Receiver<bool>) {
    // The sender outlives this call.
    drop(ended.wait_for(|ended| *ended).await);
}

/// Separates the output of a piece from the events about it.
struct Reader {
    mark: Vec<u8>,
    /// Standard output that was not separated yet.
    pending: Vec<u8>,
    decoders: [Decoder; 2],
    found: Vec<CodeEvent>,
    is_over: bool,
}

impl Reader {
    fn new(mark: &str) -> Self {
        let mark = [b"\0", mark.as_bytes()].concat();
        Self { mark, pending: Vec::new(), decoders: Default::default(), found: Vec::new(), is_over: false }
    }

    /// Adds output; returns whether the piece has ended.
    fn take(&mut self, chunk: &OutputChunk) -> bool {
        match chunk.stream {
            OutputStream::Stderr => self.add(OutputStream::Stderr, &chunk.data),
            OutputStream::Stdout => {
                self.pending.extend_from_slice(&chunk.data);
                self.split();
            }
        }
        self.is_over
    }

    fn split(&mut self) {
        loop {
            let Some(at) = memchr::memmem::find(&self.pending, &self.mark) else {
                // The end of the buffer may be the beginning of a mark.
                let begun = (1..self.mark.len().min(self.pending.len() + 1))
                    .rev()
                    .find(|length| self.mark.get(..*length).is_some_and(|mark| self.pending.ends_with(mark)));
                let text = self.pending.len() - begun.unwrap_or(0);
                let text: Vec<u8> = self.pending.drain(..text).collect();
                self.add(OutputStream::Stdout, &text);
                return;
            };
            let text: Vec<u8> = self.pending.drain(..at).collect();
            self.add(OutputStream::Stdout, &text);
            let Some(length) = memchr::memchr(b'\n', &self.pending) else {
                if self.pending.len() > LONGEST_LINE {
                    self.pending.clear();
                }
                return;
            };
            let line: Vec<u8> = self.pending.drain(..=length).collect();
            let line: Value = line
                .get(self.mark.len()..)
                .and_then(|line| serde_json::from_slice(line).ok())
                .unwrap_or_default();
            self.tell(line);
        }
    }

    fn tell(&mut self, mut line: Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(count) = line["count"].as_u64() {
            self.found.push(CodeEvent::Begun(count));
        } else if let Value::Object(forms) = line["result"].take() {
            self.found.push(CodeEvent::Shown { main: line["main"] == json!(true), forms });
        } else if let Value::Object(error) = line["error"].take() {
            let part = |name: &str| error.get(name).map(text).unwrap_or_default();
            let (name, value, traceback) = (part("name"), part("value"), part("traceback"));
            self.found.push(CodeEvent::Raised { name, value, traceback });
        } else if line["end"] == json!(true) {
            self.is_over = true;
        }
    }

    fn add(&mut self, stream: OutputStream, data: &[u8]) {
        let text = self.decoders[usize::from(stream == OutputStream::Stderr)].push(data);
        self.push(stream, text);
    }

    fn finish(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if !pending.starts_with(&self.mark) {
            self.add(OutputStream::Stdout, &pending);
        }
        for (which, stream) in [OutputStream::Stdout, OutputStream::Stderr].into_iter().enumerate() {
            let text = self.decoders[which].finish();
            self.push(stream, text);
        }
    }

    fn push(&mut self, stream: OutputStream, text: String) {
        if text.is_empty() {
            return;
        }
        self.found.push(match stream {
            OutputStream::Stdout => CodeEvent::Stdout(text),
            OutputStream::Stderr => CodeEvent::Stderr(text),
        });
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn events_are_not_output() {
        let all = "a\0Mb\n\0MARK{\"count\": 3}\nout\0MARK{\"result\": {\"text/plain\": \"1\"}, \"main\": true}\nmore\0MARK{\"end\": true}\n";
        // The result does not depend on how the output is split.
        for size in 1..all.len() {
            let mut reader = Reader::new("MARK");
            for data in all.as_bytes().chunks(size) {
                let data = Bytes::copy_from_slice(data);
                reader.take(&OutputChunk { stream: OutputStream::Stdout, data });
            }
            reader.finish();
            assert!(reader.is_over);
            let (mut output, mut others) = (String::new(), Vec::new());
            for what in reader.found {
                match what {
                    CodeEvent::Stdout(text) => output.push_str(&text),
                    other => others.push(format!("{other:?}")),
                }
            }
            assert_eq!(output, "a\0Mb\noutmore");
            assert_eq!(others.len(), 2, "{others:?}");
            assert!(others[0].starts_with("Begun(3)") && others[1].contains("main: true"), "{others:?}");
        }
    }
}
