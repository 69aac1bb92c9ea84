//! Programs: compiled code, ready to be instantiated.

pub(crate) mod component;
pub(crate) mod file;
pub(crate) mod module;

use std::any::Any;
use std::sync::Arc;

use component::ComponentProgram;
use module::CoreProgram;

/// Something that can be executed.
#[derive(Clone)]
#[non_exhaustive]
pub(crate) enum Program {
    /// A core module with WASI preview 1 and the kernel's own imports.
    Core(Arc<CoreProgram>),
    /// A command component with WASI 0.2.
    Component(Arc<ComponentProgram>),
}

impl Program {
    /// Estimated memory of the host for its instances, besides memories and tables, in bytes.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Program::Core(program) => program.size,
            Program::Component(program) => program.size,
        }
    }

    /// How many slots of the engine's pool it takes.
    pub(crate) fn slots(&self) -> u32 {
        match self {
            // One memory and a few tables.
            Program::Core(_) => 1,
            Program::Component(program) => program.slots,
        }
    }

    /// Size of its code in memory, in bytes, if a guest brought it. Zero for programs of the host.
    pub(crate) fn code(&self) -> u64 {
        match self {
            Program::Core(program) => program.code,
            Program::Component(program) => program.code,
        }
    }

    /// Itself, for who only keeps it alive.
    pub(crate) fn as_owner(&self) -> Arc<dyn Any + Send + Sync> {
        match self {
            Program::Core(program) => program.clone(),
            Program::Component(program) => program.clone(),
        }
    }
}
