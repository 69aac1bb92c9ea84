//! Code is copied into executable memory: the pages of a signed program's file cannot be made executable.

use std::sync::Arc;

use wasmtime::{CustomCodeMemory, Module};

/// Loads a copy of the code.
#[allow(unsafe_code, reason = "loading precompiled code is unsafe by nature; the proof is below")]
pub(crate) fn load(engine: &wasmtime::Engine, code: &'static [u8]) -> wasmtime::Result<Module> {
    // SAFETY: `Code::Embedded` is documented as trusted output of this build's wasmtime (a mismatch of version or
    // options is refused by its header).
    unsafe { Module::deserialize(engine, code) }
}

/// How an engine makes code executable: wasmtime's own way.
pub(crate) fn code_memory() -> Option<Arc<dyn CustomCodeMemory>> {
    None
}
