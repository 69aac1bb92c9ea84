//! Executing a process, from its start to its end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::gated::Gated;
use super::here;
use super::run::{Start, run};
use crate::aside;
use crate::kernel::KernelInner;
use crate::process::{ExitStatus, Process};
use crate::share::Slot;

/// Unmapping less memory than this takes less than a time slice.
pub(crate) const LARGE_MEMORY: u64 = 8 << 20;

impl KernelInner {
    /// Starts executing a process.
    pub(crate) fn launch(self: &Arc<Self>, process: Arc<Process>, start: Start, slot: Slot) {
        let task = self.clone().execute(process, start, slot);
        match &self.scheduler {
            Some(scheduler) => {
                scheduler.spawn(task);
            }
            None => here::start(Box::pin(task)),
        }
    }

    /// As [`launch`](Self::launch), but executes the process and those that it starts in the calling task until all of
    /// them wait or a time slice is over.
    pub(super) fn launch_here(self: &Arc<Self>, process: Arc<Process>, start: Start, slot: Slot) {
        if self.scheduler.is_some() {
            return self.launch(process, start, slot);
        }
        here::execute(Box::pin(self.clone().execute(process, start, slot)));
    }

    async fn execute(self: Arc<Self>, process: Arc<Process>, start: Start, slot: Slot) {
        let execution = run(self.clone(), process.clone(), start);
        let mut gated = Gated::new(self.clone(), process.clone(), execution);
        let ended = (&mut gated).await;
        if ended.is_err()
            && let Some(rest) = gated.into_rest()
            && process.memory.load(Ordering::Relaxed) > LARGE_MEMORY
        {
            aside::free(&self, &process, rest).await;
        }
        drop(slot);
        self.finish(&process, ended.unwrap_or_else(ExitStatus::Signaled));
    }
}
