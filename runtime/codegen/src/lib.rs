//! The engine configuration that the runtime and the ahead-of-time build share.
//!
//! Code compiled ahead of time loads only into an engine whose code-shaping options are the same. Both sides therefore
//! start from [`config`]; the runtime adds only what does not influence compilation (allocator, stack sizes).

mod bulk;
mod malformed;
mod nesting;
mod size;

use wasmtime::{Config, Inlining};

pub use bulk::{CODE_VERSION, in_pieces};
pub use malformed::Malformed;
pub use size::{MAX_INSTANCE, MAX_INSTANCES, code_size, instance_size};

/// How running code is interrupted and counted. Each value needs code compiled for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metering {
    /// Preempted by time (epochs); nothing is counted. The fast one.
    Plain,
    /// Every instruction is counted (fuel), besides epochs: for CPU budgets and for deterministic scheduling.
    Metered,
}

/// Bytes of native stack that wasm code of one process may use; deeper recursion is a stack overflow (SIGSEGV).
pub const WASM_STACK: usize = 4 << 20;

/// The configuration for `metering`, on the host's own CPU.
///
/// Memory64, threads and multiple memories are off: the host functions address one 32-bit memory.
pub fn config(metering: Metering) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .consume_fuel(metering == Metering::Metered)
        // No backtrace is ever shown to a guest, and each one captured would cost every exit some microseconds.
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false)
        .native_unwind_info(false)
        .memory_init_cow(true)
        .memory_guaranteed_dense_image_size(64 << 20)
        .memory_reservation(4 << 30)
        .memory_guard_size(32 << 20)
        .wasm_component_model(true)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        // The compiler would keep what it has of each function until it has all: ten times the memory, for a tenth of speed.
        .compiler_inlining(Inlining::No)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(WASM_STACK + (512 << 10))
        .async_stack_zeroing(true);
    config
}

/// Bytes aligned as precompiled code must be to be executed where it lies: wrap `include_bytes!` in it.
#[derive(Debug)]
#[repr(C, align(65536))]
pub struct Aligned<T: ?Sized>(pub T);
