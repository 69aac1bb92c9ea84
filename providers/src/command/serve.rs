//! Answers the requests of a connection with a provider's calls.

use std::collections::{HashMap, HashSet};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use super::backend::PROTOCOL;
use super::connection::{PIECE, WINDOW, piece};
use super::line;
use crate::calls::json::{call, encode_answer, encode_bytes, encode_error};
use crate::calls::{Call, Handle, Reply, perform};
use crate::{
    Capabilities, CreateOptions, Error, ErrorKind, OutputChunk, OutputStream, Result, Sandbox,
    SandboxProvider,
};

/// How many answers may wait to be written.
const WAITING: usize = 64;

/// How many pieces of a command's output may wait to be written.
const PIECES: usize = 16;

/// Answers requests until there are no more, one is none, or `over` ends. Calls that are going on then are cancelled.
/// `active` counts those that are going on. Returns the ids of the sandboxes that were created, found or used over this
/// connection.
///
/// Whoever is at the other end can do everything that the provider can. A message has at most a gigabyte; files can
/// come in pieces.
pub async fn serve(
    provider: Arc<dyn SandboxProvider>,
    requests: impl AsyncRead + Unpin + Send,
    answers: impl AsyncWrite + Unpin + Send + 'static,
    over: impl Future<Output = ()> + Send,
    active: Arc<AtomicUsize>,
) -> HashSet<String> {
    let (sender, lines) = mpsc::channel(WAITING);
    let writing = tokio::spawn(line::write_all(answers, lines));
    let server =
        Arc::new(Server { provider, answers: sender, files: Mutex::default(), sandboxes: Mutex::default() });
    let running: Arc<Mutex<HashMap<u64, JoinHandle<()>>>> = Arc::default();
    let mut reader = BufReader::with_capacity(64 << 10, requests);
    let mut over = pin!(over);
    loop {
        let line = tokio::select! {
            line = line::next(&mut reader) => line,
            () = &mut over => break,
        };
        // A connection that cannot be read is over, as one that ends.
        let Ok(Some(line)) = line else { break };
        let Ok(request) = line::parse(&line) else { break };
        if let Some(id) = request["to"].as_u64() {
            if server.take(id, &request).is_err() {
                break;
            }
            continue;
        }
        if let Some(id) = request["cancel"].as_u64() {
            let cancelled = running.lock().remove(&id);
            server.files.lock().remove(&id);
            if let Some(cancelled) = cancelled {
                cancelled.abort();
            }
            continue;
        }
        let Some(id) = request["id"].as_u64() else { break };
        // Of two calls with one number, one would not be known any more when it is to be cancelled.
        if running.lock().contains_key(&id) {
            break;
        }
        server.expect_file(id, &request);
        let (server, ended, active) = (server.clone(), running.clone(), Active::one(&active));
        // The task waits for the lock, so that it does not end before it is known.
        let mut known = running.lock();
        let task = tokio::spawn(async move {
            server.answer(id, &request).await;
            ended.lock().remove(&id);
            server.files.lock().remove(&id);
            drop(active);
        });
        known.insert(id, task);
    }
    let unfinished: Vec<_> = running.lock().drain().map(|(_, task)| task).collect();
    for task in unfinished {
        task.abort();
        drop(task.await);
    }
    writing.abort();
    std::mem::take(&mut *server.sandboxes.lock()).into_keys().collect()
}

/// A call that is going on, also while it is being cancelled.
struct Active(Arc<AtomicUsize>);

impl Active {
    fn one(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Server {
    provider: Arc<dyn SandboxProvider>,
    answers: mpsc::Sender<Vec<u8>>,
    /// Of calls that are about a file in pieces, or whose output waits until it is taken.
    files: Mutex<HashMap<u64, FilePieces>>,
    /// Those that this connection has used.
    sandboxes: Mutex<HashMap<String, Arc<dyn Sandbox>>>,
}

/// Pieces of a file came that were not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unasked;

/// A piece of a file, or why there is none.
type Piece = io::Result<Bytes>;

/// How many pieces of output may be sent that are not taken; `None`: any number. Only their sender reads this.
fn ahead(parameters: &Value) -> Option<usize> {
    let ahead = parameters["ahead"].as_u64()?;
    Some(usize::try_from(ahead).unwrap_or(WINDOW).clamp(1, WINDOW))
}

/// The pieces of a file, of which no more than [`WINDOW`] are under way.
enum FilePieces {
    /// Those that arrive, until the end, and where the call takes them from.
    Received(Option<mpsc::Sender<Piece>>, Option<mpsc::Receiver<Piece>>),
    /// How many more may be sent.
    Sent(Arc<Semaphore>),
}

impl Server {
    /// Pieces may arrive before the call has begun.
    fn expect_file(&self, id: u64, request: &Value) {
        let file = match request["method"].as_str() {
            Some("upload_from") => {
                // What says that there are no more may come without being asked for.
                let (sender, pieces) = mpsc::channel(WINDOW + 1);
                FilePieces::Received(Some(sender), Some(pieces))
            }
            Some("download_to") => FilePieces::Sent(Arc::new(Semaphore::new(WINDOW))),
            _ => match ahead(&request["params"]) {
                Some(ahead) => FilePieces::Sent(Arc::new(Semaphore::new(ahead))),
                None => return,
            },
        };
        self.files.lock().insert(id, file);
    }

    /// Handles a message about a file in pieces. One that nobody waits for is of a call that is over. The error: pieces
    /// come that were not asked for.
    fn take(&self, id: u64, message: &Value) -> std::result::Result<(), Unasked> {
        let mut files = self.files.lock();
        match files.get_mut(&id) {
            Some(FilePieces::Sent(credit)) => credit.add_permits(1),
            Some(FilePieces::Received(pieces, _)) => {
                let piece = match (&message["piece"], &message["failed"]) {
                    (Value::Null, Value::Null) => {
                        *pieces = None;
                        return Ok(());
                    }
                    (Value::Null, why) => Err(io::Error::other(why.as_str().unwrap_or_default().to_owned())),
                    (value, _) => piece(value).map_err(io::Error::other),
                };
                if let Some(pieces) = pieces
                    && let Err(TrySendError::Full(_)) = pieces.try_send(piece)
                {
                    return Err(Unasked);
                }
            }
            None => {}
        }
        Ok(())
    }

    async fn answer(&self, id: u64, request: &Value) {
        let method = request["method"].as_str().unwrap_or_default();
        let message = match self.reply(id, method, &request["params"]).await {
            Ok(result) => json!({"id": id, "result": result}),
            Err(error) => json!({"id": id, "error": encode_error(&error)}),
        };
        self.send(&message).await;
    }

    async fn reply(&self, id: u64, method: &str, parameters: &Value) -> Result<Value> {
        if method == "hello" {
            return Ok(self.hello());
        }
        if let "upload_from" | "download_to" = method {
            return self.file(id, parameters).await;
        }
        let call = self.known(call(method, parameters)?).await?;
        let deleted = match &call {
            Call::Delete { id } => Some(id.clone()),
            _ => None,
        };
        let reply = if parameters["stream"] == true {
            self.streamed(id, call).await?
        } else {
            perform(&*self.provider, call, None).await?
        };
        if let Reply::Sandbox(handle) = &reply
            && let Some(sandbox) = &handle.inner
        {
            self.sandboxes.lock().insert(sandbox.id().to_owned(), sandbox.clone());
        }
        if let Some(deleted) = deleted {
            self.sandboxes.lock().remove(&deleted);
        }
        Ok(encode_answer(&reply))
    }

    fn hello(&self) -> Value {
        let metadata = self.provider.metadata();
        let can: Vec<&str> =
            metadata.capabilities.flags().filter(|(_, has)| *has).map(|(name, _)| name).collect();
        json!({
            "protocol": PROTOCOL,
            "name": metadata.name,
            "working_dir": metadata.working_dir,
            "capabilities": can,
            "pieces": true,
            "ahead": true,
        })
    }

    /// The call with the sandbox that it is for.
    async fn known(&self, call: Call) -> Result<Call> {
        Ok(match call {
            Call::Execute(handle, request) => Call::Execute(self.sandbox(handle).await?, request),
            Call::Upload(handle, files) => Call::Upload(self.sandbox(handle).await?, files),
            Call::Download(handle, paths) => Call::Download(self.sandbox(handle).await?, paths),
            call => call,
        })
    }

    async fn sandbox(&self, handle: Handle) -> Result<Handle> {
        let known = self.sandboxes.lock().get(&*handle.id).cloned();
        let sandbox = match known {
            Some(sandbox) => sandbox,
            None => {
                let found = self.provider.get_or_create(CreateOptions::existing(&*handle.id)).await?;
                self.sandboxes.lock().insert(found.id().to_owned(), found.clone());
                found
            }
        };
        Ok(Handle::of(sandbox))
    }

    /// Makes a call whose output is sent while it comes. The command waits for whoever reads it, if that says what it
    /// has taken.
    async fn streamed(&self, id: u64, call: Call) -> Result<Reply> {
        let (sender, mut pieces) = mpsc::channel(PIECES);
        let credit = match self.files.lock().get(&id) {
            Some(FilePieces::Sent(credit)) => Some(credit.clone()),
            _ => None,
        };
        let sending = async {
            while let Some(OutputChunk { stream, mut data }) = pieces.recv().await {
                let name = match stream {
                    OutputStream::Stdout => "stdout",
                    OutputStream::Stderr => "stderr",
                };
                while !data.is_empty() {
                    let part = data.split_to(data.len().min(PIECE));
                    if let Some(credit) = &credit
                        && let Ok(permit) = credit.acquire().await
                    {
                        permit.forget();
                    }
                    self.send(&json!({"id": id, "output": {name: encode_bytes(&part)}})).await;
                }
            }
        };
        // The output ends with the call, as the only sender is given to it.
        let (reply, ()) = tokio::join!(perform(&*self.provider, call, Some(sender)), sending);
        reply
    }

    /// Uploads or downloads one file in pieces.
    async fn file(&self, id: u64, parameters: &Value) -> Result<Value> {
        let text = |name: &str| {
            let text = parameters[name].as_str();
            text.ok_or_else(|| {
                Error::invalid_request(format!("the request is malformed: {name} is not text"))
            })
        };
        let (sandbox, path) = (Handle::remote(text("sandbox")?, Capabilities::default()), text("path")?);
        let handle = self.sandbox(sandbox).await?;
        let sandbox = handle.wrapped()?;
        enum Ways {
            Up(mpsc::Receiver<Piece>),
            Down(Arc<Semaphore>),
        }
        let ways = match self.files.lock().get_mut(&id) {
            Some(FilePieces::Received(_, pieces)) => pieces.take().map(Ways::Up),
            Some(FilePieces::Sent(credit)) => Some(Ways::Down(credit.clone())),
            None => None,
        };
        let done = match ways {
            Some(Ways::Up(mut pieces)) => {
                let (source, content) = mpsc::channel(1);
                let feeding = async move {
                    while let Some(piece) = pieces.recv().await {
                        if source.send(piece).await.is_err() {
                            return;
                        }
                        self.send(&json!({"id": id, "taken": true})).await;
                    }
                };
                let mut upload = pin!(sandbox.upload_from(path, content));
                // It may fail before everything has arrived.
                tokio::select! {
                    done = &mut upload => done?,
                    () = feeding => upload.await?,
                }
            }
            Some(Ways::Down(credit)) => {
                let (content, mut sink) = mpsc::channel::<Bytes>(1);
                let sending = async {
                    while let Some(mut piece) = sink.recv().await {
                        while !piece.is_empty() {
                            let part = piece.split_to(piece.len().min(PIECE));
                            if let Ok(permit) = credit.acquire().await {
                                permit.forget();
                            }
                            self.send(&json!({"id": id, "piece": encode_bytes(&part)})).await;
                        }
                    }
                };
                tokio::join!(sandbox.download_to(path, content), sending).0?
            }
            None => return Err(Error::invalid_request("the request has no file")),
        };
        Ok(match done {
            Ok(()) => json!({}),
            Err(error) => json!({"error": error.to_string()}),
        })
    }

    async fn send(&self, message: &Value) {
        let mut line = message.to_string().into_bytes();
        if let Some(excess) = line::excess(&line) {
            let why = format!("an answer would have {excess}");
            let error = encode_error(&Error::new(ErrorKind::QuotaExceeded, why));
            line = json!({"id": message["id"], "error": error}).to_string().into_bytes();
        }
        line.push(b'\n');
        // If nobody reads, the connection is about to end.
        drop(self.answers.send(line).await);
    }
}
