//! Executing a process, from its start to its end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::gated::Gated;
use super::inline;
use super::run::{Start, run};
use crate::kernel::KernelInner;
use crate::offload::{self, LARGE_MEMORY};
use crate::process::{ExitStatus, Process};
use crate::share::Slots;

impl KernelInner {
    /// Starts executing a process.
    pub(crate) fn launch(self: &Arc<Self>, process: Arc<Process>, start: Start, slots: Slots) {
        let task = self.clone().execute(process, start, slots);
        match &self.scheduler {
            Some(scheduler) => {
                scheduler.spawn(task);
            }
            None => inline::start(Box::pin(task)),
        }
    }

    /// As [`launch`](Self::launch), but executes the process and those that it starts in the calling task until all of
    /// them wait or a time slice is over.
    pub(super) fn launch_inline(self: &Arc<Self>, process: Arc<Process>, start: Start, slots: Slots) {
        if self.scheduler.is_some() {
            return self.launch(process, start, slots);
        }
        inline::execute(Box::pin(self.clone().execute(process, start, slots)));
    }

    async fn execute(self: Arc<Self>, process: Arc<Process>, start: Start, slots: Slots) {
        let execution = run(self.clone(), process.clone(), start);
        let mut gated = Gated::new(self.clone(), process.clone(), execution);
        let ended = (&mut gated).await;
        if ended.is_err()
            && let Some(rest) = gated.into_inner()
            && process.memory.load(Ordering::Relaxed) > LARGE_MEMORY
        {
            offload::free(&self, &process, rest).await;
        }
        drop(slots);
        self.finish(&process, ended.unwrap_or_else(ExitStatus::Signaled));
    }
}
