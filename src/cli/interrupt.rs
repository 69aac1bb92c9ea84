//! The host's signals on their way to a command, and to what is done after it.

use super::failure::{Failure, reason};
use sandshell::runtime::{ExitStatus, Job, Outcome};
use sandshell::vfs::until;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{Signal, SignalKind, signal};

const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;

/// Waits until `job` is over. Ctrl-C (SIGINT) and a hang-up go to its foreground processes as a terminal would send
/// them, SIGTERM to its first process; what is left when the first process has died of it is killed, and the second SIGINT or
/// SIGTERM kills all. When only background processes are left to wait for, each of the three ends it at once.
pub(crate) async fn wait(mut job: Job, mut signals: Signals) -> (Outcome, Afterwards) {
    let mut warned = false;
    let mut alive = true;
    let killed = loop {
        let first = job.first_ended();
        let signal = tokio::select! {
            () = job.ended() => break None,
            status = first, if warned && alive => {
                alive = false;
                // It was meant for the command, and the rest of it has no more to say.
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
    let cut_off = warned && matches!(outcome.status, ExitStatus::Signaled(_)) || killed.is_some();
    (outcome, signals.afterwards(cut_off))
}

/// The signals that are caught. Made before the command starts, so that none is missed.
pub(crate) struct Signals {
    pub(crate) interrupt: Signal,
    pub(crate) terminate: Signal,
    pub(crate) hangup: Signal,
}

impl Signals {
    pub(crate) fn catch() -> Result<Signals, Failure> {
        let catch =
            |kind| signal(kind).map_err(|error| Failure::about("cannot catch signals", reason(&error)));
        Ok(Signals {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup: catch(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> u8 {
        tokio::select! {
            Some(()) = self.interrupt.recv() => SIGINT,
            Some(()) = self.terminate.recv() => SIGTERM,
            Some(()) = self.hangup.recv() => SIGHUP,
        }
    }

    /// From now on a signal ends the program.
    #[allow(clippy::exit, reason = "what is being done has the main thread, which does not look at signals")]
    pub(crate) fn afterwards(mut self, cut_off: bool) -> Afterwards {
        let work = Arc::<Work>::default();
        let watched = work.clone();
        tokio::spawn(async move {
            loop {
                let number = self.next().await;
                // What is being done is given up in good order once; nobody waits for that twice.
                if !watched.heeds.load(Ordering::Relaxed) || watched.given_up.swap(true, Ordering::Relaxed) {
                    process::exit(128 + i32::from(number));
                }
            }
        });
        Afterwards { cut_off, work }
    }
}

/// What is done when the command is over.
pub(crate) struct Afterwards {
    /// Whether the command was ended by a signal.
    pub(crate) cut_off: bool,
    work: Arc<Work>,
}

#[derive(Default)]
struct Work {
    /// Whether it is given up at a signal, instead of the program.
    heeds: AtomicBool,
    given_up: AtomicBool,
}

impl Afterwards {
    /// Does something that would leave a part of it behind if the program ended in the middle. After a signal it fails, as soon as
    /// it has put everything in order.
    pub(crate) fn heeding<T>(&self, work: impl FnOnce() -> T) -> T {
        let state = self.work.clone();
        self.work.heeds.store(true, Ordering::Relaxed);
        let done = until(Arc::new(move || state.given_up.load(Ordering::Relaxed)), work);
        self.work.heeds.store(false, Ordering::Relaxed);
        done
    }
}
