//! Memory of the host that a program takes while it is executed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::kernel::KernelInner;

/// The host's memory for a program's instances, charged to the sandbox.
pub(crate) struct InstanceMemory {
    kernel: Arc<KernelInner>,
    bytes: u64,
}

impl InstanceMemory {
    /// Charges `bytes` to the sandbox.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`](crate::limits::Limit::SandboxMemory).
    pub(crate) fn take(kernel: &Arc<KernelInner>, bytes: u64) -> Result<InstanceMemory, Error> {
        kernel.take_memory(bytes)?;
        Ok(InstanceMemory { kernel: kernel.clone(), bytes })
    }
}

impl Drop for InstanceMemory {
    fn drop(&mut self) {
        self.kernel.memory.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
