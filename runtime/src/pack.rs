//! Packs: programs that a user has added to the system, by name.

use std::path::PathBuf;

use sandshell_codegen::Metering;

use crate::compile::{self, Failure};
use crate::engine::Engine;
use crate::error::{Errno, Error};

/// The program of a pack.
///
/// A [`command_file`](crate::command_file) of the module `pack/NAME` stands for it, as those of the system's modules do.
#[derive(Clone, Debug)]
pub struct PackProgram {
    /// The pack's name.
    pub name: String,
    /// The pack's directory, which no sandbox may change.
    pub directory: PathBuf,
    /// The file with the module or component.
    pub wasm: PathBuf,
    /// The file's SHA-256, by which its compiled code is found: the file is read only if there is none yet.
    pub hash: [u8; 32],
}

/// What a module's name in a command file begins with when it is a pack's.
const PREFIX: &str = "pack/";

/// The module that the command files of a pack name.
pub fn pack_module(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The pack of a command file's module.
pub(crate) fn pack_name(module: &str) -> Option<&str> {
    module.strip_prefix(PREFIX)
}

impl Engine {
    /// Compiles a pack's program as sandboxes need it, unless that was done before; takes a minute for a large one. Who asks
    /// for the same meanwhile, in whichever sandbox, waits for it.
    ///
    /// # Errors
    /// [`Error::Engine`] if the file cannot be read, is not the one that `program.hash` says, or is no valid command.
    pub fn prepare(&self, program: &PackProgram, metering: Metering) -> Result<(), Error> {
        compile::prepare(self, metering, program).map(drop).map_err(|failure| {
            let why = match failure {
                Failure::Errno(Errno::NOEXEC) => "is not a program that can be run here",
                Failure::Errno(Errno::INVAL) => "is not the file that its hash says",
                _ => "cannot be read",
            };
            Error::Engine(format!("{} {why}", program.wasm.display()))
        })
    }

    /// The packs' programs.
    pub fn packs(&self) -> &[PackProgram] {
        &self.options().packs
    }
}
