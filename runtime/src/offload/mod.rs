//! Host calls that take long.
//!
//! A host function runs on a thread that other sandboxes' processes wait for, so it is first tried [`briefly`]. If the
//! work permits out to be long, it fails and is started again on one of a bounded number of threads. There it runs in
//! pieces, until it is done or its process is killed. A sandbox has only a few such pieces of work at once, so that it
//! cannot take all threads. The threads have a lower priority than those that run guests.

pub(crate) mod pool;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use sandshell_vfs::{self as vfs, Context, File, GivenUp, Location, Namespace, briefly, until};
use tokio::sync::{Semaphore, oneshot};

use crate::error::{Errno, Result};
use crate::fd::{Description, Object};
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::Process;

/// A path and what it is relative to.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) base: &'a Location,
    pub(crate) path: &'a [u8],
}

/// Does something with files by path: on the calling thread if it is brief, otherwise on one of the pool's.
///
/// `work` may be called twice: if it is not brief, the first call fails before it has changed anything.
pub(crate) async fn by_path<T, W>(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    places: &[At<'_>],
    work: W,
) -> Result<T>
where
    T: Send + 'static,
    W: Fn(&Namespace, &Context, &[At<'_>]) -> vfs::Result<T> + Send + 'static,
{
    let cx = process.context();
    match briefly(|| work(&kernel.namespace, &cx, places)) {
        Err(vfs::Errno::Restart) => {}
        done => return note_descriptor_limit(process, done),
    }
    let namespace = kernel.namespace.clone();
    let owned: Vec<(Location, Vec<u8>)> =
        places.iter().map(|at| (at.base.clone(), at.path.to_vec())).collect();
    let again = move || {
        let places: Vec<At<'_>> = owned.iter().map(|(base, path)| At { base, path }).collect();
        work(&namespace, &cx, &places)
    };
    note_descriptor_limit(process, offload(kernel, process, again).await?)
}

/// Records that the budget of the host's descriptors was used up.
fn note_descriptor_limit<T>(process: &Process, done: vfs::Result<T>) -> Result<T> {
    if matches!(done, Err(vfs::Errno::NFile)) {
        process.job.record_limit(Limit::HostDescriptors);
    }
    Ok(done?)
}

/// As [`by_path`], for an open file or directory. `EBADF` for a description of anything else.
pub(crate) async fn by_file<T, W>(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    description: &Description,
    work: W,
) -> Result<T>
where
    T: Send + 'static,
    W: Fn(&dyn File, &Context) -> vfs::Result<T> + Send + 'static,
{
    let (Object::File { file, .. } | Object::Directory { file, .. }) = &description.object else {
        return Err(Errno::BADF);
    };
    let cx = process.context();
    match briefly(|| work(&**file, &cx)) {
        Err(vfs::Errno::Restart) => {}
        done => return Ok(done?),
    }
    let file = file.clone();
    Ok(offload(kernel, process, move || work(&*file, &cx)).await??)
}

/// Unmapping less memory than this takes less than a time slice.
pub(crate) const LARGE_MEMORY: u64 = 8 << 20;

/// Frees something large, such as the memory of a process that has ended, on one of the pool's threads. Returns when it
/// is done.
pub(crate) async fn free(kernel: &Arc<KernelInner>, process: &Arc<Process>, what: impl Send + 'static) {
    // This has permits of its own, because dropping `what` may be what cancels the sandbox's other work.
    let permits = &kernel.free_permits;
    // If the thread panics, there is nothing left to free.
    let _ = with_permit(kernel, permits, process, move || drop(what)).await;
}

/// Does work that may take long on one of the pool's threads. The work is [cancelled](until) when the process is killed
/// or this future is dropped.
async fn offload<T: Send + 'static>(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    with_permit(kernel, &kernel.offload_permits, process, work).await
}

async fn with_permit<T: Send + 'static>(
    kernel: &Arc<KernelInner>,
    permits: &Arc<Semaphore>,
    process: &Arc<Process>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if kernel.scheduler.is_some() {
        // Waiting for another thread would make the order of permits depend on the host.
        let process = process.clone();
        let given_up: GivenUp = Arc::new(move || process.gate.killed().is_some());
        return Ok(in_place(|| until(given_up, work)));
    }
    let permit = process.in_host(permits.clone().acquire_owned()).await.map_err(|_| Errno::IO)?;
    let given_up = CancelOnDrop(Arc::default());
    let flag = given_up.0.clone();
    let (sender, done) = oneshot::channel();
    kernel.engine.offload_pool().submit(Box::new(move || {
        let started = Instant::now();
        let done = until(Arc::new(move || flag.load(Ordering::Relaxed)), work);
        drop(permit);
        // Nobody receives this if the process was killed.
        let _ = sender.send((done, started.elapsed()));
    }));
    let (done, time) = process.in_host(done).await.map_err(|_| Errno::IO)?;
    process.charge_time(time);
    Ok(done)
}

/// Cancels the work when it is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Lets the runtime move this thread's other tasks to another thread meanwhile, if it has several.
fn in_place<T>(work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
