//! Packs: programs that a user has added to the system, by name.

use std::path::PathBuf;

/// The program of a pack.
///
/// In a sandbox it is called through a [`command_file`](crate::command_file) that names the module `pack/NAME`.
#[derive(Clone, Debug)]
pub struct PackProgram {
    /// The pack's name.
    pub name: String,
    /// The pack's directory, which no sandbox may change.
    pub directory: PathBuf,
    /// The file with the module or component.
    pub wasm: PathBuf,
    /// The SHA-256 of `wasm`, by which its compiled code is found. The file itself is read only if it has to be
    /// compiled.
    pub hash: [u8; 32],
}

/// Hashes of compiled code that is shipped with a program, in a file beside a pack's module
/// ([`compiled_file`](crate::compiled_file)). The file is executed if it has this hash and was made by this version for
/// this kind of processor; otherwise the module is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedCode {
    /// The SHA-256 of the pack's module.
    pub module: [u8; 32],
    /// The SHA-256 of the file that [`compile_pack`](crate::compile_pack) wrote.
    ///
    /// This hash vouches for the code, which the host executes. So it must come from the same source as the program
    /// itself, never from the pack.
    pub code: [u8; 32],
}

/// Prefix of the names of packs' modules in command files.
const PREFIX: &str = "pack/";

/// The module name in a pack's command files.
pub fn pack_module(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The pack that a command file's module names, if any.
pub(crate) fn pack_name(module: &str) -> Option<&str> {
    module.strip_prefix(PREFIX)
}
