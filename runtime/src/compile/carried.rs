//! Compiled code that a program brings for its packs.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sandshell_codegen::Metering;
use sha2::{Digest, Sha256};

use super::{load, translate};
use crate::cache::Origin;
use crate::engine::Engine;
use crate::error::Error;
use crate::pack::PackProgram;
use crate::program::Program;
use crate::sealed::Sealed;

/// What a program knows of compiled code that comes with it, in a file beside a pack's module ([`compiled_file`]). It is
/// executed if it is this very code, made by this version for such a processor; else the module is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedCode {
    /// The SHA-256 of the pack's module.
    pub module: [u8; 32],
    /// The SHA-256 of the file that [`compile_pack`] wrote.
    ///
    /// Whoever says it vouches for the code: it is the host's to execute. So it must come from where the program itself comes
    /// from, never from the pack.
    pub code: [u8; 32],
}

/// Larger files are not read.
const MAX_CODE: u64 = 2 << 30;
/// What is read, hashed and written at a time.
const PIECE: usize = 256 << 10;

/// Where the compiled code of a pack's module is carried.
pub fn compiled_file(module: &Path) -> PathBuf {
    module.with_extension("code")
}

/// Compiles a pack's module for programs that carry it: unmetered, for this version and a processor as this one. Returns the
/// file's path.
///
/// # Errors
/// [`Error::Engine`] if it cannot be read, compiled or written.
pub fn compile_pack(module: &Path) -> Result<PathBuf, Error> {
    let failed = |what: &str| Error::Engine(format!("{}: {what}", module.display()));
    let wasm = std::fs::read(module).map_err(|error| failed(&error.to_string()))?;
    let threads = super::threads::processors().min(super::MAX_THREADS);
    let code = translate(Metering::Plain, &wasm, threads).map_err(|error| failed(&error.to_string()))?;
    let to = compiled_file(module);
    std::fs::write(&to, code).map_err(|error| failed(&error.to_string()))?;
    Ok(to)
}

/// The program of a pack whose code the engine's program carries.
pub(super) fn carried(engine: &Engine, metering: Metering, pack: &PackProgram) -> Option<Program> {
    let all = &engine.options().carried;
    let known = all.iter().find(|known| known.module == pack.hash && metering == Metering::Plain)?;
    let sealed = copied(&compiled_file(&pack.wasm), known.code)?;
    let metered = engine.metered(metering).ok()?;
    #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
    // SAFETY: the sealed copy has the hash that this engine's program brought with it. Who made the program vouches for what
    // has that hash, as for the program's own code, and made it by `compile_pack`; what another version or processor needs is
    // told apart by wasmtime.
    let program = unsafe { load(metered, Origin::Pack, sealed, None) }.ok()?;
    metered.shelf.lock().put(pack.hash, program.clone());
    Some(program)
}

/// A copy of a file that nobody can change, if that has this hash.
fn copied(path: &Path, hash: [u8; 32]) -> Option<Sealed> {
    let mut from = File::open(path).ok()?.take(MAX_CODE);
    let mut hasher = Sha256::new();
    let sealed = Sealed::copy(|to| {
        let mut piece = vec![0; PIECE];
        loop {
            let read = from.read(&mut piece)?;
            let read = piece.get(..read).unwrap_or_default();
            if read.is_empty() {
                return Ok(());
            }
            hasher.update(read);
            to.write_all(read)?;
        }
    });
    let found: [u8; 32] = hasher.finalize().into();
    (found == hash).then_some(sealed.ok()?)
}
