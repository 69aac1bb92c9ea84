//! Packs: guest programs with their files, which a user adds to local sandboxes.
//!
//! A built pack is a directory with a manifest `pack.toml`, one WebAssembly program, and trees of files. Installed, it is a
//! directory of that name in the user's packs directory. In a sandbox its commands are in `/usr/bin`, and its trees are
//! mounted read-only: they are the host's files, so they cost a sandbox neither memory nor time to start.

mod config;
mod hash;
mod install;
mod manifest;

pub use crate::places::{user_cache, user_packs};
pub use config::PackConfig;
pub use hash::{file_hash, tree_hash};
pub use install::{install, installed, remove};
pub use manifest::{Build, Component, Manifest, Program, Tree};

use crate::{Error, ErrorKind, LocalOptions, LocalProvider, Mount, MountSource, Result};
use sandshell_runtime::{Engine, EngineOptions, PackProgram, command_file, pack_module};
use std::path::{Path, PathBuf};

/// The manifest's name in a pack's directory.
pub const MANIFEST: &str = "pack.toml";

/// The packs that sandshell has recipes for, with their commands: without the pack such a command says how to get it and
/// exits with status 127.
pub const KNOWN: &[(&str, &[&str])] = &[("python", &["python3", "python", "python3.14", "pip", "pip3"])];

/// A built pack.
#[derive(Clone, Debug)]
pub struct Pack {
    manifest: Manifest,
    directory: PathBuf,
    program: PackProgram,
}

impl Pack {
    /// The pack in a directory. Its files are not looked at but for the manifest.
    ///
    /// # Errors
    /// `InvalidRequest` if there is no manifest, it is not valid, or it is a recipe's, without a program's hash.
    pub fn open(directory: impl AsRef<Path>) -> Result<Pack> {
        let directory = directory.as_ref();
        let manifest = Manifest::read(&directory.join(MANIFEST))?;
        let built =
            || Error::new(ErrorKind::InvalidRequest, format!("{} is not a built pack", directory.display()));
        let program = manifest.program.as_ref().ok_or_else(built)?;
        let hash = program.sha256.as_deref().and_then(hash::parse).ok_or_else(built)?;
        let wasm = directory.join(&program.file);
        let program =
            PackProgram { name: manifest.name.clone(), directory: directory.to_owned(), wasm, hash };
        Ok(Pack { manifest, directory: directory.to_owned(), program })
    }

    /// What the manifest says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its program, for [`EngineOptions`].
    pub fn program(&self) -> &PackProgram {
        &self.program
    }
}

/// Sandboxes of this process that have these packs.
///
/// `cache` is where compiled code is kept ([`user_cache`] is what the command line uses); without it, or if it cannot be used,
/// each process compiles the packs that it runs, which takes a minute for a large one.
///
/// # Errors
/// `Unexpected` if the standard files cannot be made.
pub fn provider(options: LocalOptions, packs: &[Pack], cache: Option<PathBuf>) -> Result<LocalProvider> {
    let engine = |cache_dir| {
        let packs = packs.iter().map(|pack| pack.program().clone()).collect();
        Engine::new(EngineOptions { packs, cache_dir, ..EngineOptions::new(crate::image()) })
    };
    let engine = engine(cache).or_else(|_| engine(None));
    let engine =
        engine.map_err(|error| Error::new(ErrorKind::Unexpected, error.to_string()).with_source(error))?;
    LocalProvider::new(engine, add(options, packs))
}

/// Puts the packs' commands and files into sandboxes with these options, and the commands of [`KNOWN`] packs that are not
/// among them. The sandboxes' engine must have the packs' [programs](Pack::program).
///
/// What the options mount at a tree's place, or below it, is there instead of the pack's files; what they mount above it is
/// below the tree. Making a sandbox fails where a place for that is missing in files that cannot be changed.
#[must_use]
pub fn add(mut options: LocalOptions, packs: &[Pack]) -> LocalOptions {
    let missing = KNOWN.iter().filter(|(name, _)| packs.iter().all(|pack| pack.manifest.name != *name));
    for (name, commands) in missing {
        let files =
            commands.iter().map(|command| ((*command).to_owned(), command_file(&pack_module(name), command)));
        options.commands.extend(files);
    }
    for pack in packs {
        let module = pack_module(&pack.manifest.name);
        let file = |command: &String| (command.clone(), command_file(&module, command));
        options.commands.extend(pack.manifest.commands.iter().map(file));
        for tree in &pack.manifest.trees {
            let source = MountSource::HostReadOnly(pack.directory.join(&tree.from));
            let at =
                options.mounts.iter().rposition(|mount| is_above(&mount.at, &tree.at)).map_or(0, |at| at + 1);
            options.mounts.insert(at, Mount { at: tree.at.clone(), source });
        }
    }
    options
}

/// The names in a path of a sandbox.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !matches!(*part, "" | "."))
}

/// Whether one path of a sandbox is of a directory above the other's.
fn is_above(above: &str, path: &str) -> bool {
    let mut path = parts(path);
    parts(above).all(|part| path.next() == Some(part)) && path.next().is_some()
}
