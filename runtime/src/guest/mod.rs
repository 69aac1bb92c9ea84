//! The data of a running program's store.

pub(crate) mod budget;
pub(crate) mod component;
pub(crate) mod image;
pub(crate) mod memory;

use std::sync::Arc;

use sandshell_vfs::Context;
use wasmtime::Memory;

use crate::kernel::KernelInner;
use crate::kernel::code::ChargedCode;
use crate::process::Process;
use crate::program::module::CoreProgram;
use crate::random::RandomStream;
use budget::MemoryBudget;
use image::Image;

pub(crate) use memory::{Mem, split};

/// The data of a core module's store.
pub(crate) struct Guest {
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) process: Arc<Process>,
    pub(crate) program: Arc<CoreProgram>,
    /// Counts the program's code as the sandbox's memory.
    pub(crate) code: Option<Arc<ChargedCode>>,
    pub(crate) memory: Option<Memory>,
    pub(crate) random: RandomStream,
    /// The image that replaces this program after exec.
    pub(crate) exec: Option<Image>,
    pub(crate) budget: MemoryBudget,
}

impl Guest {
    pub(crate) fn new(
        kernel: Arc<KernelInner>,
        process: Arc<Process>,
        program: Arc<CoreProgram>,
        code: Option<Arc<ChargedCode>>,
    ) -> Guest {
        let random = RandomStream::new(kernel.random, process.pid);
        let budget = MemoryBudget::new(kernel.clone(), process.clone());
        Guest { kernel, process, program, code, memory: None, random, exec: None, budget }
    }

    /// The process's identity, for the filesystem.
    pub(crate) fn context(&self) -> Context {
        self.process.context()
    }
}
