//! Commands that the host starts, and their outcomes.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::clock;
use crate::fd::sink::{InputStream, OutputKind, OutputStream, Sink};
use crate::fd::tty::{Terminal, Tty};
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::pausable_timer::{PausableTimer, Pause};
use crate::process::ExitStatus;
use crate::process::signal::SIGWINCH;
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
    /// Wall time of the host after which every process of the command is killed, including those that it has left in
    /// the background. Compiling the modules that the command or its processes execute counts; compiling a pack does
    /// not. `None`: the kernel's limit.
    pub timeout: Option<Duration>,
    /// When the command is over.
    pub until: Until,
    /// The preopened directories of WASI modules that do not use the kernel's own imports.
    pub preopens: Preopens,
    /// Commands for the first process, if it is a shell that lives.
    pub conversation: Option<Arc<dyn Conversation>>,
}

impl Command {
    /// Runs `path` with `argv`, without environment, in `/`, with `/dev/null` as input. All output is captured, up to
    /// [`Output::DEFAULT_LIMIT`].
    pub fn new(path: impl Into<Vec<u8>>, argv: Vec<Vec<u8>>) -> Command {
        Command {
            argv,
            program: CommandProgram::Path(path.into()),
            env: Vec::new(),
            cwd: b"/".to_vec(),
            stdin: Stdin::Empty,
            output: Output::default(),
            timeout: None,
            until: Until::default(),
            preopens: Preopens::Default,
            conversation: None,
        }
    }
}

/// Commands for a shell that lives, which reads one after another and answers each with its status. They are no
/// descriptors: only the command's first process takes part, and only until it executes another program. Its children
/// cannot read a command or forge an answer.
pub trait Conversation: Send + Sync {
    /// Reads a piece of a command into `buf`, which is not empty, and returns the number of bytes. A command ends with
    /// NUL. If there is none, returns `Pending` and wakes `cx` when there is.
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<usize>;
    /// The command has ended with this status. What it wrote before has arrived.
    fn answer(&self, status: u8);
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
    /// What is sent through the channel. Dropping the sender ends the input.
    Stream(mpsc::Receiver<Bytes>),
    /// A source that is read on demand.
    Source(Arc<dyn InputStream>),
    /// A terminal, which is also standard output and error.
    Terminal(Arc<dyn Terminal>),
}

/// When a command is over, after its first process has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// When the process substitutions of shells that have ended have ended too, so that their output is not lost.
    /// Process substitutions of shells that still run in the background are not waited for. The command is over earlier
    /// if no process can write to its output any more.
    #[default]
    Substitutions,
    /// When no process can write to its output any more, like a reader of a pipe that waits for its end.
    Output,
}

/// What happens with a command's output.
pub struct Output {
    /// How many bytes of standard output and error together the [`Outcome`] holds. If there are more, each of the two
    /// gets half of the limit, and what the other does not use. The stream receives up to this many bytes of each of
    /// the two, and then a marker that names the limit; the rest is discarded. The command is not stopped.
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

/// The preopened directories of WASI modules that do not use the kernel's own imports.
#[derive(Clone, Debug, Default)]
pub enum Preopens {
    /// `/`, the directories in it, and the working directory as `.`.
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

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How its first process ended.
    pub status: ExitStatus,
    /// Standard output and error, interleaved in the order of writing.
    pub output: Vec<u8>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Whether output beyond the limit was discarded.
    pub truncated: bool,
    /// The first limit that was hit, even if the processes handled the error.
    pub limit: Option<Limit>,
    /// Whether the command was killed at its deadline.
    pub timed_out: bool,
    /// Wall time from the call of `spawn` until [`Job::wait`] sees the end.
    pub duration: Duration,
    /// Time that its processes executed, measured by the host's clock.
    pub cpu_time: Duration,
    /// Instructions executed, where execution is metered.
    pub fuel: Option<u64>,
}

impl Job {
    /// The process id of the command's first process.
    pub fn pid(&self) -> u32 {
        self.state.leader.load(Ordering::Relaxed)
    }

    /// Waits until the command is over ([`Command::until`]). Unlike [`wait`](Self::wait) it keeps the job, so that it
    /// can be signalled meanwhile. May be cancelled and called again.
    pub async fn ended(&mut self) {
        if let Some(done) = &mut self.done {
            // The sender is lost only if the tokio runtime was shut down.
            self.status = Some(done.await.unwrap_or(ExitStatus::Signaled(9)));
            self.done = None;
        }
    }

    /// Whether the first process has ended but the command is not over, because of other processes.
    pub fn lingers(&self) -> bool {
        self.done.is_some() && self.state.has_ended()
    }

    /// Whether the first process has ended.
    pub fn has_ended(&self) -> bool {
        self.state.has_ended()
    }

    /// Says whether its processes are in the background, as nobody waits for them: then the limit for those counts.
    pub fn set_background(&self, background: bool) {
        self.state.set_idle(background);
    }

    /// Whether its kernel was shut down.
    pub fn was_shut_down(&self) -> bool {
        self.kernel.table.lock().closed
    }

    /// The first limit that was hit since the last call, even if the processes handled the error.
    pub fn take_limit(&self) -> Option<Limit> {
        self.state.limit.lock().take()
    }

    /// Waits until the first process has ended, and returns its status.
    pub fn first_ended(&self) -> impl Future<Output = ExitStatus> + use<> {
        let state = self.state.clone();
        async move {
            loop {
                let mut ended = pin!(state.first_ended.notified());
                ended.as_mut().enable();
                if let Some(status) = state.progress.lock().status {
                    return status;
                }
                ended.await;
            }
        }
    }

    /// Waits until the command is over ([`Command::until`]). Processes that it left in the background continue, up to
    /// its timeout and within the sandbox's limits for them; their output is discarded.
    pub async fn wait(mut self) -> Outcome {
        self.ended().await;
        if let Some(tty) = &self.state.terminal {
            tty.release();
            poll_fn(|cx| tty.poll_shown(cx)).await;
        }
        let status = self.status.unwrap_or(ExitStatus::Signaled(9));
        let captured = self.state.sink.finish();
        let fuel = self.state.is_metered().then(|| self.state.fuel.load(Ordering::Relaxed));
        if captured.truncated {
            self.state.record_limit(Limit::Output(captured.limit));
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

    /// Tells the command that its terminal has another size: its foreground process group gets SIGWINCH.
    pub fn resize(&self) {
        if let Some(tty) = &self.state.terminal {
            tty.set_size(None);
            self.signal_foreground(SIGWINCH);
        }
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
    }
}

/// What all processes of a command share.
pub(crate) struct JobState {
    pub(crate) kernel: Weak<KernelInner>,
    pub(crate) sink: Arc<Sink>,
    pub(crate) terminal: Option<Arc<Tty>>,
    pub(crate) leader: AtomicU32,
    /// The terminal's foreground process group.
    pub(crate) foreground: AtomicU32,
    pub(crate) preopens: Preopens,
    pub(crate) conversation: Option<Arc<dyn Conversation>>,
    /// Whether the first process waits for a command.
    idle: AtomicBool,
    limit: Mutex<Option<Limit>>,
    timed_out: AtomicBool,
    cpu: AtomicU64,
    fuel: AtomicU64,
    fuel_limit: u64,
    metered: bool,
    until: Until,
    progress: Mutex<Progress>,
    first_ended: Notify,
    /// The sandbox's processes in the background.
    background: Arc<AtomicU32>,
    background_processes: u32,
    background_cpu: AtomicU64,
    background_cpu_limit: Option<Duration>,
    deadline: Mutex<Option<Background>>,
    timer: Arc<PausableTimer>,
}

/// The state of a command's life.
struct Progress {
    /// How its first process ended.
    status: Option<ExitStatus>,
    /// Number of its processes that have not ended.
    processes: u32,
    /// Whether a process can write to its output.
    output_open: bool,
    /// Whether all its processes were killed, so that no new one may start.
    killed: bool,
    /// Taken when the command is over.
    done: Option<oneshot::Sender<ExitStatus>>,
}

impl JobState {
    pub(crate) fn new(
        kernel: &Arc<KernelInner>,
        sink: Arc<Sink>,
        terminal: Option<Arc<Tty>>,
        preopens: Preopens,
        until: Until,
        conversation: Option<Arc<dyn Conversation>>,
    ) -> (Arc<JobState>, oneshot::Receiver<ExitStatus>) {
        let (sender, receiver) = oneshot::channel();
        let progress =
            Progress { status: None, processes: 0, output_open: true, killed: false, done: Some(sender) };
        let state = JobState {
            kernel: Arc::downgrade(kernel),
            sink,
            terminal,
            leader: AtomicU32::new(0),
            foreground: AtomicU32::new(0),
            preopens,
            conversation,
            idle: AtomicBool::new(false),
            limit: Mutex::new(None),
            timed_out: AtomicBool::new(false),
            cpu: AtomicU64::new(0),
            fuel: AtomicU64::new(0),
            fuel_limit: kernel.limits.fuel.unwrap_or(u64::MAX),
            metered: kernel.metering == sandshell_codegen::Metering::Metered,
            until,
            progress: Mutex::new(progress),
            first_ended: Notify::new(),
            background: kernel.background.clone(),
            background_processes: kernel.limits.background_processes,
            background_cpu: AtomicU64::new(0),
            background_cpu_limit: kernel.limits.background_cpu,
            deadline: Mutex::new(None),
            timer: Arc::default(),
        };
        (Arc::new(state), receiver)
    }

    /// Notes whether the first process waits for a command: then all others are in the background.
    pub(crate) fn set_idle(&self, idle: bool) {
        self.idle.store(idle, Ordering::Relaxed);
    }

    /// Records that a limit was hit; the first one is reported.
    pub(crate) fn record_limit(&self, limit: Limit) {
        self.limit.lock().get_or_insert(limit);
    }

    pub(crate) fn is_metered(&self) -> bool {
        self.metered
    }

    /// Counts time that a process executed.
    pub(crate) fn charge_time(self: &Arc<Self>, nanos: u64) {
        self.cpu.fetch_add(nanos, Ordering::Relaxed);
        if !self.metered {
            self.charge_background(nanos);
        }
    }

    pub(crate) fn charge_fuel(self: &Arc<Self>, fuel: u64) {
        let used = self.fuel.fetch_add(fuel, Ordering::Relaxed).saturating_add(fuel);
        if used > self.fuel_limit {
            self.kill_for_limit(Limit::Fuel(self.fuel_limit));
        }
        self.charge_background(clock::of_fuel(fuel));
    }

    fn charge_background(self: &Arc<Self>, nanos: u64) {
        if !self.is_over() && !self.idle.load(Ordering::Relaxed) {
            return;
        }
        let used = self.background_cpu.fetch_add(nanos, Ordering::Relaxed).saturating_add(nanos);
        if let Some(limit) = self.background_cpu_limit.filter(|limit| u128::from(used) > limit.as_nanos()) {
            self.kill_for_limit(Limit::BackgroundCpu(limit));
        }
    }

    /// Records that the time limit was reached before the command started.
    pub(crate) fn time_out(&self, limit: Option<Limit>) {
        self.timed_out.store(true, Ordering::Relaxed);
        limit.into_iter().for_each(|limit| self.record_limit(limit));
    }

    /// Pauses the command's time limit until the result is dropped.
    pub(crate) fn pause_time_limit(&self) -> Pause {
        self.timer.pause()
    }

    fn kill_for_limit(self: &Arc<Self>, limit: Limit) {
        self.record_limit(limit);
        if let Some(kernel) = self.kernel.upgrade() {
            kernel.kill_job(self);
        }
    }

    /// Kills all processes of the command when `timeout` is over, of which `waited` has already passed. This is the
    /// host's time, even if the sandbox has another clock.
    pub(crate) fn set_deadline(self: &Arc<Self>, timeout: Duration, waited: Duration) {
        let state = Arc::downgrade(self);
        let timer = self.timer.clone();
        let watch = tokio::spawn(async move {
            timer.sleep(timeout.saturating_sub(waited)).await;
            let Some(state) = state.upgrade() else { return };
            if !state.is_over() {
                state.timed_out.store(true, Ordering::Relaxed);
            }
            state.kill_for_limit(Limit::WallTime(timeout));
        });
        *self.deadline.lock() = Some(Background::Tokio(watch.abort_handle()));
    }

    /// Whether the first process has ended, and the session with it.
    pub(crate) fn has_ended(&self) -> bool {
        self.progress.lock().status.is_some()
    }

    /// Whether the command is over: its processes are in the background.
    pub(crate) fn is_over(&self) -> bool {
        self.progress.lock().done.is_none()
    }

    /// Prevents new processes of the command.
    pub(crate) fn set_killed(&self) {
        self.progress.lock().killed = true;
    }

    /// Counts a new process. Refused if the command is being killed (`None`), or if it would be one too many in the
    /// background.
    pub(crate) fn count_start(&self) -> Result<(), Option<Limit>> {
        let mut progress = self.progress.lock();
        if progress.killed {
            return Err(None);
        }
        if progress.done.is_none() {
            let limit = self.background_processes;
            let more = |count: u32| (count < limit).then_some(count + 1);
            let taken = self.background.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            taken.map_err(|_| Some(Limit::BackgroundProcesses(limit)))?;
        }
        progress.processes += 1;
        Ok(())
    }

    /// Counts a process that has ended or was never executed. `status` is given for the first process. `awaits` says
    /// whether there are process substitutions to wait for.
    #[must_use]
    pub(crate) fn count_end(&self, status: Option<ExitStatus>, awaits: bool) -> EndEffects {
        let mut progress = self.progress.lock();
        progress.processes = progress.processes.saturating_sub(1);
        if progress.done.is_none() {
            self.background.fetch_sub(1, Ordering::Relaxed);
        }
        if let Some(status) = status {
            progress.status.get_or_insert(status);
            self.first_ended.notify_waiters();
        }
        let over = !progress.output_open || (self.until == Until::Substitutions && !awaits);
        let completion = if over { self.complete(&mut progress) } else { None };
        EndEffects { completion, last: progress.processes == 0 }
    }

    /// Called when no process can write to the output any more.
    fn output_closed(self: &Arc<Self>) {
        let mut progress = self.progress.lock();
        progress.output_open = false;
        let completion = self.complete(&mut progress);
        drop(progress);
        self.apply(EndEffects { completion, last: false });
    }

    /// Completes the command if its first process has ended. The remaining processes are in the background from then
    /// on.
    fn complete(&self, progress: &mut Progress) -> Option<Completion> {
        let status = progress.status?;
        let done = progress.done.take()?;
        let left = progress.processes;
        let all = self.background.fetch_add(left, Ordering::Relaxed).saturating_add(left);
        Some(Completion { status, done, too_many: left > 0 && all > self.background_processes })
    }

    /// Acts on the result of [`count_end`](Self::count_end). Takes the lock of the process table.
    pub(crate) fn apply(self: &Arc<Self>, ended: EndEffects) {
        if ended.last {
            // There is nothing left to kill.
            drop(self.deadline.lock().take());
        }
        let Some(Completion { status, done, too_many }) = ended.completion else { return };
        if too_many {
            self.kill_for_limit(Limit::BackgroundProcesses(self.background_processes));
        }
        if let Some(kernel) = self.kernel.upgrade() {
            kernel.command_ends();
        }
        // If the job was dropped, there is no receiver.
        let _ = done.send(status);
    }
}

/// The consequences that the end of a process has for its command.
pub(crate) struct EndEffects {
    completion: Option<Completion>,
    /// Whether it was the last process.
    last: bool,
}

/// A command's end.
struct Completion {
    status: ExitStatus,
    done: oneshot::Sender<ExitStatus>,
    /// Whether it leaves more processes in the background than the limit allows.
    too_many: bool,
}

/// A command's output, shared by its processes' descriptors. When the last of them is closed, it is dropped and
/// notifies the command.
pub(crate) struct OutputHandle {
    sink: Arc<Sink>,
    job: Weak<JobState>,
}

impl OutputHandle {
    pub(crate) fn new(job: &Arc<JobState>) -> Arc<OutputHandle> {
        Arc::new(OutputHandle { sink: job.sink.clone(), job: Arc::downgrade(job) })
    }

    pub(crate) fn poll_write(
        &self,
        cx: &mut Context<'_>,
        kind: OutputKind,
        bytes: &[u8],
    ) -> Poll<crate::error::Result<usize>> {
        self.sink.poll_write(cx, kind, bytes)
    }
}

impl Drop for OutputHandle {
    fn drop(&mut self) {
        if let Some(job) = self.job.upgrade() {
            job.output_closed();
        }
    }
}
