//! From a wasm file to a program: found in memory, shipped with the host program, loaded from the cache on disk, or
//! compiled.
//!
//! The compiler cannot be stopped, so it never works on a thread that a process waits on. Each compilation has a thread
//! of its own with a low priority. Modules of guests are compiled one at a time for each sandbox and a few at a time
//! for the engine; packs one at a time. A process that is killed meanwhile ends at once, and the result is kept for the
//! next request. If several ask for the same code, it is compiled once.

mod carried;
mod compiler;
pub(crate) mod failure;
mod in_progress;
mod program_cache;
mod threads;
mod translate;

use std::sync::Arc;

use sandshell_codegen::Metering;
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

use crate::cache::{CodeId, Origin};
use crate::engine::{Engine, GuestEngine};
use crate::error::{Errno, Error};
use crate::kernel::KernelInner;
use crate::pack::PackProgram;
use crate::program::Program;
use crate::program::component::ComponentProgram;
use crate::program::module::CoreProgram;
use crate::sealed::{Compiled, Sealed};
use carried::carried;
pub use carried::{compile_pack, compiled_file};
pub(crate) use compiler::Compiler;
use failure::{Failure, Result};
use in_progress::{Key, Leader, Role};
pub(crate) use program_cache::ProgramCache;
pub(crate) use translate::translate;

/// The program of a module that a guest brought, and the module's SHA-256. `read` is called in another thread.
pub(crate) async fn guest(
    kernel: &Arc<KernelInner>,
    read: impl FnOnce() -> crate::error::Result<Vec<u8>> + Send + 'static,
) -> Result<(Program, [u8; 32])> {
    let ended = |_| Failure::Errno(Errno::IO);
    let turn = kernel.compiling.clone().acquire_owned().await.map_err(ended)?;
    let worker = kernel.engine.compiler().guests.clone().acquire_owned().await.map_err(ended)?;
    let (sender, receiver) = oneshot::channel();
    let owned = kernel.clone();
    threads::spawn(move || {
        let found = read().map_err(Failure::Errno).and_then(|wasm| {
            let hash: [u8; 32] = Sha256::digest(&wasm).into();
            guest_program(&owned, &hash, &wasm).map(|program| (program, hash))
        });
        drop((turn, worker));
        // The process that asked may have been killed.
        let _ = sender.send(found);
    })
    .map_err(|_| Errno::AGAIN)?;
    // Without an answer, the compiler has panicked.
    receiver.await.unwrap_or(Err(Failure::Errno(Errno::NOEXEC)))
}

fn guest_program(kernel: &Arc<KernelInner>, hash: &[u8; 32], wasm: &[u8]) -> Result<Program> {
    let (engine, metering) = (&kernel.engine, kernel.metering);
    loop {
        if let Some(program) = engine.cached_program(metering, hash) {
            return Ok(program);
        }
        match engine.compiler().compilations.join(Key { metering, hash: *hash }) {
            Role::Leader(leader) => {
                let made = sandshell_codegen::instance_size(wasm)
                    .map_err(|_| Failure::Errno(Errno::NOEXEC))
                    .and_then(|size| {
                        load_or_compile(engine, metering, hash, || Ok(wasm.into()), Some((kernel, size)))
                    });
                return leader.finish(made);
            }
            Role::Follower(compilation) => match compilation.wait() {
                // Another sandbox's budget was used up: try again with this one's.
                Err(Failure::Limit(_)) => {}
                other => return other,
            },
        }
    }
}

/// The program of a pack, which is compiled if necessary.
pub(crate) async fn pack(kernel: &Arc<KernelInner>, pack: &PackProgram) -> Result<Program> {
    let (engine, metering) = (&kernel.engine, kernel.metering);
    if let Some(program) = engine.cached_program(metering, &pack.hash) {
        return Ok(program);
    }
    let compilation = match engine.compiler().compilations.join(Key { metering, hash: pack.hash }) {
        Role::Follower(compilation) => compilation,
        Role::Leader(leader) => {
            let compilation = leader.compilation();
            let (engine, pack) = (engine.clone(), pack.clone());
            threads::spawn(move || {
                let _ = finish_pack(&engine, metering, &pack, leader);
            })
            .map_err(|_| Errno::AGAIN)?;
            compilation
        }
    };
    compilation.wait_async().await
}

/// As [`pack()`], but blocks the calling thread.
fn prepare(engine: &Engine, metering: Metering, pack: &PackProgram) -> Result<Program> {
    if let Some(program) = engine.cached_program(metering, &pack.hash) {
        return Ok(program);
    }
    match engine.compiler().compilations.join(Key { metering, hash: pack.hash }) {
        Role::Follower(compilation) => compilation.wait(),
        Role::Leader(leader) => finish_pack(engine, metering, pack, leader),
    }
}

impl Engine {
    /// Compiles a pack's program for sandboxes with this metering, unless that was done before. Takes about a minute
    /// for a large program and blocks the calling thread. Sandboxes that need the program meanwhile wait for the same
    /// compilation.
    ///
    /// # Errors
    /// [`Error::Engine`] if the file cannot be read, does not have the hash `program.hash`, or is no valid command.
    pub fn prepare(&self, program: &PackProgram, metering: Metering) -> std::result::Result<(), Error> {
        prepare(self, metering, program).map(drop).map_err(|failure| {
            let why = match failure {
                Failure::Invalid(why) => format!("is not a program that can be run here: {why}"),
                Failure::Errno(Errno::INVAL) => "is not the file that its hash says".to_owned(),
                _ => "cannot be read".to_owned(),
            };
            Error::Engine(format!("{} {why}", program.wasm.display()))
        })
    }
}

fn finish_pack(engine: &Engine, metering: Metering, pack: &PackProgram, leader: Leader) -> Result<Program> {
    let read = || {
        let wasm = std::fs::read(&pack.wasm).map_err(|_| Errno::IO)?;
        let hash: [u8; 32] = Sha256::digest(&wasm).into();
        if hash == pack.hash { Ok(wasm.into()) } else { Err(Failure::Errno(Errno::INVAL)) }
    };
    let made = match engine.cached_program(metering, &pack.hash).or_else(|| carried(engine, metering, pack)) {
        Some(program) => Ok(program),
        None => load_or_compile(engine, metering, &pack.hash, read, None),
    };
    leader.finish(made)
}

/// The program with this hash, loaded from the cache on disk or compiled. For a guest's module, `guest` is the sandbox
/// that pays for it and the size of its instances; for a pack it is `None`.
fn load_or_compile<'a>(
    engine: &Engine,
    metering: Metering,
    hash: &[u8; 32],
    wasm: impl FnOnce() -> Result<std::borrow::Cow<'a, [u8]>>,
    guest: Option<(&Arc<KernelInner>, u64)>,
) -> Result<Program> {
    let origin = if guest.is_some() { Origin::Guest } else { Origin::Pack };
    let instances = guest.map(|(_, size)| size);
    // It may have been made between the last check and the start of this compilation.
    if let Some(program) = engine.cached_program(metering, hash) {
        return Ok(program);
    }
    let guest_engine = engine.guest_engine(metering).map_err(|_| Errno::IO)?;
    let id = CodeId { origin, metering, hash, compatibility: guest_engine.compatibility };
    if let Some(code) = engine.cache().and_then(|cache| cache.load(&id)) {
        #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
        // SAFETY: the code bears a tag for exactly this id. The tag was made with a key that only this user's
        // sandshell has, and only `store` below makes one, for code that the compiler has just made. The tag was
        // computed over the sealed copy itself.
        let program = unsafe { load(guest_engine, origin, code, instances) };
        if let Ok(program) = program {
            guest_engine.programs.lock().put(*hash, program.clone());
            return Ok(program);
        }
    }
    let wasm = wasm()?;
    let charge = guest.map(|(kernel, _)| kernel.account.begin(kernel, &wasm)).transpose()?;
    if origin == Origin::Guest {
        // Only from here on: loading from the cache needs no low priority. The thread belongs to this compilation.
        threads::lower_priority();
    }
    let code = {
        let _pack_lock = (origin == Origin::Pack).then(|| engine.compiler().packs.lock());
        let _announcement = engine.announce(origin, hash);
        let threads = if origin == Origin::Pack { threads::processors().min(MAX_THREADS) } else { 1 };
        translate(metering, &wasm, threads)?
    };
    drop(wasm);
    let keep = charge.is_none_or(|charge| charge.finish(code.len()));
    if let Some(cache) = engine.cache().filter(|_| keep) {
        cache.store(&id, &code);
    }
    let sealed = Sealed::of(&code).map_err(|_| Errno::NOMEM)?;
    drop(code);
    #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
    // SAFETY: this is what the compiler has just made.
    let program = unsafe { load(guest_engine, origin, sealed, instances) }?;
    guest_engine.programs.lock().put(*hash, program.clone());
    Ok(program)
}

/// More threads would need more memory for little time.
const MAX_THREADS: usize = 4;

/// Estimated memory of a program besides its code.
const OVERHEAD: u64 = 64 << 10;

/// Loads a program. `instances` is the size of its instances; for trusted code, `None`, it is estimated.
///
/// # Safety
/// As [`Compiled::load`].
#[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
unsafe fn load(
    guest_engine: &GuestEngine,
    origin: Origin,
    code: Sealed,
    instances: Option<u64>,
) -> wasmtime::Result<Program> {
    // The initial contents of memories are part of the code, and are copied once more for new memories.
    let bytes = |range: std::ops::Range<*const u8>| match origin {
        Origin::Guest => {
            ((range.end.addr() - range.start.addr()) as u64).saturating_mul(2).saturating_add(OVERHEAD)
        }
        Origin::Pack => 0,
    };
    if code.is_component() {
        // SAFETY: the caller's promise.
        let component = unsafe { wasmtime::component::Component::load(&guest_engine.engine, code)? };
        let size = bytes(component.image_range());
        let program = ComponentProgram::link(&guest_engine.component_linker, &component, size, instances)?;
        Ok(Program::Component(Arc::new(program)))
    } else {
        // SAFETY: the caller's promise.
        let module = unsafe { wasmtime::Module::load(&guest_engine.engine, code)? };
        let size = bytes(module.image_range());
        Ok(Program::Core(Arc::new(CoreProgram::link(&guest_engine.linker, module, size, instances)?)))
    }
}
