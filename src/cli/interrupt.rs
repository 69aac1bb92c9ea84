//! The host's signals on their way to a command.

use super::failure::{Failure, reason};
use sandshell::runtime::{Job, Outcome};
use tokio::signal::unix::{Signal, SignalKind, signal};

const SIGHUP: u32 = 1;
const SIGINT: u32 = 2;
const SIGTERM: u32 = 15;

/// Waits for the end of `job`. Ctrl-C (SIGINT) and a hang-up go to its foreground processes as a terminal would send
/// them, SIGTERM to its first process; the second SIGINT or SIGTERM kills all.
pub(crate) async fn wait(mut job: Job, mut signals: Signals) -> Outcome {
    let mut warned = false;
    loop {
        tokio::select! {
            () = job.ended() => return job.wait().await,
            Some(()) = signals.interrupt.recv() => {
                if warned { job.kill() } else { job.signal_foreground(SIGINT) }
                warned = true;
            }
            Some(()) = signals.terminate.recv() => {
                if warned { job.kill() } else { job.signal(SIGTERM) }
                warned = true;
            }
            Some(()) = signals.hangup.recv() => job.signal_foreground(SIGHUP),
        }
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
