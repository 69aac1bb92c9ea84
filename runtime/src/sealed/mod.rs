//! Compiled code in memory that nobody can change, and loading it.

#[cfg_attr(not(target_os = "linux"), path = "portable.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
mod system;

pub(crate) use system::{Sealed, Unsealed};

use wasmtime::Engine;

/// A kind of compiled code: a module or a component.
pub(crate) trait Compiled: Sized {
    /// Maps the code and executes it in place.
    ///
    /// # Safety
    /// The code must have been made by wasmtime's compiler in this build, as [`Module::deserialize_open_file`]
    /// requires. [`Sealed`] guarantees that it does not change.
    #[allow(unsafe_code, reason = "names wasmtime's own contract")]
    unsafe fn load(engine: &Engine, code: Sealed) -> wasmtime::Result<Self>;
}
