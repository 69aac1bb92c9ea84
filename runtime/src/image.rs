//! The system image: the programs that come with the sandbox, and how their compiled code is loaded.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::ptr::NonNull;

use parking_lot::Mutex;
use sandshell_codegen::Metering;
use wasmtime::{CustomCodeMemory, Module};

use crate::compile::translate;
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
    /// Code precompiled with [`sandshell_codegen::config`] and embedded in this program, once for each metering. It is
    /// executed in place, so it must be aligned with [`sandshell_codegen::Aligned`]; unaligned code is copied.
    ///
    /// The bytes are trusted: if they were not produced by the wasmtime of this build, the behaviour is undefined.
    Embedded {
        /// For [`Metering::Plain`].
        plain: &'static [u8],
        /// For [`Metering::Metered`].
        metered: &'static [u8],
    },
    /// A wasm module, compiled when the program first runs.
    Wasm(Vec<u8>),
    /// A file with a wasm module, compiled when the program first runs.
    WasmFile(PathBuf),
}

impl Code {
    pub(crate) fn load(&self, engine: &wasmtime::Engine, metering: Metering) -> wasmtime::Result<Module> {
        let _delay = crate::fork::delay_forks();
        match self {
            Code::Embedded { plain, metered } => {
                load_static(engine, if metering == Metering::Plain { plain } else { metered })
            }
            Code::Wasm(bytes) => compiled(engine, metering, bytes),
            Code::WasmFile(path) => compiled(engine, metering, &std::fs::read(path)?),
        }
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

fn load_static(engine: &wasmtime::Engine, code: &'static [u8]) -> wasmtime::Result<Module> {
    #[allow(unsafe_code, reason = "loading precompiled code is unsafe by nature; the proofs are below")]
    if code.as_ptr().addr().is_multiple_of(CODE_ALIGN) && claim(code) {
        // SAFETY: `Code::Embedded` is documented as trusted output of this build's wasmtime (a mismatch of version or
        // options is refused by its header). The bytes are static, so they outlive the module, and immutable.
        unsafe { Module::deserialize_raw(engine, NonNull::from(code)) }
    } else {
        // SAFETY: as above; this copies the code.
        unsafe { Module::deserialize(engine, code) }
    }
}

/// Whether the caller may execute the code in place. wasmtime registers code by its address, so only one engine of the
/// program may; others get a copy.
fn claim(code: &'static [u8]) -> bool {
    static CLAIMED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    CLAIMED.lock().insert(code.as_ptr().addr())
}

/// The alignment that code needs to be executed in place: the largest page size in use.
const CODE_ALIGN: usize = 65536;

/// Makes code executable in place, by changing the protection of its pages.
pub(crate) struct ExecutableMemory;

impl CustomCodeMemory for ExecutableMemory {
    fn required_alignment(&self) -> usize {
        rustix::param::page_size()
    }

    fn publish_executable(&self, ptr: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(ptr, len, rustix::mm::MprotectFlags::READ | rustix::mm::MprotectFlags::EXEC)
    }

    fn unpublish_executable(&self, ptr: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(ptr, len, rustix::mm::MprotectFlags::READ)
    }
}

#[allow(unsafe_code, reason = "changing a page's protection is unsafe by nature; the proof is below")]
fn protect(ptr: *const u8, len: usize, flags: rustix::mm::MprotectFlags) -> wasmtime::Result<()> {
    if len == 0 {
        return Ok(());
    }
    // SAFETY: wasmtime passes page-aligned ranges of code memory that it owns, or of the static code that it was given.
    // That memory holds compiled code and constants only: nothing writes to it while it is read-only.
    unsafe { rustix::mm::mprotect(ptr.cast_mut().cast(), len, flags) }.map_err(std::io::Error::from)?;
    Ok(())
}
