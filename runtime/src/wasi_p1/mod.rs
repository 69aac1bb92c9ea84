//! WASI preview 1 (`wasi_snapshot_preview1`): all 46 functions, on the kernel's descriptors and filesystem.

mod clock;
mod fd;
mod file;
mod io;
mod path;
mod poll;
mod process;
mod readdir;
mod rights;
mod socket;

use wasmtime::Linker;

use crate::guest::Guest;

/// The import module's name.
const MODULE: &str = "wasi_snapshot_preview1";

/// Defines all functions of the module.
pub(crate) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    process::add_to_linker(linker)?;
    clock::add_to_linker(linker)?;
    fd::add_to_linker(linker)?;
    file::add_to_linker(linker)?;
    io::add_to_linker(linker)?;
    readdir::add_to_linker(linker)?;
    path::add_to_linker(linker)?;
    poll::add_to_linker(linker)?;
    socket::add_to_linker(linker)
}
