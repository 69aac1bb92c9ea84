//! What is said of packs that are compiled now.

use sandshell::runtime::Announce;
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long it may take before it is worth a line.
const PATIENT: Duration = Duration::from_secs(2);

/// Writes a line to standard error once compiling a pack takes long: it happens once, and commands wait for it meanwhile.
pub(crate) fn announce() -> Announce {
    Announce::new(|pack| Box::new(Told::new(pack)))
}

/// While it lives a pack is compiled.
struct Told {
    _done: Sender<()>,
}

impl Told {
    fn new(pack: &str) -> Told {
        let line = format!("sandshell: compiling {pack}; it is kept for the next time ...\n");
        let (done, wait) = channel::<()>();
        // Without a thread nothing is said.
        drop(std::thread::Builder::new().name("sandshell-announce".to_owned()).spawn(move || {
            if wait.recv_timeout(PATIENT) == Err(RecvTimeoutError::Timeout) {
                // Who has closed it does not want to know.
                let _ = std::io::stderr().write_all(line.as_bytes());
            }
        }));
        Told { _done: done }
    }
}
