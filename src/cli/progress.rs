//! A line on a terminal while something takes long.

use super::failure::printable;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long something may take before it is worth a line.
const QUIET: Duration = Duration::from_millis(300);

/// Shows what is being done until it is dropped. Where standard error is no terminal it does nothing.
pub(crate) struct Progress {
    watch: Option<(Sender<()>, JoinHandle<()>)>,
}

/// How long something may take before it is worth a line in a log.
const PATIENT: Duration = Duration::from_secs(2);

impl Progress {
    /// As [`new`](Self::new), but where standard error is no terminal one line that stays is written, once it takes long.
    pub(crate) fn told(what: impl Into<String>) -> Progress {
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
            // It only writes a line; whether it managed to does not matter.
            let _ = thread.join();
        }
    }
}

fn show(text: &str) {
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
