//! `sandshell:kernel/threads`: how many threads a component may have.
//!
//! The engine makes threads for a component without asking the kernel. What bounds them is that each is a handle of the
//! store, whose number of handles is limited, and that the limit grows only with the slots that the process has taken.

use wasmtime::StoreContextMut;
use wasmtime::component::{Component, Linker};

use super::{KernelResult, State, number};
use crate::engine::STACKS_PER_SLOT;
use crate::error::Errno;

/// The interface's name.
const INTERFACE: &str = "sandshell:kernel/threads@0.1.0";
/// Handles of a component with threads before it has asked for any: its first thread and what it opens through WASI.
pub(in crate::wasi_p2) const HANDLES: usize = 16;
/// The most threads of a process besides the first.
const MOST: u32 = 1024;

/// Whether a component may have threads.
pub(in crate::wasi_p2) fn imported_by(component: &Component) -> bool {
    component.component_type().imports(component.engine()).any(|(name, _)| name == INTERFACE)
}

/// Defines the interface.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker
        .instance(INTERFACE)?
        .func_wrap("allow", |mut store, (count,): (u32,)| Ok((allow(&mut store, count),)))
}

fn allow(store: &mut StoreContextMut<'_, State>, count: u32) -> KernelResult<()> {
    if count > MOST {
        return Err(number(Errno::AGAIN));
    }
    let state = store.data_mut();
    while count > u32::try_from(state.threads.len()).unwrap_or(u32::MAX).saturating_mul(STACKS_PER_SLOT) {
        let slots = state.kernel.take_slots(1).map_err(|_| number(Errno::AGAIN))?;
        state.threads.push(slots);
    }
    let handles = HANDLES + state.threads.len() * STACKS_PER_SLOT as usize;
    store.set_max_component_handles(handles);
    Ok(())
}
