//! Packs: programs that a user has added to the system, by name.

use std::path::PathBuf;

use sandshell_codegen::Metering;

use crate::compile::{self, Failure};
use crate::engine::Engine;
use crate::error::{Errno, Error};

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

impl Engine {
    /// Compiles a pack's program for sandboxes with this metering, unless that was done before. Takes about a minute
    /// for a large program and blocks the calling thread. Sandboxes that need the program meanwhile wait for the same
    /// compilation.
    ///
    /// # Errors
    /// [`Error::Engine`] if the file cannot be read, does not have the hash `program.hash`, or is no valid command.
    pub fn prepare(&self, program: &PackProgram, metering: Metering) -> Result<(), Error> {
        compile::prepare(self, metering, program).map(drop).map_err(|failure| {
            let why = match failure {
                Failure::Invalid(why) => format!("is not a program that can be run here: {why}"),
                Failure::Errno(Errno::INVAL) => "is not the file that its hash says".to_owned(),
                _ => "cannot be read".to_owned(),
            };
            Error::Engine(format!("{} {why}", program.wasm.display()))
        })
    }

    /// The packs' programs.
    pub fn packs(&self) -> &[PackProgram] {
        &self.options().packs
    }
}
