//! Components.

use wasmtime::component::{Component, Linker};
use wasmtime_wasi::p2::bindings::CommandPre;

use crate::guest::component::State;
use crate::share::TABLES_PER_SLOT;

/// The interface that makes threads possible.
pub(crate) const THREADS: &str = "sandshell:kernel/threads@0.1.0";

/// A compiled component, its imports resolved.
pub(crate) struct ComponentProgram {
    pub(crate) pre: CommandPre<State>,
    /// Whether it uses the kernel's own imports. Then its descriptor numbers come from those, and files that it opens
    /// through WASI are handles only.
    pub(crate) native: bool,
    /// Whether it may have threads.
    pub(crate) threads: bool,
    /// How many slots of the engine's pool it takes.
    pub(crate) slots: u32,
    /// See [`Program::size`](super::Program::size).
    pub(crate) size: u64,
    /// See [`Program::code`](super::Program::code).
    pub(crate) code: u64,
}

/// For components whose needs are unknown: the most that the engine allows for one.
const MAX_SLOTS: u32 = 16;

impl ComponentProgram {
    /// Resolves the imports of a component. `code` is its [`Program::code`](super::Program::code) and `size`
    /// its [`Program::size`](super::Program::size); for trusted components, `None`, the largest size is
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
        let (native, threads) = (imports_kernel(component), imports_threads(component));
        Ok(ComponentProgram { pre, native, threads, slots, size, code })
    }
}

/// Whether a component uses the kernel's own imports.
fn imports_kernel(component: &Component) -> bool {
    imports(component, |name| name.starts_with("sandshell:kernel/"))
}

/// Whether a component may have threads.
fn imports_threads(component: &Component) -> bool {
    imports(component, |name| name == THREADS)
}

fn imports(component: &Component, wanted: impl Fn(&str) -> bool) -> bool {
    component.component_type().imports(component.engine()).any(|(name, _)| wanted(name))
}
