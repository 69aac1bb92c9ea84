//! Packs: guest programs with their files, which a user adds to local sandboxes.
//!
//! A built pack is a directory with a manifest `pack.toml`, one WebAssembly program, and trees of files. Installed,
//! it is a directory of that name in the user's packs directory. In a sandbox, its commands are in `/usr/bin`, and
//! its trees are mounted read-only from the host, so they cost a sandbox neither memory nor time to start.

mod config;
mod copy;
mod hash;
mod install;
mod manifest;

pub use crate::places::{home, user_cache, user_packs};
pub use config::PackConfig;
pub use hash::{file_hash, tree_hash};
pub use install::{install, install_checked, installed, remove};
pub use manifest::{Build, Component, Manifest, Program, Tree};

use crate::{Error, ErrorKind, LocalOptions, LocalProvider, Mount, MountSource, Result};
use sandshell_runtime::{Engine, EngineOptions, PackProgram, command_file, pack_module};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The manifest's name in a pack's directory.
pub const MANIFEST: &str = "pack.toml";

/// The packs that sandshell has recipes for whose commands are asked for most. Without the pack, such a command says
/// how to get it and exits with status 127.
pub const KNOWN: &[(&str, &[&str])] = &[
    ("python", &["python3", "python", "python3.14", "pip", "pip3"]),
    ("node", &["node", "nodejs", "npm", "npx"]),
];

/// A built pack.
#[derive(Clone, Debug)]
pub struct Pack {
    manifest: Manifest,
    directory: PathBuf,
    program: PackProgram,
}

impl Pack {
    /// Opens the pack in a directory. Only the manifest is read.
    ///
    /// # Errors
    /// `InvalidRequest` if there is no manifest, if it is not valid, if a tree is no directory of the pack but a link,
    /// or if it is that of a recipe, which has no hash of a program.
    pub fn open(directory: impl AsRef<Path>) -> Result<Pack> {
        let directory = directory.as_ref();
        let manifest = Manifest::read(&directory.join(MANIFEST))?;
        let built =
            || Error::new(ErrorKind::InvalidRequest, format!("{} is not a built pack", directory.display()));
        let program = manifest.program.as_ref().ok_or_else(built)?;
        // A pack that is not installed may be anybody's, and a sandbox can read all of a tree.
        if let Some(tree) = manifest.trees.iter().find(|tree| !is_own_directory(directory, &tree.from)) {
            let why = format!("{}: {:?} is not a directory of the pack", directory.display(), tree.from);
            return Err(Error::new(ErrorKind::InvalidRequest, why));
        }
        let hash = program.sha256.as_deref().and_then(hash::parse).ok_or_else(built)?;
        let wasm = directory.join(&program.file);
        let program =
            PackProgram { name: manifest.name.clone(), directory: directory.to_owned(), wasm, hash };
        Ok(Pack { manifest, directory: directory.to_owned(), program })
    }

    /// The pack's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The pack's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether a sandbox with this pack has all that the pack of this name has.
    fn stands_for(&self, name: &str) -> bool {
        self.manifest.name == name || self.manifest.replaces.iter().any(|replaced| replaced == name)
    }

    /// Its program, for [`EngineOptions`].
    pub fn program(&self) -> &PackProgram {
        &self.program
    }
}

/// A provider of sandboxes in this process that have these packs.
///
/// `cache` is the directory for compiled code (the command line uses [`user_cache`]). Without it, or if it cannot
/// be used, each process compiles the packs that it runs, which takes a minute for a large one.
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

/// Adds the packs' commands and files to the options of local sandboxes, and the commands of those [`KNOWN`] packs
/// that are not in `packs`. The sandboxes' engine must have the packs' [programs](Pack::program).
///
/// A pack that another one [replaces](Manifest::replaces) is left out. If two have the same command, it is that of the
/// later one.
///
/// A mount of the options at a tree's path, or below it, hides the pack's files there. If the options mount a
/// directory above a tree's path, the tree is mounted inside it. Creating a sandbox fails if the mount point is
/// missing in files that cannot be changed.
#[must_use]
pub fn add(mut options: LocalOptions, packs: &[Pack]) -> LocalOptions {
    let added = Arc::make_mut(&mut options.commands);
    let missing = KNOWN.iter().filter(|(name, _)| packs.iter().all(|pack| !pack.stands_for(name)));
    for (name, commands) in missing {
        let files =
            commands.iter().map(|command| ((*command).to_owned(), command_file(&pack_module(name), command)));
        added.extend(files);
    }
    for pack in packs {
        let name = &pack.manifest.name;
        if packs.iter().any(|other| other.manifest.name != *name && other.stands_for(name)) {
            continue;
        }
        let module = pack_module(name);
        added.retain(|(command, _)| !pack.manifest.commands.contains(command));
        let file = |command: &String| (command.clone(), command_file(&module, command));
        added.extend(pack.manifest.commands.iter().map(file));
        for tree in &pack.manifest.trees {
            let source = MountSource::HostReadOnly(pack.directory.join(&tree.from));
            let at =
                options.mounts.iter().rposition(|mount| is_above(&mount.at, &tree.at)).map_or(0, |at| at + 1);
            options.mounts.insert(at, Mount { at: tree.at.clone(), source });
        }
    }
    options
}

/// Whether this is a directory below another one, without any link on the way.
fn is_own_directory(directory: &Path, below: &str) -> bool {
    let mut at = directory.to_owned();
    Path::new(below).components().all(|name| {
        at.push(name);
        std::fs::symlink_metadata(&at).is_ok_and(|found| found.is_dir())
    })
}

/// The names in a path of a sandbox.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !matches!(*part, "" | "."))
}

/// Whether the first path is that of a directory above the second.
fn is_above(above: &str, path: &str) -> bool {
    let mut path = parts(path);
    parts(above).all(|part| path.next() == Some(part)) && path.next().is_some()
}
