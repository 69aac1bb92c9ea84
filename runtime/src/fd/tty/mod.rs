//! A sandbox's terminal: the host's screen and keyboard behind a line discipline.

mod discipline;
mod terminal;
mod termios;

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;

pub use terminal::Terminal;
pub(crate) use termios::Termios;

use crate::error::Result;
use crate::fd::waiters::Waiters;
use discipline::Discipline;
use termios::{local, special};

/// How many bytes of output are processed at once.
const PIECE: usize = 1024;
/// How many bytes of keys are taken at once.
const KEYS: usize = 1024;

/// What all descriptors of one terminal share.
pub(crate) struct Tty {
    host: Arc<dyn Terminal>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    discipline: Discipline,
    /// Rows and columns that a program has set; otherwise the host knows them.
    size: Option<(u32, u32)>,
    /// There will be no more keys.
    ended: bool,
    /// Readers, and writers that find the screen busy.
    waiting: Waiters,
    /// The task that serves the terminal.
    server: Option<Waker>,
}

/// What [`Tty::serve`] asks of the kernel: signals for the foreground process group.
pub(crate) type Signals = Vec<u32>;

impl Tty {
    pub(crate) fn new(host: Arc<dyn Terminal>) -> Arc<Tty> {
        Arc::new(Tty { host, state: Mutex::default() })
    }

    /// Takes the next keys, unless `reads` is false, and shows what waits to be shown. `Pending` when the host has to
    /// do something first.
    pub(crate) fn serve(&self, cx: &mut Context<'_>, reads: bool) -> Poll<Signals> {
        let mut state = self.state.lock();
        state.server = Some(cx.waker().clone());
        self.drain(&mut state);
        if !reads || state.ended || !state.discipline.has_room() {
            return Poll::Pending;
        }
        let mut keys = [0; KEYS];
        let signals = match self.host.poll_read(cx, &mut keys) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(count @ 1..)) => state.discipline.receive(keys.get(..count).unwrap_or(&keys)),
            Poll::Ready(_) => {
                state.ended = true;
                Vec::new()
            }
        };
        self.drain(&mut state);
        wake(state);
        Poll::Ready(signals)
    }

    /// Reads as the settings say: a line, or keys.
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        let mut state = self.state.lock();
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let modes = state.discipline.modes();
        let (edits, least) = (modes.local(local::ICANON), usize::from(modes.cc[special::MIN]));
        let enough = least.clamp(1, buf.len());
        let ready = state.discipline.readable(enough).is_some() || state.ended || !edits && least == 0;
        if !ready {
            state.waiting.add(cx.waker());
            return Poll::Pending;
        }
        let count = state.discipline.read(buf);
        // There is room for more keys now.
        state.server.iter().for_each(Waker::wake_by_ref);
        Poll::Ready(Ok(count))
    }

    /// Waits until at least `least` bytes, or a line, can be read. Returns how many.
    pub(crate) fn poll_bytes(&self, cx: &mut Context<'_>, least: usize) -> Poll<usize> {
        let mut state = self.state.lock();
        let count = state.discipline.readable(least.max(1));
        if let Some(count) = count.or(state.ended.then_some(0)) {
            return Poll::Ready(count);
        }
        state.waiting.add(cx.waker());
        Poll::Pending
    }

    /// Waits until a read would not wait. Returns how many bytes it would get.
    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<usize> {
        let least = {
            let state = self.state.lock();
            let cc = &state.discipline.modes().cc;
            if cc[special::TIME] == 0 { usize::from(cc[special::MIN]) } else { 1 }
        };
        self.poll_bytes(cx, least)
    }

    /// How long a read without line editing waits for further keys, and for how many.
    pub(crate) fn timer(&self) -> Option<Timer> {
        let state = self.state.lock();
        let modes = state.discipline.modes();
        let time = modes.cc[special::TIME];
        (!modes.local(local::ICANON) && time > 0).then(|| Timer {
            time: Duration::from_millis(u64::from(time) * 100),
            least: usize::from(modes.cc[special::MIN]),
        })
    }

    /// Reads what is there.
    pub(crate) fn take(&self, buf: &mut [u8]) -> usize {
        let mut state = self.state.lock();
        let count = state.discipline.read(buf);
        state.server.iter().for_each(Waker::wake_by_ref);
        count
    }

    /// Shows output; takes only a part of what is long.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let mut state = self.state.lock();
        self.drain(&mut state);
        if !state.discipline.shown.is_empty() {
            state.waiting.add(cx.waker());
            return Poll::Pending;
        }
        let piece = buf.get(..PIECE).unwrap_or(buf);
        state.discipline.write(piece);
        self.drain(&mut state);
        Poll::Ready(Ok(piece.len()))
    }

    /// Waits until all output is shown.
    pub(crate) fn poll_shown(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state.lock();
        self.drain(&mut state);
        if state.discipline.shown.is_empty() {
            return Poll::Ready(());
        }
        state.waiting.add(cx.waker());
        Poll::Pending
    }

    pub(crate) fn modes(&self) -> Termios {
        self.state.lock().discipline.modes().clone()
    }

    /// Changes the settings. `flush` forgets what was typed and not read.
    pub(crate) fn set_modes(&self, modes: Termios, flush: bool) {
        let mut state = self.state.lock();
        if flush {
            state.discipline.flush_input();
        }
        state.discipline.set_modes(modes);
        self.drain(&mut state);
        state.server.iter().for_each(Waker::wake_by_ref);
        wake(state);
    }

    /// Whether processes in the background must not write.
    pub(crate) fn stops_writers(&self) -> bool {
        self.state.lock().discipline.modes().local(local::TOSTOP)
    }

    /// Forgets what was typed and not read, or what was not shown yet.
    pub(crate) fn flush(&self, typed: bool, output: bool) {
        let mut state = self.state.lock();
        if typed {
            state.discipline.flush_input();
        }
        if output {
            state.discipline.flush_output();
        }
        state.server.iter().for_each(Waker::wake_by_ref);
        wake(state);
    }

    /// Rows and columns.
    pub(crate) fn size(&self) -> (u32, u32) {
        let set = self.state.lock().size;
        set.unwrap_or_else(|| self.host.size())
    }

    /// Sets the size that programs see; `None` for the host's. Returns whether it has changed.
    pub(crate) fn set_size(&self, size: Option<(u32, u32)>) -> bool {
        let before = self.size();
        self.state.lock().size = size;
        self.size() != before
    }

    /// Output is no longer held back, as nobody is left who could ask for that.
    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        state.discipline.stopped = false;
        self.drain(&mut state);
    }

    /// Shows as much as the host takes. If it takes nothing now, it wakes the server later.
    fn drain(&self, state: &mut State) {
        let server = state.server.clone();
        let mut cx = Context::from_waker(server.as_ref().unwrap_or(Waker::noop()));
        while !state.discipline.stopped {
            let shown = &mut state.discipline.shown;
            let (first, _) = shown.as_slices();
            if first.is_empty() {
                break;
            }
            match self.host.poll_write(&mut cx, first) {
                Poll::Ready(Ok(count @ 1..)) => drop(shown.drain(..count.min(first.len()))),
                // The terminal is gone: its output goes nowhere.
                Poll::Ready(_) => shown.clear(),
                Poll::Pending => break,
            }
        }
        if state.discipline.shown.is_empty() {
            state.waiting.wake_all();
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.state.get_mut().server.take().into_iter().for_each(Waker::wake);
    }
}

/// `VTIME` and `VMIN`.
#[derive(Clone, Copy)]
pub(crate) struct Timer {
    pub(crate) time: Duration,
    pub(crate) least: usize,
}

/// Wakes all that wait, without the lock.
fn wake(mut state: parking_lot::MutexGuard<'_, State>) {
    let mut waiting = std::mem::take(&mut state.waiting);
    drop(state);
    waiting.wake_all();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// A terminal at which nobody types, and whose screen takes nothing.
    struct Silent;

    impl Terminal for Silent {
        fn poll_read(&self, _cx: &mut Context<'_>, _buf: &mut [u8]) -> Poll<io::Result<usize>> {
            Poll::Pending
        }

        fn poll_write(&self, _cx: &mut Context<'_>, _bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Pending
        }

        fn size(&self) -> (u32, u32) {
            (24, 80)
        }
    }

    #[test]
    fn a_task_that_asks_again_and_again_waits_once() {
        let tty = Tty::new(Arc::new(Silent));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(tty.poll_write(&mut cx, b"text").is_ready());
        for _ in 0..1000 {
            assert!(tty.poll_readable(&mut cx).is_pending());
            assert!(tty.poll_read(&mut cx, &mut [0; 8]).is_pending());
            assert!(tty.poll_write(&mut cx, b"text").is_pending());
            assert!(tty.poll_shown(&mut cx).is_pending());
        }
        assert_eq!(tty.state.lock().waiting.count(), 1);
    }
}
