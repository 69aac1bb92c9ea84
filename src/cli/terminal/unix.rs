//! Terminals on Unix.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Mutex, PoisonError};

/// The settings of standard input's terminal when the program started.
pub(super) struct Settings(Termios);

impl Settings {
    pub(super) fn current() -> io::Result<Self> {
        Ok(Self(tcgetattr(io::stdin())?))
    }

    pub(super) fn restore(&self) -> io::Result<()> {
        Ok(tcsetattr(io::stdin(), OptionalActions::Drain, &self.0)?)
    }

    /// Lets keys and output pass as they are.
    pub(super) fn set_raw(&self) -> io::Result<()> {
        let mut settings = self.0.clone();
        settings.make_raw();
        Ok(tcsetattr(io::stdin(), OptionalActions::Now, &settings)?)
    }
}

/// Rows and columns.
pub(super) fn size() -> Option<(u16, u16)> {
    tcgetwinsize(io::stdout()).ok().map(|size| (size.ws_row, size.ws_col))
}

/// Keys as they are typed.
pub(super) struct Keys {
    /// A byte arrives here to stop waiting.
    cancelled: Mutex<PipeReader>,
    cancel: PipeWriter,
}

impl Keys {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, cancel) = io::pipe()?;
        Ok(Self { cancelled: Mutex::new(reader), cancel })
    }

    /// Makes the thread that waits for keys, or else the next one, return without any.
    pub(super) fn cancel(&self) -> io::Result<()> {
        (&self.cancel).write_all(&[0])
    }

    /// Waits for keys; none if [`cancel`](Self::cancel) comes first.
    pub(super) fn wait(&self) -> io::Result<Vec<u8>> {
        let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        let stdin = io::stdin();
        loop {
            let mut fds = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&*cancelled, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [input, cancel] = fds.map(|fd| !fd.revents().is_empty());
            if cancel {
                // Several words to stop count as one.
                let _ = cancelled.read(&mut [0; 64])?;
                return Ok(Vec::new());
            }
            if input {
                let mut keys = vec![0; 4096];
                let count = rustix::io::read(stdin, &mut keys)?;
                if count == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                keys.truncate(count);
                return Ok(keys);
            }
        }
    }
}
