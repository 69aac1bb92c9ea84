//! The gate through which a process's execution passes at every poll: stop, continue, kill, and the count of its time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use parking_lot::Mutex;

use crate::kernel::KernelInner;
use crate::process::{Process, meter};

const STOPPED: u32 = 1;
const KILL_SHIFT: u32 = 8;

/// Asynchronous control over a process.
#[derive(Default)]
pub(crate) struct Gate {
    state: AtomicU32,
    waker: Mutex<Option<Waker>>,
    /// Whether the process waits inside a host function (and did not merely yield).
    in_host: AtomicBool,
    /// Whether the process was preempted in its last poll.
    preempted: AtomicBool,
}

impl Gate {
    /// Ends the process with `signal` before it executes anything more. The first kill counts.
    pub(crate) fn kill(&self, signal: u8) {
        let bits = u32::from(signal) << KILL_SHIFT;
        // An error means that it is being killed already.
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

    /// Whether the process must not go on just now.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.load(Ordering::SeqCst) != 0
    }

    /// Polls the process again, so that whatever it waits for looks again.
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
    pub(crate) fn waits(&self) -> Waits<'_> {
        self.set_in_host(true);
        Waits(self)
    }

    /// The process's time slice is over.
    pub(crate) fn preempt(&self) {
        self.preempted.store(true, Ordering::Relaxed);
    }

    fn register(&self, waker: &Waker) {
        let mut known = self.waker.lock();
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }
}

/// While it lives, the process waits in a host function.
pub(crate) struct Waits<'a>(&'a Gate);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.set_in_host(false);
    }
}

/// A process's execution behind its gate. Resolves to the signal's number in `Err` when it was killed.
pub(crate) struct Gated<F> {
    kernel: Arc<KernelInner>,
    process: Arc<Process>,
    preempted: Preempted,
    /// Until it is over.
    inner: Option<Pin<Box<F>>>,
}

/// Whether a process needs a turn to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preempted {
    No,
    /// In its last poll: its turn, if it had one, is over. It is not passed on at once, because the runtime looks at timers and
    /// other events before it polls a task that yielded.
    Now,
    /// It queues for a turn.
    Before,
}

impl<F> Drop for Gated<F> {
    fn drop(&mut self) {
        self.kernel.turns.give_up(&self.process);
    }
}

impl<F> Gated<F> {
    /// What a process that was killed has left behind; the turn that it had is given up.
    pub(crate) fn into_rest(mut self) -> Option<Pin<Box<F>>> {
        self.inner.take()
    }
}

impl<F: Future> Gated<F> {
    pub(crate) fn new(kernel: Arc<KernelInner>, process: Arc<Process>, inner: F) -> Gated<F> {
        Gated { kernel, process, preempted: Preempted::No, inner: Some(Box::pin(inner)) }
    }
}

impl<F: Future> Future for Gated<F> {
    type Output = Result<F::Output, u8>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let (gate, turns) = (&this.process.gate, &this.kernel.turns);
        gate.register(cx.waker());
        if let Some(signal) = gate.killed() {
            return Poll::Ready(Err(signal));
        }
        if gate.is_stopped() {
            turns.give_up(&this.process);
            if this.preempted == Preempted::Before {
                this.preempted = Preempted::Now;
            }
            return Poll::Pending;
        }
        let may_run = match std::mem::replace(&mut this.preempted, Preempted::Before) {
            Preempted::No => true,
            Preempted::Now => turns.next(&this.process),
            Preempted::Before => turns.has(&this.process),
        };
        if !may_run {
            return Poll::Pending;
        }
        let Some(inner) = &mut this.inner else { return Poll::Pending };
        let started = Instant::now();
        let polled = {
            let _running = this.kernel.engine.ticker().run();
            inner.as_mut().poll(cx)
        };
        // Metered code yields by itself when its interval is used up.
        let interval = polled.is_pending() && !gate.in_host.load(Ordering::Relaxed);
        let counted = this.process.job.is_metered() && this.kernel.scheduler.is_none();
        let preempted = gate.preempted.swap(false, Ordering::Relaxed) && this.kernel.scheduler.is_none();
        this.preempted = if preempted || (interval && counted) {
            Preempted::Now
        } else {
            turns.give_up(&this.process);
            Preempted::No
        };
        this.process.charge_time(started.elapsed());
        if polled.is_pending() {
            if interval {
                meter::settle_interval(&this.kernel, &this.process);
            }
            if let Some(signal) = gate.killed() {
                return Poll::Ready(Err(signal));
            }
        }
        polled.map(Ok)
    }
}
