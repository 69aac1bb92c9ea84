//! The user's terminal, which a sandbox borrows.
//!
//! It is in raw mode meanwhile: keys go to the sandbox as they are typed, and its output comes as it is shown. Lines
//! are edited, keys are shown and Ctrl-C is recognised in the sandbox (`runtime/src/fd/tty`).

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

use super::characters::Characters;
use sandshell::runtime::Terminal;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use system::{Keys, Settings};

/// How much output waits for the terminal.
const OUTPUT: usize = 64 << 10;

/// The terminal of this program, which must be its standard input and output.
pub(crate) struct HostTerminal {
    shared: Arc<Shared>,
    /// The terminal's settings when the program started.
    settings: Settings,
}

struct Shared {
    state: Mutex<State>,
    /// Input is asked for, or output has come.
    changed: Condvar,
    keys: Keys,
}

#[derive(Default)]
struct State {
    input: VecDeque<u8>,
    /// There will be no more keys.
    ended: bool,
    /// Somebody waits for keys.
    asked: bool,
    reader: Option<Waker>,
    output: VecDeque<u8>,
    /// Output that was taken is being written.
    writing: bool,
    writer: Option<Waker>,
    /// The terminal takes nothing more.
    closed: bool,
}

impl HostTerminal {
    /// Takes over the terminal.
    pub(crate) fn new() -> io::Result<HostTerminal> {
        let settings = Settings::current()?;
        let shared =
            Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), keys: Keys::new()? });
        settings.set_raw()?;
        let terminal = HostTerminal { shared, settings };
        for (name, serve) in [("keys", Shared::read as fn(&Shared)), ("screen", Shared::write)] {
            let shared = terminal.shared.clone();
            std::thread::Builder::new().name(name.to_owned()).spawn(move || serve(&shared))?;
        }
        Ok(terminal)
    }

    /// Restores the terminal's original settings, when its output is shown.
    pub(crate) fn restore(&self) {
        let mut state = self.shared.lock();
        while !state.closed && (state.writing || !state.output.is_empty()) {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.closed = true;
        drop(state);
        self.shared.changed.notify_all();
        // It does not matter if the terminal is gone.
        let _ = self.shared.keys.cancel();
        let _ = self.settings.restore();
    }

    /// From now on output is dropped, so that nobody waits for a terminal that shows nothing.
    pub(crate) fn close(&self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.writer.take().into_iter().for_each(Waker::wake);
    }
}

impl Drop for HostTerminal {
    fn drop(&mut self) {
        let _ = self.settings.restore();
    }
}

impl Terminal for HostTerminal {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut state = self.shared.lock();
        if !state.input.is_empty() || state.ended {
            let count = state.input.len().min(buf.len());
            for (to, from) in buf.iter_mut().zip(state.input.drain(..count)) {
                *to = from;
            }
            return Poll::Ready(Ok(count));
        }
        state.reader = Some(cx.waker().clone());
        if !state.asked {
            state.asked = true;
            self.shared.changed.notify_all();
        }
        Poll::Pending
    }

    fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.shared.lock();
        if state.closed {
            return Poll::Ready(Ok(bytes.len()));
        }
        let room = OUTPUT.saturating_sub(state.output.len());
        if room == 0 {
            state.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let taken = bytes.get(..room).unwrap_or(bytes);
        state.output.extend(taken);
        self.shared.changed.notify_all();
        Poll::Ready(Ok(taken.len()))
    }

    fn size(&self) -> (u32, u32) {
        match system::size() {
            Some((rows, columns)) if rows > 0 && columns > 0 => (u32::from(rows), u32::from(columns)),
            _ => (24, 80),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads keys whenever somebody waits for them, so that none is taken from the program that comes next.
    fn read(&self) {
        loop {
            let mut state = self.lock();
            while !state.asked && !state.closed {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                return;
            }
            drop(state);
            let keys = self.keys.wait();
            let mut state = self.lock();
            state.asked = false;
            match keys {
                Ok(keys) => state.input.extend(keys),
                Err(_) => state.ended = true,
            }
            let reader = state.reader.take();
            drop(state);
            reader.into_iter().for_each(Waker::wake);
        }
    }

    /// Writes output as it comes.
    fn write(&self) {
        let mut shown = Characters::of(&io::stdout());
        loop {
            let mut state = self.lock();
            while state.output.is_empty() {
                if state.closed {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let piece: Vec<u8> = state.output.drain(..).collect();
            state.writing = true;
            let writer = state.writer.take();
            drop(state);
            writer.into_iter().for_each(Waker::wake);
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(&shown.show(&piece)).and_then(|()| stdout.flush());
            drop(stdout);
            let mut state = self.lock();
            state.writing = false;
            // A terminal that is gone takes nothing more.
            state.closed |= written.is_err();
            drop(state);
            self.changed.notify_all();
        }
    }
}
