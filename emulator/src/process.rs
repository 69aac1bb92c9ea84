//! Commands that run independently of the requests about them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_providers::posix::quote;
use sandshell_providers::{
    Error, ErrorKind, ExecuteRequest, ExecuteResponse, OutputChunk, OutputStream, Sandbox,
};
use serde_json::Value;
use tokio::sync::{Notify, mpsc, watch};

use crate::ids::random_id;
use crate::log::Log;
use crate::room::{Full, Room, SHORT, What};

/// How long to wait for an unfinished write of input after the command has ended.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// How many bytes of a process's output are kept. Longer output is cut, as at the services themselves.
pub(crate) const OUTPUT_LIMIT: u64 = 64 << 20;

/// Said instead of output that is kept no more.
const FORGOTTEN: &str =
    "the output of this command was forgotten, as later commands have more of it than 256 MiB";

/// A command of a sandbox, with its output so far.
pub(crate) struct Process {
    pub(crate) pid: u64,
    sandbox: Arc<dyn Sandbox>,
    log: Mutex<Log>,
    ended: Mutex<Option<End>>,
    /// Changes whenever something was added to the log.
    changed: watch::Sender<u64>,
    /// Wakes the command's task to end it.
    killed: Notify,
    signal: Mutex<Option<u8>>,
    stdin: Option<Stdin>,
    /// How the service describes the command to clients.
    description: Mutex<Value>,
    /// Whether its output is kept no more.
    forgotten: AtomicBool,
}

/// How a process ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Exited(i32),
    TimedOut,
    Killed(u8),
    /// It could not be run.
    Failed(Arc<Error>),
}

/// The next event for a follower.
pub(crate) enum Event {
    Chunk(OutputChunk),
    End(End),
}

/// Where a command's standard input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// From its request; empty if the request has none.
    Given,
    /// Written while the command runs, until it is closed.
    Written,
    /// Written while the command runs, without an end.
    Endless,
}

impl Input {
    /// `Written` if the flag is set, otherwise `Given`.
    pub(crate) fn written(is_written: bool) -> Self {
        if is_written { Self::Written } else { Self::Given }
    }
}

/// Standard input that is written while the command runs, through a FIFO. A helper process keeps the FIFO open
/// until the input is closed. For input without an end, the command itself keeps it open.
struct Stdin {
    path: String,
    input: Input,
    state: watch::Sender<Fifo>,
    /// Lets only one piece be written at a time.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fifo {
    /// It does not exist yet, or nobody reads it yet.
    Awaited,
    Open,
    Closed,
}

impl Process {
    /// Starts `request`. Its own standard input is used only with `Input::Given`.
    pub(crate) fn start(
        pid: u64,
        sandbox: Arc<dyn Sandbox>,
        mut request: ExecuteRequest,
        input: Input,
    ) -> Arc<Self> {
        let stdin = (input != Input::Given).then(|| Stdin::new(input, &mut request));
        let process = Arc::new(Self::new(pid, sandbox, stdin));
        tokio::spawn(process.clone().run(request));
        process
    }

    /// A command that is not started, for this reason.
    pub(crate) fn refused(pid: u64, sandbox: Arc<dyn Sandbox>, why: Error) -> Arc<Self> {
        let process = Self::new(pid, sandbox, None);
        process.close(End::Failed(Arc::new(why)));
        Arc::new(process)
    }

    fn new(pid: u64, sandbox: Arc<dyn Sandbox>, stdin: Option<Stdin>) -> Self {
        Self {
            pid,
            sandbox,
            log: Mutex::default(),
            ended: Mutex::default(),
            changed: watch::Sender::new(0),
            killed: Notify::new(),
            signal: Mutex::default(),
            stdin,
            description: Mutex::default(),
            forgotten: AtomicBool::new(false),
        }
    }

    async fn run(self: Arc<Self>, mut request: ExecuteRequest) {
        let (sender, mut receiver) = mpsc::channel::<OutputChunk>(64);
        // The timeout applies until the command's end; its background processes go on.
        let timeout = request.timeout.filter(|timeout| !timeout.is_zero());
        if timeout.is_some() {
            request.timeout = Some(Duration::ZERO);
        }
        let request = request.max_output(OUTPUT_LIMIT);
        let end = {
            let execute = async {
                match &self.stdin {
                    None => self.sandbox.execute_streaming(request, sender).await,
                    Some(stdin) => stdin.during(&*self.sandbox, request, sender).await,
                }
            };
            let killed = async {
                while self.signal.lock().is_none() {
                    self.killed.notified().await;
                }
            };
            let late = async {
                match timeout {
                    Some(timeout) => tokio::time::sleep(timeout).await,
                    None => std::future::pending().await,
                }
            };
            tokio::pin!(execute, killed, late);
            loop {
                tokio::select! {
                    Some(chunk) = receiver.recv() => self.add(chunk),
                    // Do not wait for background processes that hold the command's output open.
                    done = &mut execute => break match done {
                        Ok(response) if response.timed_out => End::TimedOut,
                        Ok(response) => End::Exited(response.exit_code.unwrap_or(-1)),
                        Err(error) => End::Failed(Arc::new(error)),
                    },
                    () = &mut late => break End::TimedOut,
                    // Dropping the future of `execute` stops the command.
                    () = &mut killed => break End::Killed(self.signal.lock().unwrap_or(9)),
                }
            }
        };
        while let Ok(chunk) = receiver.try_recv() {
            self.add(chunk);
        }
        self.close(end);
        if let Some(stdin) = &self.stdin {
            // Pending writes learn of the end, and no new ones can begin.
            let _turn = stdin.turn.lock().await;
            // If removing it fails, the sandbox is ending or full.
            drop(self.sandbox.execute(ExecuteRequest::new(format!("rm -f {}", quote(&stdin.path)))).await);
        }
    }

    /// It has ended.
    fn close(&self, end: End) {
        if let End::Failed(error) = &end {
            // Not every service can report the error, so it is added to the output.
            let data = format!("sandshell: {error}\n").into();
            self.add(OutputChunk { stream: OutputStream::Stderr, data });
        }
        *self.ended.lock() = Some(end);
        self.wake();
    }

    /// Ends the command; its end then names `signal`. Returns whether it was still running.
    pub(crate) fn kill(&self, signal: u8) -> bool {
        if self.end().is_some() {
            return false;
        }
        *self.signal.lock() = Some(signal);
        self.killed.notify_one();
        true
    }

    /// Stores how the service describes the command.
    pub(crate) fn describe(&self, description: Value) {
        *self.description.lock() = description;
    }

    /// How the service describes the command to clients.
    pub(crate) fn description(&self) -> Value {
        self.description.lock().clone()
    }

    /// How it ended; `None` while it runs.
    pub(crate) fn end(&self) -> Option<End> {
        self.ended.lock().clone()
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) -> End {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            // The sender lives as long as `self`.
            drop(changed.changed().await);
        }
    }

    /// The output so far.
    pub(crate) fn chunks(&self) -> Vec<OutputChunk> {
        self.log.lock().chunks()
    }

    /// How many bytes of memory its output takes.
    pub(crate) fn held(&self) -> usize {
        self.log.lock().held()
    }

    /// Gives up the output. Whoever still has the command learns that it is gone, and never takes it for empty.
    pub(crate) fn forget(&self) {
        let mut log = self.log.lock();
        if log.held() > FORGOTTEN.len() {
            self.forgotten.store(true, Ordering::Release);
            *log = Log::default();
            log.push(OutputStream::Stderr, format!("sandshell: {FORGOTTEN}\n").as_bytes());
        }
        drop(log);
        self.wake();
    }

    /// Whether its output was given up.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.forgotten.load(Ordering::Acquire)
    }

    /// Follows the output from its beginning.
    pub(crate) fn follow(self: &Arc<Self>) -> Follower {
        Follower { changed: self.changed.subscribe(), process: self.clone(), position: 0 }
    }

    /// Writes to standard input. Returns false if there is none any more. What has begun to be written is written to
    /// its end, even if the caller does not wait any more: a client that tries again must not find a part of it there.
    pub(crate) async fn input(self: &Arc<Self>, data: Bytes) -> Result<bool, Full> {
        // It waits as long as the command does not read.
        let room = if data.len() > SHORT { Some(Room::now(What::Pieces, data.len())?) } else { None };
        let process = self.clone();
        let written = tokio::spawn(async move {
            let _room = room;
            process.write(data).await
        });
        Ok(written.await.unwrap_or(false))
    }

    async fn write(&self, data: Bytes) -> bool {
        let Some(stdin) = &self.stdin else { return false };
        let _turn = stdin.turn.lock().await;
        if !self.input_is_open(stdin).await {
            return false;
        }
        let request = ExecuteRequest::new(format!("cat > {}", quote(&stdin.path))).stdin(data);
        let written = self.sandbox.execute(request);
        tokio::pin!(written);
        tokio::select! {
            biased;
            written = &mut written => return written.is_ok(),
            _ = self.ended() => {}
        }
        // The command may have read this and ended before the write was reported. Or nobody reads any more: then
        // opening the FIFO would wait for ever, so the wait is limited.
        tokio::time::timeout(AFTERWARDS, written).await.is_ok_and(|written| written.is_ok())
    }

    /// Closes standard input. Returns false if there is none.
    pub(crate) async fn close_input(&self) -> bool {
        let Some(stdin) = &self.stdin else { return false };
        let _turn = stdin.turn.lock().await;
        if self.input_is_open(stdin).await {
            stdin.state.send_replace(Fifo::Closed);
        }
        true
    }

    /// Waits until the FIFO is open at both ends; returns false if it was closed.
    async fn input_is_open(&self, stdin: &Stdin) -> bool {
        let mut state = stdin.state.subscribe();
        let known = async {
            state.wait_for(|state| *state != Fifo::Awaited).await.is_ok_and(|state| *state == Fifo::Open)
        };
        tokio::select! {
            open = known => open && self.end().is_none(),
            _ = self.ended() => false,
        }
    }

    fn add(&self, chunk: OutputChunk) {
        let mut log = self.log.lock();
        // Output that switches streams with each byte takes more memory than its bytes.
        if log.held() < 2 * OUTPUT_LIMIT as usize {
            log.push(chunk.stream, &chunk.data);
        }
        drop(log);
        self.wake();
    }

    fn wake(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl Stdin {
    fn new(input: Input, request: &mut ExecuteRequest) -> Self {
        let path = format!("/tmp/.stdin-{}", random_id(16));
        // A FIFO that is opened for reading and writing never ends, and opening it does not wait for another
        // process.
        let how = if input == Input::Endless { "<>" } else { "<" };
        request.command = format!("exec {how} {}\n{}", quote(&path), request.command);
        let state = watch::Sender::new(Fifo::Awaited);
        Self { path, input, state, turn: tokio::sync::Mutex::default() }
    }

    /// Runs the command together with the helper that keeps its input open. If the input cannot be set up, the
    /// command is not run, because it would wait for input for ever.
    async fn during(
        &self,
        sandbox: &dyn Sandbox,
        request: ExecuteRequest,
        output: mpsc::Sender<OutputChunk>,
    ) -> Result<ExecuteResponse, Error> {
        let make = ExecuteRequest::new(format!("mkfifo -m 600 {}", quote(&self.path)));
        let made = sandbox.execute(make).await?;
        if !made.success() {
            return Err(no_input(&made));
        }
        tokio::select! {
            done = sandbox.execute_streaming(request, output) => done,
            why = self.hold_open(sandbox) => Err(why),
        }
    }

    /// Keeps the FIFO open until the input is closed; returns only if it cannot be opened.
    async fn hold_open(&self, sandbox: &dyn Sandbox) -> Error {
        if self.input == Input::Endless {
            self.state.send_replace(Fifo::Open);
            return std::future::pending().await;
        }
        let (sender, mut opened) = mpsc::channel(1);
        let keep = format!("exec 3> {} && echo && exec sleep 1000000000", quote(&self.path));
        let keep = ExecuteRequest::new(keep).timeout(Duration::ZERO);
        let mut state = self.state.subscribe();
        let why = tokio::select! {
            kept = sandbox.execute_streaming(keep, sender) => Some(kept),
            // The command has now opened the other end.
            () = async {
                if opened.recv().await.is_some() {
                    self.state.send_replace(Fifo::Open);
                }
                // This cannot fail: the sender belongs to `self`.
                drop(state.wait_for(|state| *state == Fifo::Closed).await);
            } => None,
        };
        match why {
            Some(Err(error)) => error,
            Some(Ok(kept)) if *self.state.borrow() == Fifo::Awaited => no_input(&kept),
            // Somebody in the sandbox ended the helper, which ends the input.
            Some(Ok(_)) | None => {
                self.state.send_replace(Fifo::Closed);
                std::future::pending().await
            }
        }
    }
}

fn no_input(done: &ExecuteResponse) -> Error {
    let why = format!("standard input cannot be opened: {}", done.text().trim());
    Error::new(ErrorKind::Unavailable, why)
}

/// Follows a process from its first output to its end.
pub(crate) struct Follower {
    process: Arc<Process>,
    changed: watch::Receiver<u64>,
    /// How many bytes of output it has seen.
    position: usize,
}

impl Follower {
    pub(crate) async fn next(&mut self) -> Event {
        loop {
            // Read the end before the output: if the process has ended, all of its output is then in the log.
            let end = self.process.end();
            let next = {
                let log = self.process.log.lock();
                if self.process.is_forgotten() {
                    let gone = Error::new(ErrorKind::QuotaExceeded, FORGOTTEN);
                    return Event::End(End::Failed(Arc::new(gone)));
                }
                log.after(self.position)
            };
            if let Some(chunk) = next {
                self.position += chunk.data.len();
                return Event::Chunk(chunk);
            }
            if let Some(end) = end {
                return Event::End(end);
            }
            drop(self.changed.changed().await);
        }
    }
}
