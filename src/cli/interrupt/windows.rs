//! What stands for signals on Windows.

use std::io;
use std::time::Duration;
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

/// Ctrl-C.
pub(crate) type Interrupt = CtrlC;
/// Ctrl-Break.
pub(crate) type Terminate = CtrlBreak;
/// The window was closed. The host gives the program some seconds.
pub(crate) type Hangup = CtrlClose;

pub(super) fn catch() -> io::Result<(Interrupt, Terminate, Hangup)> {
    Ok((ctrl_c()?, ctrl_break()?, ctrl_close()?))
}

/// Changes of the console's size, which the host does not announce.
pub(crate) struct Resizes((u16, u16));

/// How often the size is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

impl Resizes {
    pub(crate) fn watch() -> io::Result<Self> {
        Ok(Self(crossterm::terminal::size().unwrap_or_default()))
    }

    pub(crate) async fn next(&mut self) -> Option<()> {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let now = crossterm::terminal::size().unwrap_or(self.0);
            if std::mem::replace(&mut self.0, now) != now {
                return Some(());
            }
        }
    }
}
