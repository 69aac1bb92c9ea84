//! Shows a line on the terminal during long work.

use super::failure::printable;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long work may take before a line is shown on a terminal.
const QUIET: Duration = Duration::from_millis(300);

/// Shows what is being done until it is dropped. Does nothing if standard error is no terminal.
pub(crate) struct Progress {
    watch: Option<(Sender<()>, JoinHandle<()>)>,
}

/// How long work may take before a line is written to a log.
const PATIENT: Duration = Duration::from_secs(2);

impl Progress {
    /// Like [`new`](Self::new), but if standard error is no terminal, one permanent line is written when the work
    /// takes long.
    pub(crate) fn logged(what: impl Into<String>) -> Progress {
        if std::io::stderr().is_terminal() {
            return Self::new(what);
        }
        let what = what.into();
        let (done, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENT) == Err(RecvTimeoutError::Timeout) {
                show(&format!("sandshell: {what} …\n"));
            }
        });
        Progress { watch: Some((done, thread)) }
    }

    pub(crate) fn new(what: impl Into<String>) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress { watch: None };
        }
        let what = what.into();
        let (done, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            show(&format!("sandshell: {} …", printable(&what)));
            // Ends when the sender is dropped.
            let _ = wait.recv();
            show("\r\x1b[K");
        });
        Progress { watch: Some((done, thread)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.watch.take() {
            drop(done);
            // The thread only writes a line; it does not matter whether that failed.
            let _ = thread.join();
        }
    }
}

fn show(text: &str) {
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
