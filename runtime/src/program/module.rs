//! Core modules.

use std::sync::OnceLock;

use wasmtime::{ExternType, InstancePre, Linker, Module, Mutability, ValType};

use crate::guest::Guest;

/// The module of the kernel's own imports.
pub(crate) const KERNEL_MODULE: &str = "sandshell";

/// A compiled core module, its imports resolved.
pub(crate) struct CoreProgram {
    pub(crate) pre: InstancePre<Guest>,
    /// Whether it uses the kernel's own imports: such programs get no preopened directories.
    pub(crate) native: bool,
    /// Whether `clone` can copy it: it exports its memory, function table and stack pointer.
    pub(crate) cloneable: bool,
    /// The initial contents of the memory below the heap, which clone compares with. Only for programs of the host: the
    /// copy lives as long as the program, and a guest could make it as large as a memory.
    pub(crate) pristine: OnceLock<Box<[u8]>>,
    /// See [`Program::size`](super::Program::size).
    pub(crate) size: u64,
    /// See [`Program::code`](super::Program::code).
    pub(crate) code: u64,
}

impl CoreProgram {
    /// Resolves the imports of a module. `code` is its [`Program::code`](super::Program::code), and `size` its
    /// [`Program::size`](super::Program::size); for trusted modules, `None`, the size is estimated.
    ///
    /// # Errors
    /// An import that does not exist, or no `_start` of the right type.
    pub(crate) fn link(
        linker: &Linker<Guest>,
        module: Module,
        code: u64,
        size: Option<u64>,
    ) -> wasmtime::Result<CoreProgram> {
        let pre = linker.instantiate_pre(&module)?;
        let start = module.get_export("_start");
        let Some(ExternType::Func(start)) = start else { wasmtime::bail!("no _start function") };
        if start.params().len() != 0 || start.results().len() != 0 {
            wasmtime::bail!("_start takes or returns values");
        }
        let native = module.imports().any(|import| import.module() == KERNEL_MODULE);
        let memory = matches!(module.get_export("memory"), Some(ExternType::Memory(_)));
        let table = matches!(module.get_export("__indirect_function_table"), Some(ExternType::Table(_)));
        let stack = match module.get_export("__stack_pointer") {
            Some(ExternType::Global(global)) => {
                matches!(global.content(), ValType::I32) && global.mutability() == Mutability::Var
            }
            _ => false,
        };
        let cloneable = memory && table && stack;
        let size = size.unwrap_or_else(|| {
            let functions = module.functions().len() + module.imports().len();
            (functions as u64).saturating_mul(FUNCTION)
        });
        Ok(CoreProgram { pre, native, cloneable, pristine: OnceLock::new(), size, code })
    }
}

/// Bytes of an instance for each of its functions.
const FUNCTION: u64 = 32;
