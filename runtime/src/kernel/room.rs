//! Resources that a program takes from its sandbox and from the engine while it is executed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::kernel::KernelInner;
use crate::program::Program;
use crate::share::Slot;

/// Resources of a program besides its process's own slot and its linear memory.
pub(crate) struct Room {
    /// Further slots of the engine's pool.
    _slot: Option<Slot>,
    _instances: Instances,
}

/// The host's memory for a program's instances, charged to the sandbox.
pub(crate) struct Instances {
    kernel: Arc<KernelInner>,
    bytes: u64,
}

impl Room {
    /// Takes what `program` needs.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn take(kernel: &Arc<KernelInner>, program: &Program) -> Result<Room, Error> {
        let instances = Instances::take(kernel, program.size())?;
        let slot = match program.places().saturating_sub(1) {
            0 => None,
            more => Some(kernel.slot(more)?),
        };
        Ok(Room { _slot: slot, _instances: instances })
    }
}

impl Instances {
    /// Charges `bytes` to the sandbox.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`].
    pub(crate) fn take(kernel: &Arc<KernelInner>, bytes: u64) -> Result<Instances, Error> {
        kernel.take_memory(bytes)?;
        Ok(Instances { kernel: kernel.clone(), bytes })
    }
}

impl Drop for Instances {
    fn drop(&mut self) {
        self.kernel.memory.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
