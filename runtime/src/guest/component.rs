//! The data of a component's store.

use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::WasiCtx;

use super::budget::MemoryBudget;
use super::image::Image;
use crate::kernel::KernelInner;
use crate::process::Process;
use crate::random::RandomStream;
use crate::share::Slots;

/// The data of a component's store.
pub(crate) struct State {
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) process: Arc<Process>,
    pub(crate) table: ResourceTable,
    pub(crate) random: RandomStream,
    pub(crate) budget: MemoryBudget,
    /// Whether files that are opened through WASI get no descriptor number.
    pub(crate) native: bool,
    /// Slots that its threads take.
    pub(crate) threads: Vec<Slots>,
    /// The image that replaces this program after exec.
    pub(crate) exec: Option<Image>,
    /// Serves only `wasi:sockets`, where everything is denied.
    pub(crate) denied: WasiCtx,
}

/// Handles that a component can hold at once besides its descriptors: each costs the host some memory.
const MAX_HANDLES: usize = 100_000;

impl State {
    pub(crate) fn new(kernel: Arc<KernelInner>, process: Arc<Process>, native: bool) -> State {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        let random = RandomStream::new(kernel.random, process.pid);
        let denied = WasiCtx::builder().allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false).build();
        let budget = MemoryBudget::new(kernel.clone(), process.clone());
        State { kernel, process, table, random, budget, native, threads: Vec::new(), exec: None, denied }
    }
}
