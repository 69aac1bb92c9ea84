//! The budget of a process's memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wasmtime::ResourceLimiter;

use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::Process;

/// Charges a process's linear memories and tables to its own limit and to the sandbox's, and refuses growth beyond
/// them.
pub(crate) struct MemoryBudget {
    kernel: Arc<KernelInner>,
    process: Arc<Process>,
    charged: u64,
}

impl MemoryBudget {
    pub(crate) fn new(kernel: Arc<KernelInner>, process: Arc<Process>) -> MemoryBudget {
        MemoryBudget { kernel, process, charged: 0 }
    }
}

impl Drop for MemoryBudget {
    fn drop(&mut self) {
        self.kernel.memory.fetch_sub(self.charged, Ordering::Relaxed);
    }
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.charge(desired.saturating_sub(current) as u64))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > MAX_TABLE || maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.charge((desired.saturating_sub(current) as u64).saturating_mul(TABLE_ELEMENT)))
    }
}

impl MemoryBudget {
    /// Charges `growth` bytes. Returns whether the limits allow it.
    fn charge(&mut self, growth: u64) -> bool {
        let limits = &self.kernel.limits;
        let own = self.process.address_space().min(limits.process_memory);
        // A component can have several memories.
        if self.charged.saturating_add(growth) > own {
            // A lower limit that the process has set itself is not reported to the host.
            if own == limits.process_memory {
                self.process.job.record_limit(Limit::ProcessMemory(own));
            }
            return false;
        }
        if let Err(limit) = self.kernel.take_memory(growth) {
            self.process.job.record_limit(limit);
            return false;
        }
        self.charged += growth;
        self.process.memory.store(self.charged, Ordering::Relaxed);
        true
    }
}

/// The most elements of one table.
const MAX_TABLE: usize = 100_000;
/// Table elements are host memory too: eight bytes each.
const TABLE_ELEMENT: u64 = 8;
