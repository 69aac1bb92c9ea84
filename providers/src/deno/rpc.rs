//! Calls over a socket: JSON-RPC, and streams of bytes in its notifications.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::{self, Message};

use super::api::Api;
use super::socket::Socket;
use crate::{Error, ErrorKind, OutputStream, Result};

/// How often an idle client sends a ping.
const PING: Duration = Duration::from_secs(20);

/// How many messages may wait to be sent.
const QUEUE: usize = 16;

/// The most pieces of streams, and their bytes, that are kept before the call that they belong to was answered.
const EARLY: usize = 4096;
const EARLY_BYTES: usize = 16 << 20;

/// When this many bytes of output wait to be taken, nothing more is read from the socket.
const UNTAKEN: usize = 32 << 20;

/// The close code of a server whose sandbox is gone.
const GOING_AWAY: u16 = 1001;

/// A socket with its two tasks. Dropping it ends the tasks.
pub(super) struct Rpc {
    api: Arc<Api>,
    shared: Arc<Shared>,
    messages: mpsc::Sender<String>,
    calls: AtomicU64,
    streams: AtomicU64,
    tasks: [JoinHandle<()>; 2],
}

/// An event of a command's output streams.
pub(super) enum Output {
    Data(OutputStream, Bytes, Held),
    Ended,
}

/// Bytes of output that were not taken yet. Dropping this counts them as taken.
pub(super) struct Held {
    shared: Arc<Shared>,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.shared.untaken.fetch_sub(self.bytes, Ordering::Relaxed);
        self.shared.taken.notify_one();
    }
}

/// Why a call failed.
pub(super) enum Failure {
    /// The sandbox reported this exception.
    Thrown(Value),
    Other(Error),
}

type Outputs = mpsc::UnboundedSender<Output>;

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    untaken: AtomicUsize,
    /// Wakes the reading task when there is room again.
    taken: Notify,
}

#[derive(Default)]
struct State {
    pending: HashMap<u64, Pending>,
    outputs: HashMap<u64, (OutputStream, Outputs)>,
    early: VecDeque<(u64, Option<Bytes>)>,
    early_bytes: usize,
    /// Why nothing more can be sent.
    closed: Option<ErrorKind>,
}

struct Pending {
    reply: oneshot::Sender<Value>,
    /// Receives the streams that the reply names.
    outputs: Option<Outputs>,
}

impl Rpc {
    pub(super) fn new(api: Arc<Api>, socket: Socket) -> Self {
        let (sink, stream) = socket.split();
        let (messages, queue) = mpsc::channel(QUEUE);
        let shared = Arc::<Shared>::default();
        let idle = api.http.options.idle_timeout;
        let writing = tokio::spawn(write(sink, queue, PING.min(idle / 3)));
        let (writer, known) = (writing.abort_handle(), shared.clone());
        let reading = tokio::spawn(async move {
            read(stream, known, idle).await;
            // Tasks that wait for room to send must get an error.
            writer.abort();
        });
        let tasks = [writing, reading];
        let (calls, streams) = (AtomicU64::new(1), AtomicU64::new(1));
        Self { api, shared, messages, calls, streams, tasks }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.shared.state.lock().closed.is_some()
    }

    /// Calls a method and waits for its answer, at most for the given time if there is one.
    pub(super) async fn call(
        &self,
        method: &str,
        parameters: Value,
        deadline: Option<Duration>,
    ) -> Result<Value, Failure> {
        self.call_with(method, parameters, deadline, None).await
    }

    /// Like [`call`](Self::call); the streams that the answer names go to `outputs`.
    pub(super) async fn call_with(
        &self,
        method: &str,
        parameters: Value,
        deadline: Option<Duration>,
        outputs: Option<Outputs>,
    ) -> Result<Value, Failure> {
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        {
            let mut state = self.shared.state.lock();
            if let Some(kind) = state.closed {
                return Err(Failure::Other(self.broken(kind)));
            }
            state.pending.insert(id, Pending { reply, outputs });
        }
        let _forget = Forget { shared: &self.shared, id };
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        let called = async {
            // If the socket is closed, this fails, and then waiting for the answer fails too.
            drop(self.messages.send(message.to_string()).await);
            answer.await
        };
        let answered = match deadline {
            None => called.await,
            Some(deadline) => tokio::time::timeout(deadline, called)
                .await
                .map_err(|_| Failure::Other(self.api.http.deadline_exceeded(deadline)))?,
        };
        let closed = || self.shared.state.lock().closed.unwrap_or(ErrorKind::Unavailable);
        let mut answer = answered.map_err(|_| Failure::Other(self.broken(closed())))?;
        if !answer["error"].is_null() {
            let message = answer["error"]["message"].as_str().unwrap_or("the call was refused").to_owned();
            return Err(Failure::Other(
                self.api.http.error(ErrorKind::Unexpected, format!("{method}: {message}")),
            ));
        }
        let Some(Value::Object(result)) = answer.get_mut("result") else { return Ok(Value::Null) };
        match result.remove("error") {
            Some(thrown) if !thrown.is_null() => Err(Failure::Thrown(thrown)),
            _ => Ok(result.remove("ok").unwrap_or_default()),
        }
    }

    /// Begins a stream to the sandbox and returns its number.
    pub(super) async fn begin(&self) -> u64 {
        let id = self.streams.fetch_add(1, Ordering::Relaxed);
        self.notify("$sandbox.stream.start", json!({"streamId": id})).await;
        id
    }

    pub(super) async fn enqueue(&self, id: u64, data: &[u8]) {
        let data = BASE64_STANDARD.encode(data);
        self.notify("$sandbox.stream.enqueue", json!({"streamId": id, "data": data})).await;
    }

    pub(super) async fn end(&self, id: u64) {
        self.notify("$sandbox.stream.end", json!({"streamId": id})).await;
    }

    async fn notify(&self, method: &str, parameters: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": parameters});
        // The call that the stream belongs to reports the error.
        drop(self.messages.send(message.to_string()).await);
    }

    fn broken(&self, kind: ErrorKind) -> Error {
        let why = match kind {
            ErrorKind::SandboxEnded => "the sandbox has ended",
            ErrorKind::DeadlineExceeded => return self.api.http.silent(),
            ErrorKind::QuotaExceeded => "the service's message is longer than the limit max_download allows",
            _ => "the connection broke",
        };
        self.api.http.error(kind, why)
    }

    /// Converts a failure to an error.
    pub(super) fn error(&self, failure: Failure) -> Error {
        match failure {
            Failure::Thrown(thrown) => self.api.thrown(&thrown),
            Failure::Other(error) => error,
        }
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl fmt::Debug for Rpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rpc").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

/// Forgets a pending call when its caller no longer waits.
struct Forget<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.shared.state.lock().pending.remove(&self.id);
    }
}

async fn write(mut sink: SplitSink<Socket, Message>, mut queue: mpsc::Receiver<String>, ping: Duration) {
    loop {
        let message = match tokio::time::timeout(ping, queue.recv()).await {
            Ok(Some(message)) => message,
            Ok(None) => return,
            Err(_) => "ping".to_owned(),
        };
        if sink.send(Message::text(message)).await.is_err() {
            return;
        }
    }
}

async fn read(mut stream: SplitStream<Socket>, shared: Arc<Shared>, idle: Duration) {
    let mut kind = ErrorKind::Unavailable;
    loop {
        while shared.untaken.load(Ordering::Relaxed) > UNTAKEN {
            shared.taken.notified().await;
        }
        let message = match tokio::time::timeout(idle, stream.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(tungstenite::Error::Capacity(_)))) => {
                kind = ErrorKind::QuotaExceeded;
                break;
            }
            Ok(_) => break,
            // Pings were sent meanwhile and got no answer.
            Err(_) => {
                kind = ErrorKind::DeadlineExceeded;
                break;
            }
        };
        match message {
            Message::Text(text) => {
                // Skips "pong" and messages that are not for us.
                if let Ok(message) = crate::cloud::parse_json(text.as_bytes()) {
                    shared.state.lock().take(&shared, message);
                }
            }
            Message::Close(Some(frame)) if u16::from(frame.code) == GOING_AWAY => {
                kind = ErrorKind::SandboxEnded;
            }
            _ => {}
        }
    }
    let mut state = shared.state.lock();
    state.closed = Some(kind);
    // Dropping the senders tells waiting callers that there is no answer.
    state.pending.clear();
    state.outputs.clear();
}

impl State {
    fn take(&mut self, shared: &Arc<Shared>, message: Value) {
        if let Some(id) = message["id"].as_u64() {
            let Some(pending) = self.pending.remove(&id) else { return };
            if let Some(outputs) = pending.outputs {
                self.adopt(shared, &message["result"]["ok"], &outputs);
            }
            // Its caller may have gone.
            drop(pending.reply.send(message));
            return;
        }
        let Some(id) = message["params"]["streamId"].as_u64() else { return };
        match message["method"].as_str() {
            Some("$sandbox.stream.enqueue") => {
                let data =
                    message["params"]["data"].as_str().and_then(|data| BASE64_STANDARD.decode(data).ok());
                self.piece(shared, id, Some(data.unwrap_or_default().into()));
            }
            Some("$sandbox.stream.end" | "$sandbox.stream.error") => self.piece(shared, id, None),
            _ => {}
        }
    }

    /// Connects the streams of a started command with `outputs`, and passes on the pieces that came early.
    fn adopt(&mut self, shared: &Arc<Shared>, started: &Value, outputs: &Outputs) {
        for (name, stream) in
            [("stdoutStreamId", OutputStream::Stdout), ("stderrStreamId", OutputStream::Stderr)]
        {
            match started[name].as_u64() {
                Some(id) => drop(self.outputs.insert(id, (stream, outputs.clone()))),
                None => drop(outputs.send(Output::Ended)),
            }
        }
        self.early_bytes = 0;
        for (id, piece) in std::mem::take(&mut self.early) {
            self.piece(shared, id, piece);
        }
    }

    fn piece(&mut self, shared: &Arc<Shared>, id: u64, piece: Option<Bytes>) {
        match (self.outputs.get(&id), piece) {
            // A reader that has gone needs nothing.
            (Some((stream, outputs)), Some(data)) => {
                let bytes = data.len();
                shared.untaken.fetch_add(bytes, Ordering::Relaxed);
                let held = Held { shared: shared.clone(), bytes };
                drop(outputs.send(Output::Data(*stream, data, held)));
            }
            (Some((_, outputs)), None) => {
                drop(outputs.send(Output::Ended));
                self.outputs.remove(&id);
            }
            (None, piece) => {
                self.early_bytes += piece.as_ref().map_or(0, Bytes::len);
                self.early.push_back((id, piece));
                // The oldest pieces belong to calls that nobody waits for.
                while self.early.len() > EARLY || self.early_bytes > EARLY_BYTES {
                    let Some((_, oldest)) = self.early.pop_front() else { break };
                    self.early_bytes -= oldest.map_or(0, |oldest| oldest.len());
                }
            }
        }
    }
}
