//! Executes a process only while its gate is open and it has a turn.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::execution::{inline, metering};
use crate::handoff;
use crate::kernel::KernelInner;
use crate::process::Process;

/// The execution of a process. Resolves to `Err` with the signal's number when the process was killed.
pub(crate) struct Gated<F> {
    kernel: Arc<KernelInner>,
    process: Arc<Process>,
    preempted: Preempted,
    /// `None` once it was taken out.
    inner: Option<Pin<Box<F>>>,
}

/// Whether a process needs a turn to continue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preempted {
    No,
    /// Preempted in its last poll, so its turn is over. The turn is passed on only in the next poll, because the
    /// runtime looks at timers and other events before it polls a task that yielded.
    JustNow,
    /// Waiting for a turn.
    Queued,
}

impl<F> Drop for Gated<F> {
    fn drop(&mut self) {
        self.kernel.turns.give_up(&self.process);
    }
}

impl<F> Gated<F> {
    /// The unfinished execution of a process that was killed. The process's turn is given up.
    pub(crate) fn into_inner(mut self) -> Option<Pin<Box<F>>> {
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
            if this.preempted == Preempted::Queued {
                this.preempted = Preempted::JustNow;
            }
            return Poll::Pending;
        }
        let may_run = match std::mem::replace(&mut this.preempted, Preempted::Queued) {
            Preempted::No => true,
            Preempted::JustNow => turns.next(&this.process),
            Preempted::Queued => turns.has(&this.process),
        };
        if !may_run {
            return Poll::Pending;
        }
        let Some(inner) = &mut this.inner else { return Poll::Pending };
        let started = Instant::now();
        let polled = {
            let _running = this.kernel.engine.ticker().run();
            let _handoff = handoff::begin(this.kernel.scheduler.is_none() && !inline::is_polling());
            inner.as_mut().poll(cx)
        };
        // Metered code yields by itself at the end of its interval.
        let interval = polled.is_pending() && !gate.in_host.load(Ordering::Relaxed);
        let counted = this.process.job.is_metered() && this.kernel.scheduler.is_none();
        let preempted = gate.preempted.swap(false, Ordering::Relaxed) && this.kernel.scheduler.is_none();
        this.preempted = if preempted || (interval && counted) {
            Preempted::JustNow
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
