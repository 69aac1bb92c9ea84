//! The kernel: one sandbox's processes, files, clock and budgets.

mod account;
mod builder;
pub(crate) mod code;
mod lifecycle;
mod pipes;
pub(crate) mod resources;
mod signals;
pub(crate) mod wait;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use sandshell_codegen::Metering;
use sandshell_vfs::{FileKey, Namespace, Time};
use tokio::sync::{Notify, Semaphore};

use crate::clock::ClockSource;
use crate::engine::Engine;
use crate::error::Error;
use crate::fd::lock::Locks;
use crate::fd::pipe::Pipe;
use crate::fd::socket::names::Names;
use crate::kernel::account::Account;
use crate::kernel::code::ChargedPrograms;
use crate::limits::{Limit, Limits};
use crate::process::table::ProcessTable;
use crate::process::turns::Turns;
use crate::random::Random;
use crate::scheduler::Scheduler;
use crate::share::Share;

pub use builder::KernelBuilder;
pub(crate) use lifecycle::{Family, Refused};

/// A sandbox. Cloning it is cheap, and many tasks can use it at once. When the last clone is dropped, all processes
/// are killed.
#[derive(Clone)]
pub struct Kernel {
    handle: Arc<Handle>,
}

struct Handle(Arc<KernelInner>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

/// Identifies a version of a file: its key, the times of its last changes, and its size.
type Stamp = (FileKey, Time, Time, u64);

/// What a sandbox uses at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processes, zombies included.
    pub processes: usize,
    /// Linear memory of all processes and the code of guests' own modules that they execute, in bytes.
    pub memory: u64,
    /// Pipes, including FIFOs that are open.
    pub pipes: u32,
}

pub(crate) struct KernelInner {
    pub(crate) engine: Engine,
    pub(crate) namespace: Namespace,
    pub(crate) clock: ClockSource,
    pub(crate) random: Random,
    pub(crate) limits: Limits,
    pub(crate) hostname: Vec<u8>,
    pub(crate) owner: (u32, u32),
    pub(crate) cpus: u32,
    pub(crate) metering: Metering,
    pub(crate) scheduler: Option<Arc<Scheduler>>,
    pub(crate) turns: Turns,
    pub(crate) table: Mutex<ProcessTable>,
    /// Processes of commands that are over.
    pub(crate) background: Arc<AtomicU32>,
    /// Memory in use: linear memories, what is being compiled, and code.
    pub(crate) memory: AtomicU64,
    pub(crate) charged_programs: ChargedPrograms,
    pipes: Arc<AtomicU32>,
    next_pipe: AtomicU64,
    fifos: Mutex<HashMap<FileKey, Weak<Pipe>>>,
    /// The names of its sockets.
    pub(crate) names: Arc<Names>,
    pub(crate) locks: Arc<Locks>,
    /// SHA-256 of the modules in files that were executed.
    pub(crate) executables: Mutex<HashMap<Stamp, [u8; 32]>>,
    /// One permit, for compiling guests' own modules.
    pub(crate) compiling: Arc<Semaphore>,
    /// What compiling them has cost.
    pub(crate) account: Account,
    /// Permits for long host calls.
    pub(crate) offload_permits: Arc<Semaphore>,
    pub(crate) free_permits: Arc<Semaphore>,
    /// Its share of the engine's slots, from the first process on.
    share: OnceLock<Arc<Share>>,
    emptied: Notify,
}

impl Kernel {
    /// A builder for a kernel on `engine` with these files.
    pub fn builder(engine: &Engine, namespace: Namespace) -> KernelBuilder {
        KernelBuilder::new(engine.clone(), namespace)
    }

    /// The sandbox's files.
    pub fn namespace(&self) -> &Namespace {
        &self.inner().namespace
    }

    /// The sandbox's clock.
    pub fn clock(&self) -> &ClockSource {
        &self.inner().clock
    }

    /// What the sandbox uses at this moment.
    pub fn usage(&self) -> Usage {
        let inner = self.inner();
        Usage {
            processes: inner.table.lock().len(),
            memory: inner.memory.load(Ordering::Relaxed),
            pipes: inner.pipes.load(Ordering::Relaxed),
        }
    }

    /// The number of processes, zombies included.
    pub fn processes(&self) -> usize {
        self.inner().table.lock().len()
    }

    /// Kills all processes and waits until they have ended. After that nothing can be started.
    pub async fn shutdown(&self) {
        let inner = self.inner();
        inner.close();
        loop {
            let emptied = inner.emptied.notified();
            if inner.table.lock().len() == 0 {
                return;
            }
            emptied.await;
        }
    }

    /// A new sandbox with a copy of this one's files, the same configuration and no processes. The copy takes constant
    /// time for files in memory. A virtual clock starts again.
    ///
    /// # Errors
    /// [`Error::Busy`] while processes run, [`Error::Filesystem`].
    pub fn fork(&self) -> Result<Kernel, Error> {
        let inner = self.inner();
        let running = inner.table.lock().len();
        if running > 0 {
            return Err(Error::Busy(running));
        }
        Kernel::builder(&inner.engine, inner.namespace.fork()?)
            .clock(inner.clock.kind())
            .random(inner.random)
            .limits(inner.limits.clone())
            .hostname(inner.hostname.clone())
            .owner(inner.owner.0, inner.owner.1)
            .cpus(inner.cpus)
            .build()
    }

    pub(crate) fn inner(&self) -> &Arc<KernelInner> {
        &self.handle.0
    }
}

impl KernelInner {
    /// Charges `bytes` to the sandbox.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`] if that would exceed the limit.
    pub(crate) fn take_memory(&self, bytes: u64) -> Result<(), Limit> {
        let limit = self.limits.sandbox_memory;
        let more = |used: u64| used.checked_add(bytes).filter(|total| *total <= limit);
        let taken = self.memory.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(drop).map_err(|_| Limit::SandboxMemory(limit))
    }
}
