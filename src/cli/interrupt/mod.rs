//! Passes the host's signals on to a command, and to the work that is done after it.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

pub(crate) use system::Resizes;

use super::failure::{Failure, reason};
use sandshell::runtime::{ExitStatus, Job, Outcome};
use sandshell::vfs::until;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use system::{Hangup, Interrupt, Terminate};

const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;

/// Waits until `job` is over. SIGINT (Ctrl-C) and SIGHUP go to its foreground processes, as a terminal would send
/// them; SIGTERM goes to its first process. If the first process dies of the signal, the remaining processes are
/// killed. The second SIGINT or SIGTERM kills all. When only background processes are left, each of the three
/// signals ends the job at once.
pub(crate) async fn wait(mut job: Job, mut signals: Signals) -> (Outcome, FollowUp) {
    let mut warned = false;
    let mut alive = true;
    let killed = loop {
        let first = job.first_ended();
        let signal = tokio::select! {
            () = job.ended() => break None,
            status = first, if warned && alive => {
                alive = false;
                // The signal was meant for the command, so its remaining processes are not waited for.
                if matches!(status, ExitStatus::Signaled(_)) {
                    break Some(status);
                }
                continue;
            }
            signal = signals.next() => signal,
        };
        if job.lingers() {
            break Some(ExitStatus::Signaled(signal));
        }
        let number = u32::from(signal);
        match signal {
            SIGHUP => job.signal_foreground(number),
            _ if warned => job.kill(),
            SIGINT => job.signal_foreground(number),
            _ => job.signal(number),
        }
        warned |= signal != SIGHUP;
    };
    if killed.is_some() {
        job.kill();
    }
    let mut outcome = job.wait().await;
    outcome.status = killed.unwrap_or(outcome.status);
    let interrupted = warned && matches!(outcome.status, ExitStatus::Signaled(_)) || killed.is_some();
    (outcome, signals.follow_up(interrupted))
}

/// The signals that are caught. Created before the command starts, so that none is missed.
pub(crate) struct Signals {
    pub(crate) interrupt: Interrupt,
    pub(crate) terminate: Terminate,
    pub(crate) hangup: Hangup,
}

impl Signals {
    pub(crate) fn catch() -> Result<Signals, Failure> {
        let (interrupt, terminate, hangup) =
            system::catch().map_err(|error| Failure::about("cannot catch signals", reason(&error)))?;
        Ok(Signals { interrupt, terminate, hangup })
    }

    /// The number of the next one.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            Some(()) = self.interrupt.recv() => SIGINT,
            Some(()) = self.terminate.recv() => SIGTERM,
            Some(()) = self.hangup.recv() => SIGHUP,
        }
    }

    /// From now on a signal ends the program.
    #[allow(clippy::exit, reason = "what is being done has the main thread, which does not look at signals")]
    pub(crate) fn follow_up(mut self, interrupted: bool) -> FollowUp {
        let work = Arc::<Work>::default();
        let watched = work.clone();
        tokio::spawn(async move {
            loop {
                let number = self.next().await;
                // The first signal stops the work in good order; the second does not wait for that.
                if !watched.interruptible.load(Ordering::Relaxed)
                    || watched.given_up.swap(true, Ordering::Relaxed)
                {
                    process::exit(128 + i32::from(number));
                }
            }
        });
        FollowUp { interrupted, work }
    }
}

/// Runs the work that follows the command.
pub(crate) struct FollowUp {
    /// Whether the command was ended by a signal.
    pub(crate) interrupted: bool,
    work: Arc<Work>,
}

#[derive(Default)]
struct Work {
    /// Whether a signal stops the work in good order instead of ending the program.
    interruptible: AtomicBool,
    given_up: AtomicBool,
}

impl FollowUp {
    /// Runs work that would leave a part of its result behind if the program ended in the middle. After a signal
    /// the work cleans up and then fails.
    pub(crate) fn run_interruptibly<T>(&self, work: impl FnOnce() -> T) -> T {
        let state = self.work.clone();
        self.work.interruptible.store(true, Ordering::Relaxed);
        let done = until(Arc::new(move || state.given_up.load(Ordering::Relaxed)), work);
        self.work.interruptible.store(false, Ordering::Relaxed);
        done
    }
}
