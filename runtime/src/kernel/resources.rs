//! Resources that a program takes from its sandbox and from the engine while it is executed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::kernel::KernelInner;
use crate::program::Program;
use crate::share::Slots;

/// Resources of a program besides its process's own slot and its linear memory.
pub(crate) struct ProgramResources {
    /// Further slots of the engine's pool.
    _slots: Option<Slots>,
    _instances: InstanceMemory,
}

/// The host's memory for a program's instances, charged to the sandbox.
pub(crate) struct InstanceMemory {
    kernel: Arc<KernelInner>,
    bytes: u64,
}

impl ProgramResources {
    /// Takes what `program` needs.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn take(kernel: &Arc<KernelInner>, program: &Program) -> Result<ProgramResources, Error> {
        let instances = InstanceMemory::take(kernel, program.size())?;
        let slots = match program.slots().saturating_sub(1) {
            0 => None,
            more => Some(kernel.take_slots(more)?),
        };
        Ok(ProgramResources { _slots: slots, _instances: instances })
    }
}

impl InstanceMemory {
    /// Charges `bytes` to the sandbox.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`].
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
