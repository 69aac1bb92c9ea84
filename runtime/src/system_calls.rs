//! The system calls that all engines have.

use wasmtime::Linker;

use crate::engine::{Engine, EngineOptions, SystemCalls};
use crate::error::Error;
use crate::guest::Guest;
use crate::{abi, wasi_p1, wasi_p2};

impl Engine {
    /// An engine for `options`. Nothing is compiled or loaded until a process needs it.
    ///
    /// # Errors
    /// [`Error::Cache`] if the cache directory cannot be used.
    pub fn new(options: EngineOptions) -> Result<Engine, Error> {
        Engine::with(options, SystemCalls { core, component: wasi_p2::add_to_linker })
    }
}

fn core(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    wasi_p1::add_to_linker(linker)?;
    abi::add_to_linker(linker)
}
