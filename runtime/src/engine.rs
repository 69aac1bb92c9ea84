//! The engine: one per program, shared by all sandboxes.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use sandshell_codegen::{MAX_INSTANCE, MAX_INSTANCES, Metering, config};
use sandshell_vfs::Withheld;
use wasmtime::{InstanceAllocationStrategy, Linker, PoolingAllocationConfig, component};

use crate::cache::{CompilationCache, Origin, key_path};
use crate::compile::{Compiler, ProgramCache};
use crate::error::Error;
use crate::execution::pagemap::Pagemap;
use crate::guest::Guest;
use crate::guest::component::State;
use crate::image::SystemImage;
use crate::offload::pool::Pool;
use crate::pack::{CarriedCode, PackProgram};
use crate::program::Program;
use crate::program::module::CoreProgram;
use crate::share::{SlotPool, TABLES_PER_SLOT};
use crate::ticker::Ticker;

/// What an [`Engine`] is built from.
#[derive(Debug)]
pub struct EngineOptions {
    /// The programs and commands that come with the system.
    pub image: SystemImage,
    /// Programs that users have added.
    pub packs: Vec<PackProgram>,
    /// Directory that keeps the compiled code of users' own modules between runs. It is created with mode 0700 if
    /// absent, and refused if it belongs to another user or if others can write to it. `None`: compiled code is kept in
    /// memory only.
    ///
    /// Entries are authenticated with a key, which is stored in a file beside the directory: its name with `.key`
    /// added. The directory holds at most 128 MiB of modules that guests brought and 2 GiB of packs; the least recently
    /// used entries are removed first.
    pub cache_dir: Option<PathBuf>,
    /// Compiled code that is shipped with this program for its packs, in files beside their modules. Default: none.
    pub carried: Vec<CarriedCode>,
    /// Notified when a pack starts to be compiled, which takes a while. Default: nobody.
    pub announce: Option<Announce>,
    /// How many processes can exist at once over all sandboxes of this engine. Default 1024. Each costs about 8 GiB of
    /// address space, not memory; if the host refuses that much address space, there are fewer. Up to a quarter is
    /// reserved for sandboxes that have few processes (eight for each, and for one sandbox that has not started yet),
    /// so that no sandbox can take all. A component with several memories, or many tables, counts as several processes.
    pub max_processes: u32,
    /// Whether only one sandbox uses the engine, so that no other needs protection from it. Creating the engine then
    /// takes about a millisecond less, and a component with threads may hold more handles. Default false.
    pub exclusive: bool,
    /// The largest module file that is compiled, in bytes. Default 64 MiB. Larger files cannot be executed (`ENOEXEC`).
    pub max_module_size: u64,
}

impl EngineOptions {
    /// Default options with this image.
    pub fn new(image: SystemImage) -> EngineOptions {
        EngineOptions {
            image,
            packs: Vec::new(),
            cache_dir: None,
            carried: Vec::new(),
            announce: None,
            max_processes: 1024,
            exclusive: false,
            max_module_size: 64 << 20,
        }
    }
}

/// A callback for the compilation of packs. It is called with the pack's name when the compilation begins, possibly in
/// another thread. The value that it returns is dropped when the compilation has ended.
#[derive(Clone)]
pub struct Announce(Arc<Tell>);

type Tell = dyn Fn(&str) -> Box<dyn Send> + Send + Sync;

impl Announce {
    /// A callback that calls `tell`.
    pub fn new(tell: impl Fn(&str) -> Box<dyn Send> + Send + Sync + 'static) -> Announce {
        Announce(Arc::new(tell))
    }
}

impl std::fmt::Debug for Announce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Announce")
    }
}

/// The wasm engines (one for each [`Metering`], created at first use), the system image and compiled modules.
///
/// Cheap to clone. Dropping the last clone stops the engine's timer thread.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

pub(crate) struct EngineInner {
    options: EngineOptions,
    calls: SystemCalls,
    cache: Option<CompilationCache>,
    compiler: Compiler,
    withheld: Arc<Withheld>,
    plain: OnceLock<Result<GuestEngine, String>>,
    metered: OnceLock<Result<GuestEngine, String>>,
    ticker: Arc<Ticker>,
    offload_pool: Pool,
    pagemap: OnceLock<Pagemap>,
}

/// What defines the system calls for core modules and for components.
pub(crate) struct SystemCalls {
    pub(crate) core: fn(&mut Linker<Guest>) -> wasmtime::Result<()>,
    pub(crate) component: fn(&mut component::Linker<State>) -> wasmtime::Result<()>,
}

/// One wasmtime engine, its linkers and its programs.
pub(crate) struct GuestEngine {
    pub(crate) engine: wasmtime::Engine,
    pub(crate) linker: Linker<Guest>,
    pub(crate) component_linker: component::Linker<State>,
    /// The slots of the pool.
    pub(crate) slots: Arc<SlotPool>,
    /// How many stacks for threads are set up for each slot.
    pub(crate) stacks_per_slot: u32,
    system: HashMap<&'static str, OnceLock<Result<Arc<CoreProgram>, String>>>,
    /// Programs of packs and of guests' own modules.
    pub(crate) programs: Mutex<ProgramCache>,
    /// Hash of everything besides the module that compiled code depends on.
    pub(crate) compatibility: u64,
}

impl Engine {
    /// An engine for `options` whose guests have these system calls.
    pub(crate) fn with(options: EngineOptions, calls: SystemCalls) -> Result<Engine, Error> {
        sandshell_codegen::check_processor().map_err(Error::Engine)?;
        let cache = options.cache_dir.as_deref().map(CompilationCache::open).transpose()?;
        let withheld = Arc::new(withheld(&options));
        Ok(Engine {
            inner: Arc::new(EngineInner {
                options,
                calls,
                cache,
                compiler: Compiler::new(),
                withheld,
                plain: OnceLock::new(),
                metered: OnceLock::new(),
                ticker: Ticker::new(),
                offload_pool: Pool::default(),
                pagemap: OnceLock::new(),
            }),
        })
    }

    /// The commands of the system image: (applet, module).
    pub fn commands(&self) -> &[(&'static str, &'static str)] {
        &self.inner.options.image.commands
    }

    /// Files and directories that no mount may expose to a sandbox of this engine: places that the system reserves, the
    /// cache of compiled code with its key, and the packs. Open directories of the host that are to be mounted with
    /// [`HostDir::open_withholding`](sandshell_vfs::HostDir::open_withholding).
    pub fn withheld(&self) -> &Arc<Withheld> {
        &self.inner.withheld
    }

    /// The packs' programs.
    pub fn packs(&self) -> &[PackProgram] {
        &self.options().packs
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.inner.options
    }

    pub(crate) fn compiler(&self) -> &Compiler {
        &self.inner.compiler
    }

    /// Announces that a pack is being compiled. Drop the result when that has ended.
    pub(crate) fn announce(&self, origin: Origin, hash: &[u8; 32]) -> Option<Box<dyn Send>> {
        let Announce(tell) = self.inner.options.announce.as_ref().filter(|_| origin == Origin::Pack)?;
        let pack = self.inner.options.packs.iter().find(|pack| pack.hash == *hash);
        Some(tell(pack.map_or("a pack", |pack| &pack.name)))
    }

    pub(crate) fn pack(&self, name: &str) -> Option<&PackProgram> {
        self.inner.options.packs.iter().find(|pack| pack.name == name)
    }

    pub(crate) fn ticker(&self) -> &Arc<Ticker> {
        &self.inner.ticker
    }

    /// The threads for long host calls.
    pub(crate) fn offload_pool(&self) -> &Pool {
        &self.inner.offload_pool
    }

    /// Which pages of memory were written to.
    pub(crate) fn pagemap(&self) -> &Pagemap {
        self.inner.pagemap.get_or_init(Pagemap::open)
    }

    /// Whether only one sandbox uses it.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.inner.options.exclusive
    }

    pub(crate) fn max_module_size(&self) -> u64 {
        self.inner.options.max_module_size
    }

    pub(crate) fn cache(&self) -> Option<&CompilationCache> {
        self.inner.cache.as_ref()
    }

    pub(crate) fn guest_engine(&self, metering: Metering) -> Result<&GuestEngine, Error> {
        let slot = match metering {
            Metering::Plain => &self.inner.plain,
            Metering::Metered => &self.inner.metered,
        };
        let made = slot.get_or_init(|| {
            let made = GuestEngine::new(metering, &self.inner.options, &self.inner.calls)
                .map_err(|error| format!("{error:#}"));
            if let Ok(engine) = &made {
                self.inner.ticker.add(engine.engine.weak());
            }
            made
        });
        made.as_ref().map_err(|message| Error::Engine(message.clone()))
    }

    /// The module `name` of the system image, loaded at first use.
    pub(crate) fn system_program(
        &self,
        metering: Metering,
        name: &str,
    ) -> Result<Option<Arc<CoreProgram>>, Error> {
        let engine = self.guest_engine(metering)?;
        let Some(slot) = engine.system.get(name) else { return Ok(None) };
        let Some(source) = self.inner.options.image.programs.iter().find(|program| program.name == name)
        else {
            return Ok(None);
        };
        let loaded = slot.get_or_init(|| {
            source
                .code
                .load(&engine.engine, metering, self.inner.cache.as_ref())
                .and_then(|module| CoreProgram::link(&engine.linker, module, 0, None))
                .map(Arc::new)
                .map_err(|error| format!("{name}: {error:#}"))
        });
        loaded.clone().map(Some).map_err(Error::Engine)
    }

    /// The compiled program of a pack or of a guest's module, if it is in memory.
    pub(crate) fn cached_program(&self, metering: Metering, hash: &[u8; 32]) -> Option<Program> {
        self.guest_engine(metering).ok()?.programs.lock().get(hash)
    }
}

fn withheld(options: &EngineOptions) -> Withheld {
    let mut withheld = Withheld { places: options.image.reserved.clone(), ..Withheld::default() };
    if let Some(cache) = &options.cache_dir {
        withheld.places.push(cache.clone());
        let key = key_path(cache);
        withheld.places.extend(key.clone());
        withheld.secrets.extend(key);
    }
    withheld.places.extend(options.packs.iter().map(|pack| pack.directory.clone()));
    withheld
}

impl GuestEngine {
    fn new(
        metering: Metering,
        options: &EngineOptions,
        calls: &SystemCalls,
    ) -> wasmtime::Result<GuestEngine> {
        let mut processes = options.max_processes.max(1);
        let stacks_per_slot = if options.exclusive { 1 } else { STACKS_PER_SLOT };
        let engine = loop {
            let mut config = config(metering);
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(processes, stacks_per_slot)));
            config.with_custom_code_memory(crate::in_place::code_memory());
            match wasmtime::Engine::new(&config) {
                Ok(engine) => break engine,
                // A resource limit may refuse the address space: a smaller pool may fit.
                Err(error) if processes <= 8 => return Err(error),
                Err(_) => processes /= 2,
            }
        };
        let mut linker = Linker::new(&engine);
        (calls.core)(&mut linker)?;
        let mut component_linker = component::Linker::new(&engine);
        (calls.component)(&mut component_linker)?;
        let system = options.image.programs.iter().map(|program| (program.name, OnceLock::new())).collect();
        let mut compatible = std::hash::DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut compatible);
        sandshell_codegen::CODE_VERSION.hash(&mut compatible);
        let compatibility = compatible.finish();
        Ok(GuestEngine {
            engine,
            linker,
            component_linker,
            slots: SlotPool::new(processes),
            stacks_per_slot,
            system,
            programs: Mutex::default(),
            compatibility,
        })
    }
}

/// Stacks in one slot, if several sandboxes share the engine: a process has one for its first thread, and threads take
/// slots for theirs. Setting one up takes a microsecond.
const STACKS_PER_SLOT: u32 = 4;

fn pool(processes: u32, stacks_per_slot: u32) -> PoolingAllocationConfig {
    let scans = PoolingAllocationConfig::is_pagemap_scan_available();
    let mut pool = PoolingAllocationConfig::new();
    // A large component has many instances. Their number costs nothing; tables cost address space.
    pool.total_core_instances(processes.saturating_mul(MAX_INSTANCES))
        // A heap of exceptions, which each process can have, is a memory too.
        .total_memories(processes.saturating_mul(2))
        .total_gc_heaps(processes)
        .total_tables(processes.saturating_mul(TABLES_PER_SLOT))
        .total_stacks(processes.saturating_mul(stacks_per_slot))
        .total_component_instances(processes)
        .max_tables_per_module(4)
        .max_memories_per_module(1)
        .max_core_instances_per_component(MAX_INSTANCES)
        .max_memories_per_component(16)
        .max_tables_per_component(64)
        .max_component_instance_size(MAX_INSTANCE)
        .max_core_instance_size(MAX_INSTANCE)
        .table_elements(100_000)
        .max_memory_size(4 << 30)
        // The pages of a process stay in its slot, cleared, so that the next process has no page faults for them. If
        // the host can report which pages were touched, only those are cleared; then an interpreter's pages can
        // stay too. `execution/store.rs` limits how many stay.
        .linear_memory_keep_resident(if scans { 12 << 20 } else { 512 << 10 })
        .pagemap_scan(wasmtime::Enabled::Auto)
        .table_keep_resident(64 << 10)
        // Stack pages of deep recursions go back to the system, and no process finds another's values on its stack.
        .async_stack_keep_resident(16 << 10)
        .max_unused_warm_slots(64)
        .decommit_batch_size(1);
    pool
}
