//! Code is executed where it lies in the program's file.

use std::collections::BTreeSet;
use std::ptr::NonNull;
use std::sync::Arc;

use parking_lot::Mutex;
use wasmtime::{CustomCodeMemory, Module};

/// Loads the code, where it lies if that is possible.
pub(crate) fn load(engine: &wasmtime::Engine, code: &'static [u8]) -> wasmtime::Result<Module> {
    #[allow(unsafe_code, reason = "loading precompiled code is unsafe by nature; the proofs are below")]
    if code.as_ptr().addr().is_multiple_of(CODE_ALIGN) && claim(code) {
        // SAFETY: `Code::Embedded` is documented as trusted output of this build's wasmtime (a mismatch of version or
        // options is refused by its header). The bytes are static, so they outlive the module, and immutable.
        unsafe { Module::deserialize_raw(engine, NonNull::from(code)) }
    } else {
        // SAFETY: as above; this copies the code.
        unsafe { Module::deserialize(engine, code) }
    }
}

/// Whether the caller may execute the code in place. wasmtime registers code by its address, so only one engine of the
/// program may; others get a copy.
fn claim(code: &'static [u8]) -> bool {
    static CLAIMED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    CLAIMED.lock().insert(code.as_ptr().addr())
}

/// The alignment that code needs to be executed in place: the largest page size in use.
const CODE_ALIGN: usize = 65536;

/// How an engine makes code executable.
pub(crate) fn code_memory() -> Option<Arc<dyn CustomCodeMemory>> {
    Some(Arc::new(ExecutableMemory))
}

/// Makes code executable in place, by changing the protection of its pages.
struct ExecutableMemory;

impl CustomCodeMemory for ExecutableMemory {
    fn required_alignment(&self) -> usize {
        rustix::param::page_size()
    }

    fn publish_executable(&self, ptr: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(ptr, len, rustix::mm::MprotectFlags::READ | rustix::mm::MprotectFlags::EXEC)
    }

    fn unpublish_executable(&self, ptr: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(ptr, len, rustix::mm::MprotectFlags::READ)
    }
}

#[allow(unsafe_code, reason = "changing a page's protection is unsafe by nature; the proof is below")]
fn protect(ptr: *const u8, len: usize, flags: rustix::mm::MprotectFlags) -> wasmtime::Result<()> {
    if len == 0 {
        return Ok(());
    }
    // SAFETY: wasmtime passes page-aligned ranges of code memory that it owns, or of the static code that it was given.
    // That memory holds compiled code and constants only: nothing writes to it while it is read-only.
    unsafe { rustix::mm::mprotect(ptr.cast_mut().cast(), len, flags) }.map_err(std::io::Error::from)?;
    Ok(())
}
