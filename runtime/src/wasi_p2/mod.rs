//! WASI 0.2 for command components, over the same files, descriptors, clock and random bytes as preview 1.
//!
//! The interfaces' bindings and `wasi:io` come from wasmtime-wasi; the kernel implements them. A component's files are
//! descriptors of its process, and its resource handles refer to them.

mod cli;
mod clocks;
mod filesystem;
mod kernel;
mod random;
mod streams;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wasmtime::Store;
use wasmtime::component::{Component, HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::{self, CommandPre};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsCtxView};
use wasmtime_wasi::{I32Exit, WasiCtx};
use wasmtime_wasi_io::IoView;

use crate::engine::TABLES_PER_SLOT;
use crate::execution::exec::Image;
use crate::execution::launch::LARGE_MEMORY;
use crate::execution::run::Unwind;
use crate::execution::{metering, preopen};
use crate::guest::MemoryBudget;
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::offload;
use crate::process::Process;
use crate::random::RandomStream;
use crate::share::Slots;

/// A compiled component, its imports resolved.
pub(crate) struct ComponentProgram {
    pre: CommandPre<State>,
    /// Whether it uses the kernel's own imports. Then its descriptor numbers come from those, and files that it opens
    /// through WASI are handles only.
    native: bool,
    /// Whether it may have threads.
    threads: bool,
    /// How many slots of the engine's pool it takes.
    pub(crate) slots: u32,
    /// See [`Program::size`](crate::program::Program::size).
    pub(crate) size: u64,
    /// See [`Program::code`](crate::program::Program::code).
    pub(crate) code: u64,
}

/// For components whose needs are unknown: the most that the engine allows for one.
const MAX_SLOTS: u32 = 16;

impl ComponentProgram {
    /// Resolves the imports of a component. `code` is its [`Program::code`](crate::program::Program::code) and `size`
    /// its [`Program::size`](crate::program::Program::size); for trusted components, `None`, the largest size is
    /// assumed.
    ///
    /// # Errors
    /// An import that does not exist, or no `wasi:cli/run` export.
    pub(crate) fn link(
        linker: &Linker<State>,
        component: &Component,
        code: u64,
        size: Option<u64>,
    ) -> wasmtime::Result<ComponentProgram> {
        let pre = CommandPre::new(linker.instantiate_pre(component)?)?;
        let slots = component.resources_required().map_or(MAX_SLOTS, |required| {
            required.num_memories.max(required.num_tables.div_ceil(TABLES_PER_SLOT)).max(1)
        });
        let size = size.unwrap_or(sandshell_codegen::MAX_INSTANCE as u64);
        let (native, threads) = (kernel::imported_by(component), kernel::has_threads(component));
        Ok(ComponentProgram { pre, native, threads, slots, size, code })
    }

    /// Runs the component as the program of `process` to its end. Returns its result, where an exit is
    /// [`Unwind::Exit`], and the image that replaces it after exec.
    pub(crate) async fn run(
        &self,
        kernel: &Arc<KernelInner>,
        process: &Arc<Process>,
    ) -> (wasmtime::Result<()>, Option<Image>) {
        if !self.native {
            preopen::install(kernel, process);
        }
        let state = State::new(kernel.clone(), process.clone(), self.native);
        let mut store = Store::new(self.pre.engine(), state);
        store.limiter(|state| &mut state.budget);
        if self.threads {
            store.set_max_component_handles(kernel::handles(&kernel.engine));
        }
        metering::begin(&mut store, kernel.metering, process);
        let result = self.call(&mut store).await;
        if self.threads && result.as_ref().is_err_and(is_out_of_handles) {
            let limit = u32::try_from(store.max_component_handles()).unwrap_or(u32::MAX);
            process.job.record_limit(Limit::Descriptors(limit));
        }
        metering::settle_end(kernel, process, &store);
        let next = store.data_mut().exec.take();
        if process.memory.load(Ordering::Relaxed) > LARGE_MEMORY {
            offload::free(kernel, process, store).await;
        }
        let result = match result {
            Err(error) => match error.downcast_ref::<I32Exit>() {
                Some(I32Exit(code)) => Err(Unwind::Exit(code.cast_unsigned()).into()),
                None => Err(error),
            },
            Ok(Ok(())) => Ok(()),
            Ok(Err(())) => Err(Unwind::Exit(1).into()),
        };
        (result, next)
    }

    async fn call(&self, store: &mut Store<State>) -> wasmtime::Result<Result<(), ()>> {
        let command = self.pre.instantiate_async(&mut *store).await?;
        command.wasi_cli_run().call_run(&mut *store).await
    }
}

/// Whether a component ended because it asked for more handles than it may hold. The engine has no type for this error.
fn is_out_of_handles(error: &wasmtime::Error) -> bool {
    error.root_cause().to_string().ends_with("store handle limit exceeded")
}

/// The data of a component's store.
pub(crate) struct State {
    kernel: Arc<KernelInner>,
    process: Arc<Process>,
    table: ResourceTable,
    random: RandomStream,
    budget: MemoryBudget,
    /// Whether files that are opened through WASI get no descriptor number.
    native: bool,
    /// Slots that its threads take.
    threads: Vec<Slots>,
    /// The image that replaces this program after exec.
    exec: Option<Image>,
    /// Serves only `wasi:sockets`, where everything is denied.
    denied: WasiCtx,
}

/// Handles that a component can hold at once besides its descriptors: each costs the host some memory.
const MAX_HANDLES: usize = 100_000;

impl State {
    fn new(kernel: Arc<KernelInner>, process: Arc<Process>, native: bool) -> State {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        let random = RandomStream::new(kernel.random, process.pid);
        let denied = WasiCtx::builder().allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false).build();
        let budget = MemoryBudget::new(kernel.clone(), process.clone());
        State { kernel, process, table, random, budget, native, threads: Vec::new(), exec: None, denied }
    }
}

impl IoView for State {
    fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }
}

/// Tells the bindings to use the whole [`State`].
struct Whole;

impl HasData for Whole {
    type Data<'a> = &'a mut State;
}

/// Defines every interface of `wasi:cli/imports`, and the kernel's own.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    use bindings::{cli, clocks, filesystem, random, sockets};

    fn whole(state: &mut State) -> &mut State {
        state
    }
    fn sockets(state: &mut State) -> WasiSocketsCtxView<'_> {
        WasiSocketsCtxView { ctx: state.denied.sockets(), table: &mut state.table }
    }

    kernel::add_to_linker(linker)?;
    wasmtime_wasi_io::add_to_linker_async(linker)?;
    clocks::wall_clock::add_to_linker::<_, Whole>(linker, whole)?;
    clocks::monotonic_clock::add_to_linker::<_, Whole>(linker, whole)?;
    filesystem::types::add_to_linker::<_, Whole>(linker, whole)?;
    filesystem::preopens::add_to_linker::<_, Whole>(linker, whole)?;
    random::random::add_to_linker::<_, Whole>(linker, whole)?;
    random::insecure::add_to_linker::<_, Whole>(linker, whole)?;
    random::insecure_seed::add_to_linker::<_, Whole>(linker, whole)?;
    cli::exit::add_to_linker::<_, Whole>(linker, whole)?;
    cli::environment::add_to_linker::<_, Whole>(linker, whole)?;
    cli::stdin::add_to_linker::<_, Whole>(linker, whole)?;
    cli::stdout::add_to_linker::<_, Whole>(linker, whole)?;
    cli::stderr::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_input::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_output::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_stdin::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_stdout::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_stderr::add_to_linker::<_, Whole>(linker, whole)?;
    // Components import sockets even if they do not use them.
    let options = sockets::network::LinkOptions::default();
    sockets::tcp::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::udp::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::tcp_create_socket::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::udp_create_socket::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::instance_network::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::network::add_to_linker::<_, WasiSockets>(linker, &options, sockets)?;
    sockets::ip_name_lookup::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    Ok(())
}

/// The same handle with another type: the bindings use wasmtime-wasi's resource types, but the table holds the
/// kernel's.
fn recast<A: 'static, B: 'static>(handle: &Resource<A>) -> Resource<B> {
    if handle.owned() { Resource::new_own(handle.rep()) } else { Resource::new_borrow(handle.rep()) }
}
