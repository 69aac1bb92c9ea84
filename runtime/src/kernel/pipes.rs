//! Pipes and FIFOs, within the limit.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use sandshell_vfs::FileKey;

use super::KernelInner;
use crate::error::Errno;
use crate::fd::pipe::{Pipe, PipePermit};
use crate::process::job::JobState;

impl KernelInner {
    /// A new pipe within the limit.
    pub(crate) fn new_pipe(&self, job: &JobState) -> crate::error::Result<Arc<Pipe>> {
        match PipePermit::take(&self.pipes, self.limits.pipes) {
            Ok(permit) => Ok(Pipe::new(self.next_pipe.fetch_add(1, Ordering::Relaxed), Some(permit))),
            Err(limit) => {
                job.record_limit(limit);
                Err(Errno::MFILE)
            }
        }
    }

    /// The pipe of a FIFO. All who have it open at a time share one.
    pub(crate) fn fifo(&self, key: FileKey, job: &JobState) -> crate::error::Result<Arc<Pipe>> {
        let mut fifos = self.fifos.lock();
        if let Some(pipe) = fifos.get(&key).and_then(Weak::upgrade) {
            return Ok(pipe);
        }
        fifos.retain(|_, pipe| pipe.strong_count() > 0);
        let pipe = self.new_pipe(job)?;
        fifos.insert(key, Arc::downgrade(&pipe));
        Ok(pipe)
    }
}
