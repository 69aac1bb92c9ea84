//! Asynchronous control over a process, which is checked at every poll of its execution: stop, continue, kill.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::Waker;

use parking_lot::Mutex;

const STOPPED: u32 = 1;
const KILL_SHIFT: u32 = 8;

/// The control state of a process.
#[derive(Default)]
pub(crate) struct Gate {
    state: AtomicU32,
    waker: Mutex<Option<Waker>>,
    /// Whether the process waits inside a host function (and did not merely yield).
    pub(crate) in_host: AtomicBool,
    /// Whether the process was preempted in its last poll.
    pub(crate) preempted: AtomicBool,
}

impl Gate {
    /// Ends the process with `signal` before it executes anything more. Only the first kill has an effect.
    pub(crate) fn kill(&self, signal: u8) {
        let bits = u32::from(signal) << KILL_SHIFT;
        // An error means that it was killed already.
        let _ = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| {
            (state >> KILL_SHIFT == 0).then_some(state | bits)
        });
        self.wake();
    }

    pub(crate) fn stop(&self) {
        self.state.fetch_or(STOPPED, Ordering::SeqCst);
        self.wake();
    }

    pub(crate) fn resume(&self) {
        self.state.fetch_and(!STOPPED, Ordering::SeqCst);
        self.wake();
    }

    pub(crate) fn killed(&self) -> Option<u8> {
        let signal = self.state.load(Ordering::SeqCst) >> KILL_SHIFT;
        u8::try_from(signal).ok().filter(|signal| *signal != 0)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.load(Ordering::SeqCst) & STOPPED != 0
    }

    /// Whether the process is stopped or killed, so that it must not continue.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.load(Ordering::SeqCst) != 0
    }

    /// Has the process polled again, so that the future it waits on checks its condition again.
    pub(crate) fn wake(&self) {
        let waker = self.waker.lock().clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether the process waits in a host function.
    pub(crate) fn is_waiting(&self) -> bool {
        self.in_host.load(Ordering::Relaxed)
    }

    pub(crate) fn set_in_host(&self, in_host: bool) {
        self.in_host.store(in_host, Ordering::Relaxed);
    }

    /// Marks the process as waiting in the host until the guard is dropped.
    pub(crate) fn begin_host_wait(&self) -> HostWait<'_> {
        self.set_in_host(true);
        HostWait(self)
    }

    /// Marks the end of the process's time slice.
    pub(crate) fn preempt(&self) {
        self.preempted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn register(&self, waker: &Waker) {
        let mut known = self.waker.lock();
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }
}

/// While it lives, the process counts as waiting in a host function.
pub(crate) struct HostWait<'a>(&'a Gate);

impl Drop for HostWait<'_> {
    fn drop(&mut self) {
        self.0.set_in_host(false);
    }
}
