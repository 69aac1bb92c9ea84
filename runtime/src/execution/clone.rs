//! `clone`: a copy of a process, which starts in a given function.
//!
//! The child is a fresh instance of the same module. The parent's memory is copied to it as far as it is in use, and a
//! function from the table is called. The child never returns into the parent's frames, so no stack frames are copied.

use std::sync::Arc;

use wasmtime::{Caller, Extern, Func, Instance, Memory, Ref, Store, Val};

use crate::error::{Errno, Error, Result};
use crate::execution::pagemap::PAGE;
use crate::execution::run::{Cloned, new_store};
use crate::guest::Guest;
use crate::kernel::resources::InstanceMemory;
use crate::process::Process;
use crate::program::module::CoreProgram;

/// The parent's memory layout, from the globals that the linker exports.
#[derive(Clone, Copy)]
struct Layout {
    stack_pointer: u32,
    data_end: Option<usize>,
    heap_base: Option<usize>,
}

/// Copies the calling instance for `process`. `ENOSYS` for a module that cannot be copied, `EINVAL` if the entry is no
/// function of the right type, `ENOMEM` if a limit does not allow the copy.
pub(crate) async fn copy(
    caller: &mut Caller<'_, Guest>,
    process: &Arc<Process>,
    entry: u32,
    argument: u32,
) -> Result<Cloned> {
    let (program, code) = (caller.data().program.clone(), caller.data().code.clone());
    if !program.cloneable {
        return Err(Errno::NOSYS);
    }
    let kernel = caller.data().kernel.clone();
    let parent = caller.data().memory.ok_or(Errno::FAULT)?;
    let layout = layout(caller)?;
    let memory_charge =
        InstanceMemory::take(&kernel, program.size).map_err(|error| record_limit(process, error))?;

    let mut store = new_store(&kernel, process, &program, code);
    let instance = program.pre.instantiate_async(&mut *store).await.map_err(|_| Errno::NOMEM)?;
    let memory = instance.get_memory(&mut *store, "memory").ok_or(Errno::FAULT)?;
    store.data_mut().memory = Some(memory);
    let entry = entry_point(&mut store, &instance, entry)?;
    let entry = entry.typed::<u32, u32>(&*store).map_err(|_| Errno::INVAL)?;

    copy_memory(caller, parent, &mut store, memory, &program, layout).await?;
    let stack = instance.get_global(&mut *store, "__stack_pointer").ok_or(Errno::NOSYS)?;
    let pointer = Val::I32(layout.stack_pointer.cast_signed());
    stack.set(&mut *store, pointer).map_err(|_| Errno::NOSYS)?;
    Ok(Cloned { store, entry, argument, memory_charge })
}

/// Returns `ENOMEM`, and records the limit in the command's outcome.
fn record_limit(process: &Process, error: Error) -> Errno {
    if let Error::Limit(limit) = error {
        process.job.record_limit(limit);
    }
    Errno::NOMEM
}

fn entry_point(store: &mut Store<Guest>, instance: &Instance, entry: u32) -> Result<Func> {
    let table = instance.get_table(&mut *store, "__indirect_function_table").ok_or(Errno::NOSYS)?;
    match table.get(&mut *store, u64::from(entry)) {
        Some(Ref::Func(Some(function))) => Ok(function),
        _ => Err(Errno::INVAL),
    }
}

fn layout(caller: &mut Caller<'_, Guest>) -> Result<Layout> {
    let stack_pointer = global(caller, "__stack_pointer").ok_or(Errno::NOSYS)?;
    let data_end = global(caller, "__data_end").map(|value| value as usize);
    let heap_base = global(caller, "__heap_base").map(|value| value as usize);
    Ok(Layout { stack_pointer, data_end, heap_base })
}

fn global(caller: &mut Caller<'_, Guest>, name: &str) -> Option<u32> {
    let Some(Extern::Global(global)) = caller.get_export(name) else { return None };
    match global.get(&mut *caller) {
        Val::I32(value) => Some(value.cast_unsigned()),
        _ => None,
    }
}

/// Bytes that are compared before other processes get a turn and the copying process can be stopped.
const TURN: usize = 4 << 20;

async fn copy_memory(
    caller: &Caller<'_, Guest>,
    parent: Memory,
    store: &mut Store<Guest>,
    child: Memory,
    program: &CoreProgram,
    layout: Layout,
) -> Result<()> {
    let initial = child.data_size(&*store);
    let missing = parent.size(caller).saturating_sub(child.size(&*store));
    if missing > 0 {
        child.grow(&mut *store, missing).map_err(|_| Errno::NOMEM)?;
    }
    let from = parent.data(caller);
    let to = child.data_mut(&mut *store);
    let size = from.len().min(to.len());
    // A guest can move these globals anywhere: every use is clamped to the memory.
    let heap = layout.heap_base.unwrap_or(initial).min(initial).min(size);
    let (pristine, heap): (Option<&[u8]>, usize) = match program.code {
        0 => {
            let pristine = program.pristine.get_or_init(|| to[..heap].into());
            (Some(pristine), heap.min(pristine.len()))
        }
        // A guest's own module is compared with the new memory's contents.
        _ => (None, initial.min(size)),
    };
    // The linker puts no data of our own programs after the base of their heap.
    let zero = if pristine.is_some() { heap } else { initial };
    let stack = (layout.stack_pointer as usize).min(size);
    let dead = match layout.data_end {
        // The stack lies between the data and the heap.
        Some(data_end) if data_end <= stack && stack <= heap => data_end..stack,
        // The stack comes first: it grows down to address 0.
        Some(data_end) if stack < data_end => 0..stack,
        _ => 0..0,
    };
    let pages = caller.data().kernel.engine.pagemap();
    let mut at = 0;
    let mut turn = TURN;
    let mut known = 0..0;
    let mut written = None;
    while at < size {
        if at >= turn {
            turn = at + TURN;
            caller.data().process.yield_in_host().await;
        }
        if dead.contains(&at) {
            at = dead.end;
            continue;
        }
        if at >= known.end {
            let start = at / PAGE * PAGE;
            known = start..(start + TURN).min(size);
            written = pages.written(&from[known.clone()]);
        }
        let limit = if at < dead.start { dead.start } else { size };
        let limit = if at < heap { limit.min(heap) } else { limit };
        let limit = if at < initial { limit.min(initial) } else { limit };
        let end = ((at / PAGE + 1) * PAGE).min(limit);
        if written.as_ref().is_some_and(|written| !written[(at - known.start) / PAGE]) {
            at = end;
            continue;
        }
        let page = &from[at..end];
        let equal = match pristine {
            _ if at >= zero => is_zero(page),
            Some(pristine) => page == &pristine[at..end],
            None => page == &to[at..end],
        };
        if !equal {
            to[at..end].copy_from_slice(page);
        }
        at = end;
    }
    Ok(())
}

/// Memory after the image's data is zero in a fresh instance.
fn is_zero(page: &[u8]) -> bool {
    page.chunks(64).all(|chunk| chunk.iter().fold(0, |all, byte| all | byte) == 0)
}
