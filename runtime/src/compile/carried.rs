//! Compiled code that is shipped with a program for its packs.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sandshell_codegen::{Metering, TARGET, portable_config};
use sha2::{Digest, Sha256};

use super::load;
use super::translate::translate_with;
use crate::cache::Origin;
use crate::engine::Engine;
use crate::error::Error;
use crate::pack::PackProgram;
use crate::program::Program;
use crate::sealed::Sealed;

/// Larger files are not read.
const MAX_CODE: u64 = 2 << 30;
/// Bytes that are read, hashed and written at a time.
const PIECE: usize = 256 << 10;

/// The file that holds the compiled code of a pack's module.
pub fn compiled_file(module: &Path) -> PathBuf {
    module.with_extension("code")
}

/// Compiles a pack's module ahead of time, without metering, for this version and for every processor of this kind
/// from 2013 on. Writes it to [`compiled_file`] and returns that path.
///
/// # Errors
/// [`Error::Engine`] if it cannot be read, compiled or written.
pub fn compile_pack(module: &Path) -> Result<PathBuf, Error> {
    let failed = |what: &str| Error::Engine(format!("{}: {what}", module.display()));
    let wasm = std::fs::read(module).map_err(|error| failed(&error.to_string()))?;
    let threads = super::threads::processors().min(super::MAX_THREADS);
    let code = portable_config(Metering::Plain, TARGET)
        .and_then(|config| translate_with(config, &wasm, threads))
        .map_err(|error| failed(&error.to_string()))?;
    let to = compiled_file(module);
    std::fs::write(&to, code).map_err(|error| failed(&error.to_string()))?;
    Ok(to)
}

/// The program of a pack, if its compiled code is shipped with the host program.
pub(super) fn carried(engine: &Engine, metering: Metering, pack: &PackProgram) -> Option<Program> {
    let all = &engine.options().carried;
    let known = all.iter().find(|known| known.module == pack.hash && metering == Metering::Plain)?;
    let sealed = copy_if_hash(&compiled_file(&pack.wasm), known.code)?;
    let guest_engine = engine.guest_engine(metering).ok()?;
    #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
    // SAFETY: the sealed copy has the hash that the host program was built with. Whoever built that program made this
    // code with `compile_pack`, and vouches for it as for the program's own code. wasmtime refuses code of another
    // version or for another processor.
    let program = unsafe { load(guest_engine, Origin::Pack, sealed, None) }.ok()?;
    guest_engine.programs.lock().put(pack.hash, program.clone());
    Some(program)
}

/// An immutable copy of a file, if the copy has this hash.
fn copy_if_hash(path: &Path, hash: [u8; 32]) -> Option<Sealed> {
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
