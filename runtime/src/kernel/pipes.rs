//! Pipes, FIFOs and sockets, within the limits.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use sandshell_vfs::FileKey;

use super::KernelInner;
use crate::error::Errno;
use crate::fd::pipe::{Pipe, PipePermit};
use crate::fd::socket::names::Place;
use crate::process::job::JobState;

impl KernelInner {
    /// A new pipe within the limit.
    pub(crate) fn new_pipe(&self, job: &JobState) -> crate::error::Result<Arc<Pipe>> {
        let permit = self.pipe_permit(job)?;
        Ok(Pipe::new(self.next_pipe.fetch_add(1, Ordering::Relaxed), Some(permit)))
    }

    /// A place among the pipes for something that holds as much as one.
    pub(crate) fn pipe_permit(&self, job: &JobState) -> crate::error::Result<PipePermit> {
        PipePermit::take(&self.pipes, self.limits.pipes).map_err(|limit| {
            job.record_limit(limit);
            Errno::MFILE
        })
    }

    /// A place for a socket, within the limit.
    pub(crate) fn socket_place(&self, job: &JobState) -> crate::error::Result<Place> {
        self.names.place().map_err(|limit| {
            job.record_limit(limit);
            Errno::NFILE
        })
    }

    /// A number for a socket.
    pub(crate) fn next_socket(&self) -> u64 {
        self.next_pipe.fetch_add(1, Ordering::Relaxed)
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
