//! What a sandbox has spent on compilation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::compile::failure::{Failure, Result};
use crate::error::Errno;
use crate::kernel::KernelInner;
use crate::limits::Limit;

/// Compilations over a sandbox's life.
#[derive(Default)]
pub(crate) struct Account {
    modules: AtomicU32,
    nanos: AtomicU64,
    /// Bytes in the cache on disk.
    stored: AtomicU64,
}

/// Bytes that one sandbox can put into the cache on disk, so that most of it remains for others.
const MAX_STORED: u64 = 32 << 20;

/// One compilation. Its memory counts as the sandbox's until it ends.
pub(crate) struct Charge<'a> {
    kernel: &'a Arc<KernelInner>,
    memory: u64,
    started: Duration,
    ended: bool,
}

impl Account {
    /// Charges the compilation of this module to the sandbox's budgets.
    ///
    /// # Errors
    /// The budget that is used up.
    pub(crate) fn begin<'a>(&self, kernel: &'a Arc<KernelInner>, wasm: &[u8]) -> Result<Charge<'a>> {
        let limits = &kernel.limits;
        let spent = Duration::from_nanos(self.nanos.load(Ordering::Relaxed));
        if spent >= limits.compile_time {
            return Err(Failure::Limit(Limit::CompileTime(limits.compile_time)));
        }
        let memory = estimated_memory(wasm)?;
        kernel.take_memory(memory).map_err(Failure::Limit)?;
        let charge = Charge { kernel, memory, started: processor_time(), ended: false };
        let modules = &self.modules;
        let counted = modules.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |modules| {
            modules.checked_add(1).filter(|modules| *modules <= limits.modules)
        });
        match counted {
            Ok(_) => Ok(charge),
            Err(_) => Err(Failure::Limit(Limit::Modules(limits.modules))),
        }
    }
}

impl Charge<'_> {
    /// Ends the compilation. Returns whether its result may be kept on disk.
    pub(crate) fn finish(mut self, code: usize) -> bool {
        self.end();
        let code = code as u64;
        let stored = &self.kernel.account.stored;
        let allowed = stored.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |stored| {
            stored.checked_add(code).filter(|stored| *stored <= MAX_STORED)
        });
        allowed.is_ok()
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            let spent = processor_time().saturating_sub(self.started);
            let nanos = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
            self.kernel.account.nanos.fetch_add(nanos, Ordering::Relaxed);
            self.kernel.memory.fetch_sub(self.memory, Ordering::Relaxed);
        }
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Processor time of the calling thread: a guest's module is compiled in one thread.
#[cfg(unix)]
fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Time that has passed, which is never less than the thread's processor time.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Estimates the memory that compiling this takes at most, in bytes.
fn estimated_memory(wasm: &[u8]) -> Result<u64> {
    let code = sandshell_codegen::code_size(wasm).map_err(|_| Errno::NOEXEC)?;
    Ok(code.saturating_mul(MEMORY_PER_BYTE).saturating_add(4 * wasm.len() as u64).saturating_add(MEMORY_BASE))
}

/// Memory for each byte of a module's code. For comparison: CPython has 6.7 MB of code in 31 MB, and compiling it takes
/// 0.4 GB.
const MEMORY_PER_BYTE: u64 = 64;
const MEMORY_BASE: u64 = 4 << 20;
