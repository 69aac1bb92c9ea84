//! The engine configuration that the runtime and the ahead-of-time build share.
//!
//! Code that was compiled ahead of time loads only into an engine with the same compilation options. So both sides
//! start from [`config`], and the runtime adds only options that do not affect compilation, such as the allocator.

mod bulk;
mod malformed;
mod nesting;
mod packed;
mod processor;
mod size;
mod threads;

use wasmtime::{Collector, Config, Inlining};

pub use bulk::{CODE_VERSION, in_pieces};
pub use malformed::Malformed;
pub use packed::{pack, unpack};
pub use processor::{check_processor, portable_config};
pub use size::{MAX_INSTANCE, MAX_INSTANCES, code_size, instance_size};

/// How running code is interrupted and counted. Each value needs code compiled for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metering {
    /// Preempted by time (epochs). Instructions are not counted. Faster.
    Plain,
    /// Preempted by time, and every instruction is counted (fuel): for CPU limits and deterministic scheduling.
    Metered,
}

/// The target that this program is built for.
pub const TARGET: &str = env!("SANDSHELL_TARGET");

/// Bytes of native stack that wasm code of one process may use; deeper recursion is a stack overflow (SIGSEGV).
pub const WASM_STACK: usize = 4 << 20;

/// The configuration for `metering` and the host's CPU.
///
/// Memory64, threads of several processors and multiple memories are off: the host functions address one 32-bit memory.
/// A component may have cooperative threads (`threads`). Exceptions are on: a longjmp of C is one. Only a program with
/// exceptions or external references has a heap for them, which counts as its memory.
pub fn config(metering: Metering) -> Config {
    config_for(metering, cfg!(windows))
}

/// The configuration for `metering` on Windows or elsewhere.
fn config_for(metering: Metering, windows: bool) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .consume_fuel(metering == Metering::Metered)
        // No backtrace is ever shown to a guest, and each one captured would cost every exit some microseconds.
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false)
        // Windows walks all stacks with it.
        .native_unwind_info(windows)
        .memory_init_cow(true)
        .memory_guaranteed_dense_image_size(64 << 20)
        .memory_reservation(4 << 30)
        .memory_guard_size(32 << 20)
        .wasm_component_model(true)
        .wasm_component_model_async(false)
        .wasm_component_model_threading(true)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_exceptions(true)
        .wasm_gc(false)
        .wasm_function_references(false)
        // A program may throw any number of times: those that are over must go.
        .collector(Collector::DeferredReferenceCounting)
        // With inlining the compiler keeps the intermediate form of all functions at once: ten times the memory for a
        // tenth more speed.
        .compiler_inlining(Inlining::No)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(WASM_STACK + (512 << 10))
        .async_stack_zeroing(true);
    config
}

/// Wrap `include_bytes!` in this to align precompiled code such that it can be executed in place, where it can.
/// Elsewhere the alignment is a page's: a file for Windows cannot hold data with more than 8192.
#[derive(Debug)]
#[cfg_attr(target_os = "linux", repr(C, align(65536)))]
#[cfg_attr(not(target_os = "linux"), repr(C, align(4096)))]
pub struct Aligned<T: ?Sized>(pub T);
