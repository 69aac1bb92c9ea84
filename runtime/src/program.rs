//! Programs: compiled code, ready to be instantiated.

use std::sync::{Arc, OnceLock};

use wasmtime::{ExternType, InstancePre, Linker, Module, Mutability, ValType};

use crate::guest::Guest;
use crate::wasi_p2::ComponentProgram;

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

    /// A number that is unique among the programs that are alive.
    pub(crate) fn address(&self) -> usize {
        match self {
            Program::Core(program) => Arc::as_ptr(program).addr(),
            Program::Component(program) => Arc::as_ptr(program).addr(),
        }
    }
}

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
    /// See [`Program::size`].
    pub(crate) size: u64,
    /// See [`Program::code`].
    pub(crate) code: u64,
}

impl CoreProgram {
    /// Resolves the imports of a module. `code` is its [`Program::code`], and `size` its [`Program::size`]; for trusted
    /// modules, `None`, the size is estimated.
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
        let native = module.imports().any(|import| import.module() == crate::abi::MODULE);
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

/// The type of a file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Core,
    Component,
    Script,
    Unknown,
}

/// Recognises a file's type by its first bytes (8 are enough).
pub(crate) fn format(head: &[u8]) -> Format {
    match head {
        [b'#', b'!', ..] => Format::Script,
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Format::Core,
        [0, b'a', b's', b'm', _, 0, 1, 0, ..] => Format::Component,
        _ => Format::Unknown,
    }
}

/// The custom section in which a command file names its program.
const PROGRAM_SECTION: &[u8] = b"sandshell.program";

/// The module and applet that a command file names.
pub(crate) fn system_reference(wasm: &[u8]) -> Option<(&str, &str)> {
    let mut rest = wasm.get(8..)?;
    while let [id, tail @ ..] = rest {
        let (size, tail) = leb(tail)?;
        let body = tail.get(..size)?;
        rest = tail.get(size..)?;
        if *id != 0 {
            continue;
        }
        let (name, content) = leb(body)?;
        if content.get(..name)? == PROGRAM_SECTION {
            return std::str::from_utf8(content.get(name..)?).ok()?.split_once(':');
        }
    }
    None
}

/// The file of a system command: a valid empty module whose custom section `sandshell.program` holds `MODULE:APPLET`.
pub fn command_file(module: &str, applet: &str) -> Vec<u8> {
    let payload = format!("{module}:{applet}");
    let mut wasm = b"\0asm\x01\0\0\0\0".to_vec();
    let mut body = Vec::new();
    push_leb(&mut body, PROGRAM_SECTION.len());
    body.extend_from_slice(PROGRAM_SECTION);
    body.extend_from_slice(payload.as_bytes());
    push_leb(&mut wasm, body.len());
    wasm.extend_from_slice(&body);
    wasm
}

fn leb(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}

fn push_leb(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_files_name_their_program() {
        let file = command_file("util", "ls");
        assert_eq!(format(&file), Format::Core);
        assert_eq!(system_reference(&file), Some(("util", "ls")));
        assert_eq!(system_reference(b"\0asm\x01\0\0\0"), None);
        for end in 0..file.len() {
            assert_eq!(system_reference(&file[..end]), None, "cut at {end}");
        }
    }
}
