//! Sends requests over a connection and receives the answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};

use super::line;
use super::untaken::{Arrived, untaken};
use crate::calls::json::{bytes, encode_bytes, error};
use crate::{Error, ErrorKind, FileSink, FileSource, OutputChunk, OutputSender, OutputStream, Result};

/// How many requests may wait to be written.
const WAITING: usize = 16;

/// How many pieces of a file, or of a command's output, may be under way.
pub(super) const WINDOW: usize = 16;

/// The most bytes of a piece of a file.
pub(super) const PIECE: usize = 256 << 10;

/// The most bytes of one that the other end may send.
const LONGEST_PIECE: usize = 16 << 20;

/// The bytes of a piece of a file. The error says what is wrong with it.
pub(super) fn piece(value: &Value) -> std::result::Result<Bytes, String> {
    let piece = bytes(value).map_err(|error| error.to_string())?;
    if piece.len() > LONGEST_PIECE {
        return Err(format!("a piece of {} bytes: the limit is {LONGEST_PIECE}", piece.len()));
    }
    Ok(piece)
}

/// A connection to what answers requests. Dropping it closes what requests are written to.
#[derive(Debug)]
pub(super) struct Connection {
    requests: mpsc::Sender<Vec<u8>>,
    shared: Arc<Shared>,
    last: AtomicU64,
    closing: Arc<Notify>,
}

#[derive(Debug)]
struct Shared {
    /// What it is, for messages.
    name: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, Waiting>,
    /// Why there will be no more answers; `None` while there may be some.
    over: Option<String>,
}

#[derive(Debug)]
struct Waiting {
    /// `None` when it has failed before there was an answer.
    answer: Option<oneshot::Sender<Result<Value>>>,
    /// A slow reader of one command's output must not delay the answers to others. The other end waits for those that
    /// it sent before, if it can.
    output: Option<Arrived>,
    /// For a file that is sent in pieces.
    file: Option<FilePieces>,
}

impl Connection {
    /// A connection, and what reads its answers: that has to run, and tells in the end why there are no more. When they
    /// just end, `parting` tells why.
    pub(super) fn over<P>(
        name: String,
        answers: impl AsyncRead + Unpin + Send + 'static,
        requests: impl AsyncWrite + Unpin + Send + 'static,
        parting: impl FnOnce() -> P + Send + 'static,
    ) -> (Self, impl Future<Output = ()> + Send + 'static)
    where
        P: Future<Output = String> + Send + 'static,
    {
        let shared = Arc::new(Shared { name, state: Mutex::default() });
        let (sender, lines) = mpsc::channel(WAITING);
        let writing = tokio::spawn(line::write_all(requests, lines));
        let closing = Arc::<Notify>::default();
        let (ends, attended) = (closing.clone(), shared.clone());
        let attending = async move {
            tokio::select! {
                () = attend(answers, attended, parting) => {}
                () = ends.notified() => {}
            }
            // Nothing more is written either.
            writing.abort();
        };
        (Self { requests: sender, shared, last: AtomicU64::new(0), closing }, attending)
    }

    /// Sends a file's content with a request, in pieces.
    pub(super) async fn send_file(
        &self,
        method: &str,
        params: Value,
        mut content: FileSource,
    ) -> Result<Value> {
        let credit = Arc::new(Semaphore::new(WINDOW));
        let (id, mut answer) = self.begin(method, params, FilePieces::Sent(credit.clone())).await?;
        let _asked = Asked { connection: self, id };
        let sending = async {
            while let Some(piece) = content.recv().await {
                let mut piece = match piece {
                    Ok(piece) => piece,
                    Err(error) => {
                        return self.send_json(&json!({"to": id, "failed": error.to_string()})).await;
                    }
                };
                while !piece.is_empty() {
                    let part = piece.split_to(piece.len().min(PIECE));
                    if let Ok(permit) = credit.acquire().await {
                        permit.forget();
                    }
                    self.send_json(&json!({"to": id, "piece": encode_bytes(&part)})).await?;
                }
            }
            self.send_json(&json!({"to": id, "end": true})).await
        };
        let gone = || self.shared.error(ErrorKind::Unavailable, "it was let go");
        tokio::select! {
            // It may fail before everything is sent.
            answer = &mut answer => answer.map_err(|_| gone())?,
            sent = sending => {
                sent?;
                answer.await.map_err(|_| gone())?
            }
        }
    }

    /// Receives a file's content before the answer, in pieces.
    pub(super) async fn receive_file(&self, method: &str, params: Value, content: FileSink) -> Result<Value> {
        let (sender, mut pieces) = mpsc::channel(WINDOW);
        let (id, mut answer) = self.begin(method, params, FilePieces::Received(sender)).await?;
        let _asked = Asked { connection: self, id };
        let gone = || self.shared.error(ErrorKind::Unavailable, "it was let go");
        loop {
            tokio::select! {
                // Pieces must be passed on before the answer.
                biased;
                Some(piece) = pieces.recv() => {
                    if content.send(piece).await.is_err() {
                        // A reader that goes away needs no more.
                        return Ok(Value::Null);
                    }
                    self.send_json(&json!({"to": id, "taken": true})).await?;
                }
                answer = &mut answer => return answer.map_err(|_| gone())?,
            }
        }
    }

    async fn begin(
        &self,
        method: &str,
        params: Value,
        file: FilePieces,
    ) -> Result<(u64, oneshot::Receiver<Result<Value>>)> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = oneshot::channel();
        {
            let mut state = self.shared.state.lock();
            if let Some(why) = &state.over {
                return Err(self.shared.error(ErrorKind::Unavailable, why));
            }
            state.waiting.insert(id, Waiting { answer: Some(sender), output: None, file: Some(file) });
        }
        self.send_json(&json!({"id": id, "method": method, "params": params})).await?;
        Ok((id, answer))
    }

    async fn send_json(&self, message: &Value) -> Result<()> {
        self.send(message.to_string().into_bytes()).await
    }

    async fn send(&self, mut line: Vec<u8>) -> Result<()> {
        if let Some(excess) = line::excess(&line) {
            let why = format!("a request would have {excess}");
            return Err(self.shared.error(ErrorKind::InvalidRequest, &why));
        }
        line.push(b'\n');
        // If the connection is over, `attend` answers the request with an error.
        drop(self.requests.send(line).await);
        Ok(())
    }

    /// An error about what the other end does.
    pub(super) fn problem(&self, what: &str) -> Error {
        self.shared.error(ErrorKind::Unexpected, what)
    }

    /// Ends all calls, and the connection.
    pub(super) fn close(&self, why: &str) {
        self.shared.end(why);
        self.closing.notify_one();
    }

    /// Whether there will be no more answers.
    pub(super) fn is_over(&self) -> bool {
        self.shared.state.lock().over.is_some()
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
        let waits = !params["ahead"].is_null();
        let (sender, mut answer) = oneshot::channel();
        let (chunks, mut pieces) = untaken();
        {
            let mut state = self.shared.state.lock();
            if let Some(why) = &state.over {
                return Err(self.shared.error(ErrorKind::Unavailable, why));
            }
            let output = output.is_some().then_some(chunks);
            state.waiting.insert(id, Waiting { answer: Some(sender), output, file: None });
        }
        let _asked = Asked { connection: self, id };
        let line = json!({"id": id, "method": method, "params": params}).to_string().into_bytes();
        self.send(line).await?;
        let gone = || self.shared.error(ErrorKind::Unavailable, "it was let go");
        let Some(output) = output else { return answer.await.map_err(|_| gone())? };
        loop {
            tokio::select! {
                // Output must be passed on before the answer.
                biased;
                Some(chunk) = pieces.next() => {
                    // When the reader goes away, streaming stops but the command goes on.
                    drop(output.send(chunk).await);
                    if waits {
                        self.send_json(&json!({"to": id, "taken": true})).await?;
                    }
                }
                answer = &mut answer => return answer.map_err(|_| gone())?,
            }
        }
    }
}

/// The pieces of a file, of which no more than [`WINDOW`] are under way.
#[derive(Debug)]
enum FilePieces {
    /// What may still be sent.
    Sent(Arc<Semaphore>),
    Received(mpsc::Sender<Bytes>),
}

/// A pending request. Dropping it tells the other end that nobody waits for the answer any more.
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

impl Waiting {
    fn fail(&mut self, why: Error) {
        if let Some(answer) = self.answer.take() {
            drop(answer.send(Err(why)));
        }
    }
}

impl Shared {
    fn error(&self, kind: ErrorKind, why: &str) -> Error {
        Error::new(kind, format!("{}: {why}", self.name))
    }

    /// Handles a line. The error says what is wrong with the line.
    fn take(&self, line: &[u8]) -> std::result::Result<(), String> {
        let mut message = line::parse(line)?;
        let id = message["id"].as_u64().ok_or("an answer has no id")?;
        let mut state = self.state.lock();
        if !message["output"].is_null() {
            let Some(waiting) = state.waiting.get_mut(&id) else { return Ok(()) };
            for (name, stream) in [("stdout", OutputStream::Stdout), ("stderr", OutputStream::Stderr)] {
                let value = &message["output"][name];
                if value.is_null() {
                    continue;
                }
                let data = bytes(value).map_err(|error| error.to_string())?;
                let arrived = match &waiting.output {
                    Some(output) if !data.is_empty() => output.push(OutputChunk { stream, data }),
                    _ => Ok(()),
                };
                if let Err(full) = arrived {
                    // The request is cancelled when whoever waits for it knows.
                    waiting.output = None;
                    waiting.fail(self.error(ErrorKind::QuotaExceeded, &full.to_string()));
                }
            }
            return Ok(());
        }
        if message["taken"] == true {
            if let Some(FilePieces::Sent(credit)) =
                state.waiting.get(&id).and_then(|waiting| waiting.file.as_ref())
            {
                credit.add_permits(1);
            }
            return Ok(());
        }
        if !message["piece"].is_null() {
            if let Some(FilePieces::Received(pieces)) =
                state.waiting.get(&id).and_then(|waiting| waiting.file.as_ref())
            {
                let piece = piece(&message["piece"])?;
                if let Err(TrySendError::Full(_)) = pieces.try_send(piece) {
                    return Err(format!("more than {WINDOW} pieces that were not taken"));
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
        if let Some(waits) = waiting.answer {
            drop(waits.send(answer));
        }
        Ok(())
    }

    /// Fails all pending and later requests.
    fn end(&self, why: &str) {
        let mut state = self.state.lock();
        state.over = Some(why.to_owned());
        for (_, mut waiting) in state.waiting.drain() {
            waiting.fail(self.error(ErrorKind::Unavailable, why));
        }
    }
}

/// Reads answers until there are no more.
async fn attend<P: Future<Output = String>>(
    answers: impl AsyncRead + Unpin,
    shared: Arc<Shared>,
    parting: impl FnOnce() -> P,
) {
    let mut reader = BufReader::with_capacity(64 << 10, answers);
    let why = loop {
        match line::next(&mut reader).await {
            Ok(Some(line)) => {
                if let Err(why) = shared.take(&line) {
                    break format!("it wrote something else than an answer: {why}");
                }
            }
            Ok(None) => break parting().await,
            Err(error) => break format!("its answers cannot be read: {error}"),
        }
    };
    shared.end(&why);
}
