//! The code of guests' own modules that a sandbox's processes execute.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::program::Program;

/// What a sandbox holds, by the programs' addresses.
#[derive(Default)]
pub(crate) struct Holdings(Mutex<HashMap<usize, Weak<HeldCode>>>);

/// The code of a program, which is part of a sandbox's memory as long as one of its processes executes it: once, however many do,
/// and in each sandbox, as each of them keeps it where it is.
pub(crate) struct HeldCode {
    kernel: Arc<KernelInner>,
    /// As long as it is here, no other program has its address.
    program: Program,
}

impl HeldCode {
    /// Counts the code of `program`, unless it is the host's own or is counted already.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`].
    pub(crate) fn of(kernel: &Arc<KernelInner>, program: &Program) -> Result<Option<Arc<HeldCode>>, Limit> {
        if program.code() == 0 {
            return Ok(None);
        }
        let mut holdings = kernel.holdings.0.lock();
        if let Some(held) = holdings.get(&program.address()).and_then(Weak::upgrade) {
            return Ok(Some(held));
        }
        kernel.take_memory(program.code())?;
        let held = Arc::new(HeldCode { kernel: kernel.clone(), program: program.clone() });
        holdings.insert(program.address(), Arc::downgrade(&held));
        Ok(Some(held))
    }
}

impl Drop for HeldCode {
    fn drop(&mut self) {
        self.kernel.memory.fetch_sub(self.program.code(), Ordering::Relaxed);
        let mut holdings = self.kernel.holdings.0.lock();
        // It may have been counted anew meanwhile.
        if holdings.get(&self.program.address()).is_some_and(|held| held.strong_count() == 0) {
            holdings.remove(&self.program.address());
        }
    }
}
