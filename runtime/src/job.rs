//! Commands that the host has started, and their outcomes.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::ExitStatus;
use crate::process::job::{JobKeeper, JobState};
use crate::process::signal::SIGWINCH;

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

    /// Waits until the command is over ([`Command::until`](crate::Command::until)). Unlike [`wait`](Self::wait) it
    /// keeps the job, so that it can be signalled meanwhile. May be cancelled and called again.
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
        self.state.clone().first_end()
    }

    /// Waits until the command is over ([`Command::until`](crate::Command::until)). Processes that it left in the
    /// background continue, up to its timeout and within the sandbox's limits for them; their output is discarded.
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

    /// Whether a process of the foreground process group of the command's terminal executes, or would if it had a
    /// processor: it does not wait, and it is not stopped.
    pub fn is_computing(&self) -> bool {
        let group = self.state.foreground.load(Ordering::Relaxed);
        self.kernel.table.lock().is_computing(group)
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
