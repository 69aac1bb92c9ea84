//! Executing a process only while its gate is open and it has a turn.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::execution::metering;
use crate::kernel::KernelInner;
use crate::process::Process;

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
                metering::settle_interval(&this.kernel, &this.process);
            }
            if let Some(signal) = gate.killed() {
                return Poll::Ready(Err(signal));
            }
        }
        polled.map(Ok)
    }
}
