//! The store of a process, whose memory goes back to the system when the engine keeps enough already.

use std::ops::{Deref, DerefMut};

use wasmtime::Store;

use crate::guest::Guest;

/// A process's store. A small part of what its memory took stays with its place in the engine's pool, cleared, which spares the
/// next process page faults; when all places together keep much, the rest goes back.
pub(crate) struct Held(Store<Guest>);

/// How much the unused places of an engine keep together.
const KEPT: usize = 32 << 20;

impl Held {
    pub(crate) fn new(store: Store<Guest>) -> Held {
        Held(store)
    }
}

impl Deref for Held {
    type Target = Store<Guest>;

    fn deref(&self) -> &Store<Guest> {
        &self.0
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Store<Guest> {
        &mut self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(memory) = self.0.data().memory else { return };
        let kept = self.0.engine().pooling_allocator_metrics();
        if kept.is_some_and(|kept| kept.unused_memory_bytes_resident() > KEPT) {
            give_back(memory.data_mut(&mut self.0));
        }
    }
}

/// Gives a memory's pages back, which nobody will look at again.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "giving pages back is unsafe by nature; the proof is below")]
fn give_back(memory: &mut [u8]) {
    let (start, size) = (memory.as_mut_ptr(), memory.len());
    if !start.addr().is_multiple_of(rustix::param::page_size()) {
        return;
    }
    // SAFETY: the range is a linear memory, borrowed exclusively. Its pages are mapped privately, so on Linux they are afterwards as
    // they were mapped: those of the module's image, or zeros. Any values are valid there, and wasmtime itself gives them back in
    // this way when it clears the memory. It is linear memory of a multiple of 64 KiB, so there is nothing else on its last page.
    // If it fails, the pages are cleared and kept as others.
    let _ = unsafe { rustix::mm::madvise(start.cast(), size, rustix::mm::Advice::LinuxDontNeed) };
}

#[cfg(not(target_os = "linux"))]
fn give_back(_: &mut [u8]) {}
