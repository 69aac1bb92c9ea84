//! The host's signals on their way to a command.

use super::failure::{Failure, reason};
use sandshell::runtime::{ExitStatus, Job, Outcome};
use tokio::signal::unix::{Signal, SignalKind, signal};

const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;

/// Waits until `job` is over. Ctrl-C (SIGINT) and a hang-up go to its foreground processes as a terminal would send
/// them, SIGTERM to its first process; the second SIGINT or SIGTERM kills all. When only background processes are left
/// to wait for, each of the three ends it at once.
pub(crate) async fn wait(mut job: Job, mut signals: Signals) -> Outcome {
    let mut warned = false;
    loop {
        let signal = tokio::select! {
            () = job.ended() => return job.wait().await,
            Some(()) = signals.interrupt.recv() => SIGINT,
            Some(()) = signals.terminate.recv() => SIGTERM,
            Some(()) = signals.hangup.recv() => SIGHUP,
        };
        if job.lingers() {
            job.kill();
            let mut outcome = job.wait().await;
            outcome.status = ExitStatus::Signaled(signal);
            return outcome;
        }
        let number = u32::from(signal);
        match signal {
            SIGHUP => job.signal_foreground(number),
            _ if warned => job.kill(),
            SIGINT => job.signal_foreground(number),
            _ => job.signal(number),
        }
        warned |= signal != SIGHUP;
    }
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
}
