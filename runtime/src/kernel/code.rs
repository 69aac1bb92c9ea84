//! Charges the code of guests' own modules to the sandboxes that execute it.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::kernel::KernelInner;
use crate::limits::Limit;

/// The programs whose code is charged to a sandbox, by their addresses.
#[derive(Default)]
pub(crate) struct ChargedPrograms(Mutex<HashMap<usize, Weak<ChargedCode>>>);

/// Charges a program's code to a sandbox's memory as long as one of its processes executes the program. Within a
/// sandbox the code is charged once, however many processes execute it; but each sandbox is charged, because each keeps
/// the code in memory.
pub(crate) struct ChargedCode {
    kernel: Arc<KernelInner>,
    /// Keeps the program alive, so that no other program gets its address.
    program: Arc<dyn Any + Send + Sync>,
    bytes: u64,
}

impl ChargedCode {
    /// Charges the `bytes` of the code of `program`, or returns the existing charge. `None` for programs of the host,
    /// whose code counts nothing.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`].
    pub(crate) fn of(
        kernel: &Arc<KernelInner>,
        program: Arc<dyn Any + Send + Sync>,
        bytes: u64,
    ) -> Result<Option<Arc<ChargedCode>>, Limit> {
        if bytes == 0 {
            return Ok(None);
        }
        let mut charged_programs = kernel.charged_programs.0.lock();
        let address = Arc::as_ptr(&program).addr();
        if let Some(held) = charged_programs.get(&address).and_then(Weak::upgrade) {
            return Ok(Some(held));
        }
        kernel.take_memory(bytes)?;
        let held = Arc::new(ChargedCode { kernel: kernel.clone(), program, bytes });
        charged_programs.insert(address, Arc::downgrade(&held));
        Ok(Some(held))
    }
}

impl Drop for ChargedCode {
    fn drop(&mut self) {
        self.kernel.memory.fetch_sub(self.bytes, Ordering::Relaxed);
        let mut charged_programs = self.kernel.charged_programs.0.lock();
        // It may have been charged again meanwhile.
        let address = Arc::as_ptr(&self.program).addr();
        if charged_programs.get(&address).is_some_and(|held| held.strong_count() == 0) {
            charged_programs.remove(&address);
        }
    }
}
