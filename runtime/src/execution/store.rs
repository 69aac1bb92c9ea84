//! The store of a process.

use std::ops::{Deref, DerefMut};

use wasmtime::Store;

use crate::guest::Guest;

/// A process's store. When a store is dropped, the pool keeps some of its pages in the slot, cleared, which spares the
/// next process page faults. When the pool's unused slots already keep much, this returns the pages to the system
/// first.
pub(crate) struct ProcessStore(Store<Guest>);

/// Bytes that the unused slots of an engine may keep together.
const MAX_RESIDENT: usize = 32 << 20;

impl ProcessStore {
    pub(crate) fn new(store: Store<Guest>) -> ProcessStore {
        ProcessStore(store)
    }
}

impl Deref for ProcessStore {
    type Target = Store<Guest>;

    fn deref(&self) -> &Store<Guest> {
        &self.0
    }
}

impl DerefMut for ProcessStore {
    fn deref_mut(&mut self) -> &mut Store<Guest> {
        &mut self.0
    }
}

impl Drop for ProcessStore {
    fn drop(&mut self) {
        let Some(memory) = self.0.data().memory else { return };
        let metrics = self.0.engine().pooling_allocator_metrics();
        if metrics.is_some_and(|metrics| metrics.unused_memory_bytes_resident() > MAX_RESIDENT) {
            discard_pages(memory.data_mut(&mut self.0));
        }
    }
}

/// Returns a memory's pages to the system. Its contents are lost.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "giving pages back is unsafe by nature; the proof is below")]
fn discard_pages(memory: &mut [u8]) {
    let (start, size) = (memory.as_mut_ptr(), memory.len());
    if !start.addr().is_multiple_of(rustix::param::page_size()) {
        return;
    }
    // SAFETY: the range is a linear memory, borrowed exclusively. Its pages are mapped privately, so on Linux they
    // afterwards have the contents with which they were mapped: the module's image, or zeros. Any values are valid
    // there, and wasmtime itself returns pages in this way when it clears a memory. A linear memory is a multiple of 64
    // KiB long, so there is nothing else on its last page. If the call fails, the pages are cleared and kept as
    // usual.
    let _ = unsafe { rustix::mm::madvise(start.cast(), size, rustix::mm::Advice::LinuxDontNeed) };
}

#[cfg(not(target_os = "linux"))]
fn discard_pages(_: &mut [u8]) {}
