//! What a program takes of its sandbox and of the engine as long as it is executed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::kernel::KernelInner;
use crate::program::Program;
use crate::share::Slot;

/// What a program takes beside its process's own place and the memory that it grows to.
pub(crate) struct Room {
    /// Further places of the engine's pool.
    _slot: Option<Slot>,
    _instances: Instances,
}

/// The host's memory for instances, part of the sandbox's.
pub(crate) struct Instances {
    kernel: Arc<KernelInner>,
    bytes: u64,
}

impl Room {
    /// Takes what `program` needs.
    ///
    /// # Errors
    /// The limit that does not allow it.
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
    /// Takes so many bytes of the sandbox's memory.
    ///
    /// # Errors
    /// The limit, if they are not left.
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
