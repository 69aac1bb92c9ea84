//! Tells the user while a pack is being compiled.

use sandshell::runtime::Announce;
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long compiling may take before a line is written.
const PATIENT: Duration = Duration::from_secs(2);

/// Writes a line to standard error if compiling a pack takes long. This happens once for each pack, and commands
/// wait meanwhile.
pub(crate) fn announce() -> Announce {
    Announce::new(|pack| Box::new(CompilationNotice::new(pack)))
}

/// Exists while a pack is being compiled.
struct CompilationNotice {
    _done: Sender<()>,
}

impl CompilationNotice {
    fn new(pack: &str) -> CompilationNotice {
        let line = format!("sandshell: compiling {pack}; it is kept for the next time ...\n");
        let (done, wait) = channel::<()>();
        // If no thread can be started, no line is written.
        drop(std::thread::Builder::new().name("sandshell-announce".to_owned()).spawn(move || {
            if wait.recv_timeout(PATIENT) == Err(RecvTimeoutError::Timeout) {
                // It does not matter if standard error is closed.
                let _ = std::io::stderr().write_all(line.as_bytes());
            }
        }));
        CompilationNotice { _done: done }
    }
}
