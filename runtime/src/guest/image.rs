//! What a process executes.

use std::sync::Arc;

use crate::compile::failure::{Failure, Result};
use crate::error::Error;
use crate::kernel::KernelInner;
use crate::kernel::code::ChargedCode;
use crate::kernel::resources::InstanceMemory;
use crate::process::Identity;
use crate::program::Program;
use crate::share::Slots;

/// A process image: a program with its arguments and environment.
pub(crate) struct Image {
    pub(crate) program: Program,
    pub(crate) identity: Arc<Identity>,
    /// The program's resources, once they are [reserved](Self::reserve).
    pub(crate) resources: Option<ProgramResources>,
    /// Counts the program's code as the sandbox's memory.
    pub(crate) code: Option<Arc<ChargedCode>>,
}

impl Image {
    /// An image whose code is charged to the sandbox.
    pub(crate) fn new(kernel: &Arc<KernelInner>, program: Program, identity: Arc<Identity>) -> Result<Image> {
        let code = ChargedCode::of(kernel, program.as_owner(), program.code()).map_err(Failure::Limit)?;
        Ok(Image { program, identity, resources: None, code })
    }

    /// Takes the resources that the program needs besides its process's own slot.
    pub(crate) fn reserve(&mut self, kernel: &Arc<KernelInner>) -> std::result::Result<(), Error> {
        self.resources = Some(ProgramResources::take(kernel, &self.program)?);
        Ok(())
    }
}

/// Resources of a program besides its process's own slot and its linear memory.
pub(crate) struct ProgramResources {
    /// Further slots of the engine's pool.
    _slots: Option<Slots>,
    _instances: InstanceMemory,
}

impl ProgramResources {
    /// Takes what `program` needs.
    ///
    /// # Errors
    /// The limit that was reached.
    fn take(kernel: &Arc<KernelInner>, program: &Program) -> std::result::Result<ProgramResources, Error> {
        let instances = InstanceMemory::take(kernel, program.size())?;
        let slots = match program.slots().saturating_sub(1) {
            0 => None,
            more => Some(kernel.take_slots(more)?),
        };
        Ok(ProgramResources { _slots: slots, _instances: instances })
    }
}
