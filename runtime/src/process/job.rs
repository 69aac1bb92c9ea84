//! What all processes of a command share.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use super::ExitStatus;
use crate::clock;
use crate::command::{Conversation, Preopens, Until};
use crate::fd::output::OutputOwner;
use crate::fd::sink::Sink;
use crate::fd::tty::Tty;
use crate::limits::{Limit, Limits};
use crate::pausable_timer::{PausableTimer, Pause};
use crate::scheduler::Background;

/// What a command needs of the kernel that its processes run in.
pub(crate) trait JobKeeper: Send + Sync {
    /// Kills every process of a command, and prevents new ones that are being started.
    fn kill_job(&self, job: &Arc<JobState>);
    /// Tells the scheduler that a command is over.
    fn command_ends(&self);
}

/// What all processes of a command share.
pub(crate) struct JobState {
    keeper: Weak<dyn JobKeeper>,
    pub(crate) sink: Arc<Sink>,
    pub(crate) terminal: Option<Arc<Tty>>,
    pub(crate) leader: AtomicU32,
    /// The terminal's foreground process group.
    pub(crate) foreground: AtomicU32,
    pub(crate) preopens: Preopens,
    pub(crate) conversation: Option<Arc<dyn Conversation>>,
    /// Whether the first process waits for a command.
    idle: AtomicBool,
    pub(crate) limit: Mutex<Option<Limit>>,
    pub(crate) timed_out: AtomicBool,
    pub(crate) cpu: AtomicU64,
    pub(crate) fuel: AtomicU64,
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

/// The initial state of a new command.
pub(crate) struct JobSetup {
    pub(crate) sink: Arc<Sink>,
    pub(crate) terminal: Option<Arc<Tty>>,
    pub(crate) preopens: Preopens,
    pub(crate) until: Until,
    pub(crate) conversation: Option<Arc<dyn Conversation>>,
    pub(crate) metered: bool,
    /// The sandbox's processes in the background.
    pub(crate) background: Arc<AtomicU32>,
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
        setup: JobSetup,
        keeper: Weak<dyn JobKeeper>,
        limits: &Limits,
    ) -> (Arc<JobState>, oneshot::Receiver<ExitStatus>) {
        let (sender, receiver) = oneshot::channel();
        let progress =
            Progress { status: None, processes: 0, output_open: true, killed: false, done: Some(sender) };
        let state = JobState {
            keeper,
            sink: setup.sink,
            terminal: setup.terminal,
            leader: AtomicU32::new(0),
            foreground: AtomicU32::new(0),
            preopens: setup.preopens,
            conversation: setup.conversation,
            idle: AtomicBool::new(false),
            limit: Mutex::new(None),
            timed_out: AtomicBool::new(false),
            cpu: AtomicU64::new(0),
            fuel: AtomicU64::new(0),
            fuel_limit: limits.fuel.unwrap_or(u64::MAX),
            metered: setup.metered,
            until: setup.until,
            progress: Mutex::new(progress),
            first_ended: Notify::new(),
            background: setup.background,
            background_processes: limits.background_processes,
            background_cpu: AtomicU64::new(0),
            background_cpu_limit: limits.background_cpu,
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
        if let Some(keeper) = self.keeper.upgrade() {
            keeper.kill_job(self);
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

    /// Waits until the first process has ended, and returns its status.
    pub(crate) async fn first_end(self: Arc<Self>) -> ExitStatus {
        loop {
            let mut ended = pin!(self.first_ended.notified());
            ended.as_mut().enable();
            if let Some(status) = self.progress.lock().status {
                return status;
            }
            ended.await;
        }
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
        if let Some(keeper) = self.keeper.upgrade() {
            keeper.command_ends();
        }
        // If the job was dropped, there is no receiver.
        let _ = done.send(status);
    }
}

impl OutputOwner for JobState {
    fn output_closed(self: Arc<Self>) {
        let mut progress = self.progress.lock();
        progress.output_open = false;
        let completion = self.complete(&mut progress);
        drop(progress);
        self.apply(EndEffects { completion, last: false });
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
