//! Signals on Unix.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, as Ctrl-C sends it.
pub(crate) type Interrupt = Signal;
/// SIGTERM.
pub(crate) type Terminate = Signal;
/// SIGHUP: the terminal was closed.
pub(crate) type Hangup = Signal;

pub(super) fn catch() -> io::Result<(Interrupt, Terminate, Hangup)> {
    Ok((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?))
}

/// Changes of the terminal's size.
pub(crate) struct Resizes(Signal);

impl Resizes {
    pub(crate) fn watch() -> io::Result<Self> {
        signal(SignalKind::window_change()).map(Self)
    }

    pub(crate) async fn next(&mut self) -> Option<()> {
        self.0.recv().await
    }
}
