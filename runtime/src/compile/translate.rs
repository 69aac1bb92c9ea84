//! The compiler.

use sandshell_codegen::{Metering, in_pieces};

use super::threads;
use crate::program::file::{Format, format};

/// Compiles a module or component for engines of this metering.
///
/// An engine of its own is used and dropped, because the compiler keeps memory of everything it has compiled as long as
/// its engine lives.
pub(crate) fn translate(metering: Metering, wasm: &[u8], threads: usize) -> wasmtime::Result<Vec<u8>> {
    translate_with(sandshell_codegen::config(metering), wasm, threads)
}

/// As [`translate`], with a configuration that is compatible with the engines'.
pub(crate) fn translate_with(
    mut config: wasmtime::Config,
    wasm: &[u8],
    threads: usize,
) -> wasmtime::Result<Vec<u8>> {
    let wasm = in_pieces(wasm)?;
    config.parallel_compilation(threads > 1);
    let engine = wasmtime::Engine::new(&config)?;
    let work = || {
        if format(&wasm) == Format::Component {
            engine.precompile_component(&wasm)
        } else {
            engine.precompile_module(&wasm)
        }
    };
    if threads > 1
        && let Some(code) = threads::parallel(threads, work)
    {
        return code;
    }
    work()
}
