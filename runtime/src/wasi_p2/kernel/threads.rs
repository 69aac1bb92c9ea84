//! `sandshell:kernel/threads`: how many threads and handles a component may have.
//!
//! The engine makes threads for a component without asking the kernel. What bounds them is that each is a handle of the
//! store, whose number of handles is limited. If several sandboxes share the engine, the limit grows only with the
//! slots that the process has taken, so that none can take the stacks of others.

use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use super::{KernelResult, State, number};
use crate::error::Errno;
use crate::execution::component::handles;
use crate::program::component::THREADS;

/// The most threads, and the most other handles, of a process.
const MOST: u32 = 1024;

/// Defines the interface.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.instance(THREADS)?.func_wrap("allow", |mut store, (threads, handles): (u32, u32)| {
        Ok((allow(&mut store, threads, handles),))
    })
}

fn allow(store: &mut StoreContextMut<'_, State>, threads: u32, others: u32) -> KernelResult<()> {
    if threads.max(others) > MOST {
        return Err(number(Errno::AGAIN));
    }
    let state = store.data_mut();
    let engine = &state.kernel.engine;
    let stacks = engine.guest_engine(state.kernel.metering).map_err(|_| number(Errno::IO))?.stacks_per_slot;
    // Any handle may be a thread.
    let paid = if engine.is_exclusive() { threads } else { threads + others };
    let limit = handles(engine) + (threads + others) as usize;
    while paid > u32::try_from(state.threads.len()).unwrap_or(u32::MAX).saturating_mul(stacks) {
        let slots = state.kernel.take_slots(1).map_err(|_| number(Errno::AGAIN))?;
        state.threads.push(slots);
    }
    store.set_max_component_handles(limit.max(store.max_component_handles()));
    Ok(())
}
