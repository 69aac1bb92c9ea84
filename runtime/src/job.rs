//! Commands that the host starts, and what becomes of them.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::fd::sink::{InputStream, OutputStream, Sink};
use crate::fd::tty::Terminal;
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::ExitStatus;
use crate::scheduler::Background;

/// A command to start with [`Kernel::spawn`](crate::Kernel::spawn).
pub struct Command {
    /// The arguments, the program's name first.
    pub argv: Vec<Vec<u8>>,
    /// What to execute.
    pub program: CommandProgram,
    /// The whole environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// The working directory, absolute.
    pub cwd: Vec<u8>,
    /// Standard input.
    pub stdin: Stdin,
    /// Standard output and error.
    pub output: Output,
    /// Wall time after which every process of the command is killed, from when its program is loaded (and compiled, if it is a
    /// module that was never run before). `None`: the kernel's limit.
    pub timeout: Option<Duration>,
    /// Which directories a WASI module without the kernel's own imports finds open.
    pub preopens: Preopens,
}

impl Command {
    /// `path` with `argv`, no environment, in `/`, with `/dev/null` as input and all output captured (up to [`Output::DEFAULT_LIMIT`]).
    pub fn new(path: impl Into<Vec<u8>>, argv: Vec<Vec<u8>>) -> Command {
        Command {
            argv,
            program: CommandProgram::Path(path.into()),
            env: Vec::new(),
            cwd: b"/".to_vec(),
            stdin: Stdin::Empty,
            output: Output::default(),
            timeout: None,
            preopens: Preopens::Default,
        }
    }
}

/// What a [`Command`] executes.
#[derive(Clone, Debug)]
pub enum CommandProgram {
    /// A file of the sandbox, as exec finds it (no PATH search).
    Path(Vec<u8>),
    /// The bytes of a wasm module.
    Module(Vec<u8>),
}

/// Where a command's standard input comes from.
pub enum Stdin {
    /// `/dev/null`.
    Empty,
    /// These bytes.
    Bytes(Bytes),
    /// What is sent; dropping the sender ends it.
    Stream(mpsc::Receiver<Bytes>),
    /// A source that is asked only when a process reads.
    Source(Arc<dyn InputStream>),
    /// A terminal, for input, output and errors.
    Terminal(Arc<dyn Terminal>),
}

/// What happens with a command's output.
pub struct Output {
    /// How many bytes of standard output and error together the [`Outcome`] holds. If there are more, each of the two has half of
    /// it, and what the other leaves. The stream receives so many bytes of each of the two, and then a marker that names the
    /// limit; the rest is discarded, and the command goes on.
    pub limit: u64,
    /// Whether the [`Outcome`] holds the output.
    pub capture: bool,
    /// Receives output while the command runs.
    pub stream: Option<Box<dyn OutputStream>>,
}

impl Output {
    /// The default of [`limit`](Self::limit): 64 MiB.
    pub const DEFAULT_LIMIT: u64 = 64 << 20;
}

impl Default for Output {
    fn default() -> Output {
        Output { limit: Output::DEFAULT_LIMIT, capture: true, stream: None }
    }
}

/// The directories that a WASI module without the kernel's own imports finds open.
#[derive(Clone, Debug, Default)]
pub enum Preopens {
    /// `/` and the working directory as `.`.
    #[default]
    Default,
    /// Exactly these: (name the guest sees, directory of the sandbox). No path leads out of them.
    Exact(Vec<(Vec<u8>, Vec<u8>)>),
}

/// A running command. Dropping it kills all its processes.
pub struct Job {
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) state: Arc<JobState>,
    pub(crate) done: Option<oneshot::Receiver<ExitStatus>>,
    pub(crate) status: Option<ExitStatus>,
    pub(crate) started: Instant,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("pid", &self.pid()).finish_non_exhaustive()
    }
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How its first process ended.
    pub status: ExitStatus,
    /// Standard output and error as they came.
    pub output: Vec<u8>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Whether output beyond the limit was discarded.
    pub truncated: bool,
    /// The first limit that was hit, whatever the processes made of it.
    pub limit: Option<Limit>,
    /// Whether the command was killed at its deadline.
    pub timed_out: bool,
    /// Wall time.
    pub duration: Duration,
    /// Time its processes executed.
    pub cpu_time: Duration,
    /// Instructions executed, where execution is metered.
    pub fuel: Option<u64>,
}

impl Job {
    /// The process id of the command's first process.
    pub fn pid(&self) -> u32 {
        self.state.leader.load(Ordering::Relaxed)
    }

    /// Waits until the first process ends, as [`wait`](Self::wait) does, but keeps the job, so that it can be signalled
    /// meanwhile. Can be given up and called again.
    pub async fn ended(&mut self) {
        if let Some(done) = &mut self.done {
            // The process's task can only vanish with the runtime that it ran on.
            self.status = Some(done.await.unwrap_or(ExitStatus::Signaled(9)));
            self.done = None;
        }
    }

    /// Waits until the first process ends. Processes that it left in the background live on; their output is discarded.
    pub async fn wait(mut self) -> Outcome {
        self.ended().await;
        let status = self.status.unwrap_or(ExitStatus::Signaled(9));
        let captured = self.state.sink.finish();
        let fuel = self.state.is_metered().then(|| self.state.fuel.load(Ordering::Relaxed));
        if captured.truncated {
            self.state.hit(Limit::Output(captured.limit));
        }
        Outcome {
            status,
            output: captured.interleaved,
            stdout: captured.stdout,
            stderr: captured.stderr,
            truncated: captured.truncated,
            limit: self.state.limit.lock().clone(),
            timed_out: self.state.timed_out.load(Ordering::Relaxed),
            duration: self.started.elapsed(),
            cpu_time: Duration::from_nanos(self.state.cpu.load(Ordering::Relaxed)),
            fuel,
        }
    }

    /// Sends a signal (Linux's numbers) to the command's first process.
    pub fn signal(&self, signal: u32) {
        self.kernel.signal_process(self.pid(), signal);
    }

    /// Sends a signal to the foreground process group of the command's terminal, as Ctrl-C does with SIGINT.
    pub fn signal_foreground(&self, signal: u32) {
        self.kernel.signal_group(self.state.foreground.load(Ordering::Relaxed), signal);
    }

    /// Kills every process of the command.
    pub fn kill(&self) {
        self.kernel.kill_job(&self.state);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.done.is_some() {
            self.kernel.kill_job(&self.state);
        }
        self.state.cancel_deadline();
    }
}

/// What all processes of a command share.
pub(crate) struct JobState {
    pub(crate) kernel: Weak<KernelInner>,
    pub(crate) sink: Arc<Sink>,
    pub(crate) terminal: Option<Arc<dyn Terminal>>,
    pub(crate) leader: AtomicU32,
    /// The terminal's foreground process group.
    pub(crate) foreground: AtomicU32,
    pub(crate) preopens: Preopens,
    limit: Mutex<Option<Limit>>,
    timed_out: AtomicBool,
    cpu: AtomicU64,
    fuel: AtomicU64,
    fuel_limit: u64,
    metered: bool,
    done: Mutex<Option<oneshot::Sender<ExitStatus>>>,
    deadline: Mutex<Vec<Background>>,
}

impl JobState {
    pub(crate) fn new(
        kernel: &Arc<KernelInner>,
        sink: Arc<Sink>,
        terminal: Option<Arc<dyn Terminal>>,
        preopens: Preopens,
    ) -> (Arc<JobState>, oneshot::Receiver<ExitStatus>) {
        let (sender, receiver) = oneshot::channel();
        let state = JobState {
            kernel: Arc::downgrade(kernel),
            sink,
            terminal,
            leader: AtomicU32::new(0),
            foreground: AtomicU32::new(0),
            preopens,
            limit: Mutex::new(None),
            timed_out: AtomicBool::new(false),
            cpu: AtomicU64::new(0),
            fuel: AtomicU64::new(0),
            fuel_limit: kernel.limits.fuel.unwrap_or(u64::MAX),
            metered: kernel.metering == sandshell_engine::Metering::Metered,
            done: Mutex::new(Some(sender)),
            deadline: Mutex::new(Vec::new()),
        };
        (Arc::new(state), receiver)
    }

    /// Records that a limit was hit; the first one is reported.
    pub(crate) fn hit(&self, limit: Limit) {
        self.limit.lock().get_or_insert(limit);
    }

    pub(crate) fn is_metered(&self) -> bool {
        self.metered
    }

    pub(crate) fn charge_time(&self, nanos: u64) {
        self.cpu.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn charge_fuel(self: &Arc<Self>, fuel: u64) {
        let used = self.fuel.fetch_add(fuel, Ordering::Relaxed).saturating_add(fuel);
        if used > self.fuel_limit {
            self.hit(Limit::Fuel(self.fuel_limit));
            if let Some(kernel) = self.kernel.upgrade() {
                kernel.kill_job(self);
            }
        }
    }

    /// Kills the command after `timeout` unless it has ended.
    pub(crate) fn set_deadline(self: &Arc<Self>, timeout: Duration) {
        let Some(kernel) = self.kernel.upgrade() else { return };
        let state = Arc::downgrade(self);
        let expire = move || {
            let Some(state) = state.upgrade() else { return };
            let Some(kernel) = state.kernel.upgrade() else { return };
            if state.has_ended() {
                return;
            }
            state.timed_out.store(true, Ordering::Relaxed);
            state.hit(Limit::WallTime(timeout));
            kernel.kill_job(&state);
        };
        let mut watches = Vec::new();
        if matches!(kernel.clock.kind(), crate::clock::Clock::Virtual(_)) {
            let (clock, expire) = (kernel.clock.clone(), expire.clone());
            watches.push(kernel.background(async move {
                clock.sleep(timeout).await;
                expire();
            }));
        }
        // Also with a virtual clock: a process that never waits must not run for ever.
        let real = tokio::spawn(async move {
            tokio::time::sleep(timeout).await;
            expire();
        });
        watches.push(Background::Tokio(real.abort_handle()));
        *self.deadline.lock() = watches;
    }

    pub(crate) fn cancel_deadline(&self) {
        let watches = std::mem::take(&mut *self.deadline.lock());
        drop(watches);
    }

    /// Whether the first process has ended, and the session with it.
    pub(crate) fn has_ended(&self) -> bool {
        self.done.lock().is_none()
    }

    /// The first process has ended.
    pub(crate) fn finish(&self, status: ExitStatus) {
        self.cancel_deadline();
        if let Some(done) = self.done.lock().take() {
            // Nobody waits any more if the job was dropped.
            let _ = done.send(status);
        }
    }
}
