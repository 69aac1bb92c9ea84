//! Commands that run apart from the requests that look at them.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_providers::posix::quote;
use sandshell_providers::{Error, ExecuteRequest, OutputChunk, Sandbox};
use serde_json::Value;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;

use crate::mint::mint;

/// Output kept of one process; what is longer is cut, as the services' own limits do.
const OUTPUT_LIMIT: u64 = 256 << 20;

/// A command of a sandbox, with its output so far.
pub(crate) struct Process {
    pub(crate) pid: u64,
    sandbox: Arc<dyn Sandbox>,
    log: Mutex<Log>,
    /// Counts what was added to the log.
    changed: watch::Sender<u64>,
    /// Wakes the command's task to end it.
    killed: Notify,
    signal: Mutex<Option<u8>>,
    stdin: Option<Stdin>,
    /// What the service says it was started with.
    description: Mutex<Value>,
}

#[derive(Default)]
struct Log {
    chunks: Vec<OutputChunk>,
    end: Option<End>,
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

/// What a follower sees next.
pub(crate) enum Event {
    Chunk(OutputChunk),
    End(End),
}

/// Standard input that is written while the command runs: a FIFO, kept open by a process.
struct Stdin {
    path: String,
    keeper: Mutex<Option<JoinHandle<()>>>,
    /// The keeper has opened its end, which it can only once the command has opened the other.
    ready: watch::Receiver<bool>,
    /// Pieces are written one after the other.
    turn: tokio::sync::Mutex<()>,
}

impl Process {
    /// Starts `request`, whose own standard input is not used if `stdin` is to be written later.
    pub(crate) fn start(
        pid: u64,
        sandbox: Arc<dyn Sandbox>,
        mut request: ExecuteRequest,
        stdin: bool,
    ) -> Arc<Self> {
        let stdin = stdin.then(|| Stdin::new(&sandbox, &mut request));
        let process = Arc::new(Self {
            pid,
            sandbox,
            log: Mutex::default(),
            changed: watch::Sender::new(0),
            killed: Notify::new(),
            signal: Mutex::default(),
            stdin,
            description: Mutex::default(),
        });
        tokio::spawn(process.clone().run(request));
        process
    }

    async fn run(self: Arc<Self>, request: ExecuteRequest) {
        let (sender, mut receiver) = mpsc::channel::<OutputChunk>(64);
        let request = request.max_output(OUTPUT_LIMIT);
        let end = {
            let execute = self.sandbox.execute_streaming(request, sender);
            let killed = async {
                while self.signal.lock().is_none() {
                    self.killed.notified().await;
                }
            };
            tokio::pin!(execute, killed);
            loop {
                tokio::select! {
                    Some(chunk) = receiver.recv() => self.add(chunk),
                    // Processes that the command left behind may hold its output open: they are not waited for.
                    done = &mut execute => break match done {
                        Ok(response) if response.timed_out => End::TimedOut,
                        Ok(response) => End::Exited(response.exit_code.unwrap_or(-1)),
                        Err(error) => End::Failed(Arc::new(error)),
                    },
                    // Dropping the future of `execute` stops the command.
                    () = &mut killed => break End::Killed(self.signal.lock().unwrap_or(9)),
                }
            }
        };
        while let Ok(chunk) = receiver.try_recv() {
            self.add(chunk);
        }
        self.log.lock().end = Some(end);
        self.wake();
        if let Some(stdin) = &self.stdin {
            stdin.remove(&*self.sandbox).await;
        }
    }

    /// Ends the command; it is told apart by `signal` afterwards. Returns whether it still ran.
    pub(crate) fn kill(&self, signal: u8) -> bool {
        if self.end().is_some() {
            return false;
        }
        *self.signal.lock() = Some(signal);
        self.killed.notify_one();
        true
    }

    /// Keeps what the service says it was started with.
    pub(crate) fn describe(&self, description: Value) {
        *self.description.lock() = description;
    }

    /// What the service says it was started with.
    pub(crate) fn description(&self) -> Value {
        self.description.lock().clone()
    }

    /// How it ended, if it did.
    pub(crate) fn end(&self) -> Option<End> {
        self.log.lock().end.clone()
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) -> End {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            // The sender lives as long as this does.
            drop(changed.changed().await);
        }
    }

    /// The output so far.
    pub(crate) fn chunks(&self) -> Vec<OutputChunk> {
        self.log.lock().chunks.clone()
    }

    /// Everything from the first output on, then what is added.
    pub(crate) fn follow(self: &Arc<Self>) -> Follower {
        Follower { changed: self.changed.subscribe(), process: self.clone(), next: 0 }
    }

    /// Writes to standard input. Returns false if there is none, or no longer.
    pub(crate) async fn input(&self, data: Bytes) -> bool {
        let Some(stdin) = &self.stdin else { return false };
        let _turn = stdin.turn.lock().await;
        if !self.input_is_open(stdin).await {
            return false;
        }
        let request = ExecuteRequest::new(format!("cat > {}", quote(&stdin.path))).stdin(data);
        // Nobody reads any more once the command has ended: opening the FIFO would then wait for ever.
        tokio::select! {
            written = self.sandbox.execute(request) => written.is_ok(),
            _ = self.ended() => false,
        }
    }

    /// Ends standard input. Returns false if there is none.
    pub(crate) async fn close_input(&self) -> bool {
        let Some(stdin) = &self.stdin else { return false };
        let _turn = stdin.turn.lock().await;
        if self.input_is_open(stdin).await {
            stdin.close();
        }
        true
    }

    /// Waits until the FIFO is open at both ends; false if it is no longer.
    async fn input_is_open(&self, stdin: &Stdin) -> bool {
        let mut ready = stdin.ready.clone();
        let opened = async { ready.wait_for(|ready| *ready).await.is_ok() };
        tokio::select! {
            opened = opened => opened && stdin.keeper.lock().is_some() && self.end().is_none(),
            _ = self.ended() => false,
        }
    }

    fn add(&self, chunk: OutputChunk) {
        self.log.lock().chunks.push(chunk);
        self.wake();
    }

    fn wake(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl Stdin {
    fn new(sandbox: &Arc<dyn Sandbox>, request: &mut ExecuteRequest) -> Self {
        let path = format!("/tmp/.stdin-{}", mint(16));
        let fifo = quote(&path);
        // Whoever comes first makes it.
        let make = format!("[ -p {fifo} ] || mkfifo -m 600 {fifo} 2>/dev/null");
        request.command = format!("{make}; exec < {fifo}\n{}", request.command);
        let keep = ExecuteRequest::new(format!("{make}; exec 3> {fifo}; echo; exec sleep 1000000000"));
        let (is_ready, ready) = watch::channel(false);
        let sandbox = sandbox.clone();
        let keeper = tokio::spawn(async move {
            let (sender, mut opened) = mpsc::channel(1);
            let keep = sandbox.execute_streaming(keep, sender);
            let tell = async {
                if opened.recv().await.is_some() {
                    is_ready.send_replace(true);
                }
                // As long as this lives, waiting for readiness is not in vain.
                std::future::pending::<()>().await;
            };
            tokio::select! {
                _ = keep => {}
                () = tell => {}
            }
        });
        Self { path, keeper: Mutex::new(Some(keeper)), ready, turn: tokio::sync::Mutex::default() }
    }

    /// The last writer goes away, so that the reader sees the end.
    fn close(&self) {
        if let Some(keeper) = self.keeper.lock().take() {
            keeper.abort();
        }
    }

    async fn remove(&self, sandbox: &dyn Sandbox) {
        self.close();
        drop(sandbox.execute(ExecuteRequest::new(format!("rm -f {}", quote(&self.path)))).await);
    }
}

/// A look at a process, from its first output to its end.
pub(crate) struct Follower {
    process: Arc<Process>,
    changed: watch::Receiver<u64>,
    next: usize,
}

impl Follower {
    pub(crate) async fn next(&mut self) -> Event {
        loop {
            {
                let log = self.process.log.lock();
                if let Some(chunk) = log.chunks.get(self.next) {
                    self.next += 1;
                    return Event::Chunk(chunk.clone());
                }
                if let Some(end) = &log.end {
                    return Event::End(end.clone());
                }
            }
            drop(self.changed.changed().await);
        }
    }
}
