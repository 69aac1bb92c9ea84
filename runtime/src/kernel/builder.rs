//! The builder of a kernel.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use sandshell_codegen::Metering;
use sandshell_vfs::Namespace;
use tokio::sync::{Notify, Semaphore};

use super::{Handle, Kernel, KernelInner};
use crate::clock::{Clock, ClockSource};
use crate::engine::Engine;
use crate::error::Error;
use crate::kernel::account::Account;
use crate::kernel::code::ChargedPrograms;
use crate::limits::Limits;
use crate::offload::pool::MAX_PER_SANDBOX;
use crate::process::table::ProcessTable;
use crate::process::turns::Turns;
use crate::random::Random;
use crate::scheduler::Scheduler;

/// Builds a [`Kernel`].
pub struct KernelBuilder {
    engine: Engine,
    namespace: Namespace,
    clock: ClockSource,
    random: Random,
    limits: Limits,
    hostname: Vec<u8>,
    owner: (u32, u32),
    cpus: u32,
}

impl KernelBuilder {
    pub(super) fn new(engine: Engine, namespace: Namespace) -> Self {
        Self {
            engine,
            namespace,
            clock: Clock::Real.into(),
            random: Random::Os,
            limits: Limits::default(),
            hostname: b"sandbox".to_vec(),
            owner: (1000, 1000),
            cpus: 0,
        }
    }

    /// The clock. Default [`Clock::Real`]. It becomes the time source of the namespace's filesystems.
    #[must_use]
    pub fn clock(mut self, clock: impl Into<ClockSource>) -> Self {
        self.clock = clock.into();
        self
    }

    /// The source of random bytes. Default [`Random::Os`].
    #[must_use]
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// The limits. Default [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The host name that processes see. Default `sandbox`.
    #[must_use]
    pub fn hostname(mut self, hostname: impl Into<Vec<u8>>) -> Self {
        self.hostname = hostname.into();
        self
    }

    /// User and group of all processes. Default 1000, 1000.
    #[must_use]
    pub fn owner(mut self, uid: u32, gid: u32) -> Self {
        self.owner = (uid, gid);
        self
    }

    /// The number of processors that processes see, and that may compute at once. Default, also for 0: the host's
    /// number, or 1 with the deterministic scheduler.
    #[must_use]
    pub fn cpus(mut self, cpus: u32) -> Self {
        self.cpus = cpus;
        self
    }

    /// Builds the kernel. procfs is mounted at `/proc` if the namespace has that directory or it can be created.
    ///
    /// # Errors
    /// [`Error::Filesystem`]: procfs cannot be mounted.
    pub fn build(self) -> Result<Kernel, Error> {
        let deterministic =
            matches!(self.random, Random::Seeded(_)) || matches!(self.clock.kind(), Clock::Virtual(_));
        let metering =
            if deterministic || self.limits.fuel.is_some() { Metering::Metered } else { Metering::Plain };
        let cpus = match self.cpus {
            0 if deterministic => 1,
            0 => processors(),
            cpus => cpus,
        };
        self.namespace.set_time_source(Arc::new(self.clock.clone()));
        let inner = Arc::new(KernelInner {
            engine: self.engine,
            namespace: self.namespace,
            scheduler: deterministic.then(|| Scheduler::new(self.clock.clone())),
            clock: self.clock,
            random: self.random,
            limits: self.limits,
            hostname: self.hostname,
            owner: self.owner,
            cpus,
            turns: Turns::new(cpus),
            metering,
            table: Mutex::new(ProcessTable::new()),
            background: Arc::default(),
            memory: AtomicU64::new(0),
            charged_programs: ChargedPrograms::default(),
            pipes: Arc::default(),
            // Lower numbers are reserved for standard input and the outputs.
            next_pipe: AtomicU64::new(16),
            fifos: Mutex::default(),
            names: Arc::default(),
            locks: Arc::default(),
            executables: Mutex::default(),
            compiling: Arc::new(Semaphore::new(1)),
            account: Account::default(),
            offload_permits: Arc::new(Semaphore::new(MAX_PER_SANDBOX)),
            free_permits: Arc::new(Semaphore::new(MAX_PER_SANDBOX)),
            share: OnceLock::new(),
            emptied: Notify::new(),
        });
        crate::procfs::mount(&inner)?;
        Ok(Kernel { handle: Arc::new(Handle(inner)) })
    }
}

/// The number of the host's processors. Counted once, because that takes as long as all the rest of creating a kernel.
fn processors() -> u32 {
    static COUNTED: OnceLock<u32> = OnceLock::new();
    *COUNTED.get_or_init(|| {
        std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(1))
    })
}
