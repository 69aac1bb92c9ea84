//! The system image: the programs that come with the sandbox, and how their compiled code is loaded.

use std::path::PathBuf;

use sandshell_codegen::Metering;
use wasmtime::Module;

use crate::cache::{CodeId, CompilationCache, Origin};
use crate::compile::translate;
use crate::in_place;
use crate::sealed::{Compiled, Sealed};

/// The programs and commands of a system.
#[derive(Debug, Default)]
pub struct SystemImage {
    /// The precompiled modules.
    pub programs: Vec<SystemProgram>,
    /// Which module serves which command: (applet, module name).
    pub commands: Vec<(&'static str, &'static str)>,
    /// Paths of the host that belong to the system, and that no sandbox may change through any mount: see
    /// [`Engine::withheld`](crate::Engine::withheld).
    pub reserved: Vec<PathBuf>,
}

/// One module of a [`SystemImage`].
#[derive(Debug)]
pub struct SystemProgram {
    /// The name that `sandshell.program` sections refer to.
    pub name: &'static str,
    /// Its code.
    pub code: Code,
}

/// Where a module's code comes from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Code {
    /// Code precompiled with [`sandshell_codegen::portable_config`] and embedded in this program, once for each
    /// metering.
    ///
    /// The bytes are trusted: if they were not produced by the wasmtime of this build, the behaviour is undefined.
    Embedded {
        /// For [`Metering::Plain`]. It is executed in place on Linux, so it must be aligned with
        /// [`sandshell_codegen::Aligned`]; elsewhere, and if it is not aligned, it is copied.
        plain: &'static [u8],
        /// For [`Metering::Metered`].
        metered: PackedCode,
    },
    /// A wasm module, compiled when the program first runs.
    Wasm(Vec<u8>),
    /// A file with a wasm module, compiled when the program first runs.
    WasmFile(PathBuf),
}

/// Code that few sandboxes need: compressed in the program, and unpacked once into the engine's cache, if it has one.
#[derive(Clone, Copy, Debug)]
pub struct PackedCode {
    /// The code, compressed with [`sandshell_codegen::pack`].
    pub packed: &'static [u8],
    /// The SHA-256 of `packed`, by which the cache knows the code.
    pub hash: [u8; 32],
}

impl Code {
    pub(crate) fn load(
        &self,
        engine: &wasmtime::Engine,
        metering: Metering,
        cache: Option<&CompilationCache>,
    ) -> wasmtime::Result<Module> {
        let _delay = crate::fork::delay_forks();
        match self {
            Code::Embedded { plain, .. } if metering == Metering::Plain => in_place::load(engine, plain),
            Code::Embedded { metered, .. } => unpacked(engine, metered, cache),
            Code::Wasm(bytes) => compiled(engine, metering, bytes),
            Code::WasmFile(path) => compiled(engine, metering, &std::fs::read(path)?),
        }
    }
}

fn unpacked(
    engine: &wasmtime::Engine,
    code: &PackedCode,
    cache: Option<&CompilationCache>,
) -> wasmtime::Result<Module> {
    // What is packed was compiled for all processors, so nothing else determines the code.
    let (origin, metering) = (Origin::Pack, Metering::Metered);
    let id = CodeId { origin, metering, hash: &code.hash, compatibility: 0 };
    if let Some(sealed) = cache.and_then(|cache| cache.load(&id)) {
        #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
        // SAFETY: the sealed copy bears a tag for this id, which only `store` below makes, with a key that only this
        // user's sandshell has: it is the code that the program of this hash carries.
        let loaded = unsafe { Module::load(engine, sealed) };
        if loaded.is_ok() {
            return loaded;
        }
    }
    let mut bytes = Vec::new();
    sandshell_codegen::unpack(code.packed, &mut bytes)?;
    if let Some(cache) = cache {
        cache.store(&id, &bytes);
    }
    #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
    // SAFETY: `Code::Embedded` is documented as trusted output of this build's wasmtime.
    unsafe {
        Module::load(engine, Sealed::of(&bytes)?)
    }
}

fn compiled(engine: &wasmtime::Engine, metering: Metering, wasm: &[u8]) -> wasmtime::Result<Module> {
    let code = Sealed::of(&translate(metering, wasm, 1)?)?;
    #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
    // SAFETY: this is what the compiler has just made.
    unsafe {
        Module::load(engine, code)
    }
}
