//! Compiled code of users' modules, kept on disk between runs.
//!
//! Loading compiled code means trusting it, so the directory must be this user's alone.

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use sandshell_engine::Metering;
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

use crate::error::Error;

/// What a wasm file is compiled to.
pub(crate) trait Compiled: Sized {
    fn compile(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Self>;
    fn serialize(&self) -> wasmtime::Result<Vec<u8>>;
    /// Maps the code; it is not read.
    ///
    /// # Safety
    /// As [`Module::deserialize_open_file`]: the file holds what `serialize` returned, and stays as it is.
    #[allow(unsafe_code, reason = "names wasmtime's own contract")]
    unsafe fn deserialize(engine: &Engine, file: File) -> wasmtime::Result<Self>;
}

impl Compiled for Module {
    fn compile(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Module> {
        Module::from_binary(engine, sandshell_engine::in_pieces(wasm).as_deref().unwrap_or(wasm))
    }

    fn serialize(&self) -> wasmtime::Result<Vec<u8>> {
        Module::serialize(self)
    }

    #[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
    unsafe fn deserialize(engine: &Engine, file: File) -> wasmtime::Result<Module> {
        // SAFETY: the caller's promise.
        unsafe { Module::deserialize_open_file(engine, file) }
    }
}

impl Compiled for Component {
    fn compile(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Component> {
        Component::from_binary(engine, sandshell_engine::in_pieces(wasm).as_deref().unwrap_or(wasm))
    }

    fn serialize(&self) -> wasmtime::Result<Vec<u8>> {
        Component::serialize(self)
    }

    #[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
    unsafe fn deserialize(engine: &Engine, file: File) -> wasmtime::Result<Component> {
        // wasmtime opens components by name only; this name is the open file's.
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: the caller's promise.
        unsafe { Component::deserialize_file(engine, path) }
    }
}

/// A directory with one file for each module and metering.
pub(crate) struct CompilationCache {
    directory: PathBuf,
}

impl CompilationCache {
    /// Opens or creates the directory.
    ///
    /// # Errors
    /// [`Error::Cache`] if it cannot be created, is no directory, or others own it or can write to it.
    pub(crate) fn open(directory: &Path) -> Result<CompilationCache, Error> {
        let fail = |reason: String| Error::Cache { path: directory.display().to_string(), reason };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| fail(error.to_string()))?;
        let cache = CompilationCache { directory: directory.to_owned() };
        cache.verify().map_err(fail)?;
        Ok(cache)
    }

    fn verify(&self) -> Result<(), String> {
        let metadata = std::fs::symlink_metadata(&self.directory).map_err(|error| error.to_string())?;
        if !metadata.is_dir() {
            return Err("it is not a directory".into());
        }
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err("it belongs to another user".into());
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(format!("its mode is {:04o}, it must be 0700", metadata.mode() & 0o7777));
        }
        Ok(())
    }

    fn path(&self, engine: &Engine, metering: Metering, hash: &[u8; 32]) -> PathBuf {
        let kind = if metering == Metering::Plain { "plain" } else { "metered" };
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut compatible = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&engine.precompile_compatibility_hash(), &mut compatible);
        std::hash::Hash::hash(&sandshell_engine::CODE_VERSION, &mut compatible);
        self.directory.join(format!("{hex}-{:016x}-{kind}.cwasm", std::hash::Hasher::finish(&compatible)))
    }

    /// The module with this content hash, if it was compiled before.
    pub(crate) fn load<C: Compiled>(
        &self,
        engine: &Engine,
        metering: Metering,
        hash: &[u8; 32],
    ) -> Option<C> {
        self.verify().ok()?;
        let file = File::open(self.path(engine, metering, hash)).ok()?;
        let metadata = file.metadata().ok()?;
        if metadata.uid() != rustix::process::geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
            return None;
        }
        #[allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the proof is below")]
        // SAFETY: the file lies in a directory that only this user can enter, belongs to this user and nobody else can write
        // it; `store` alone writes such files, from the same engine's output, under names it never reuses for other contents.
        let code = unsafe { C::deserialize(engine, file) };
        code.ok()
    }

    /// Keeps a compiled module. A failure only means that it is compiled again.
    pub(crate) fn store<C: Compiled>(
        &self,
        engine: &Engine,
        metering: Metering,
        hash: &[u8; 32],
        compiled: &C,
    ) {
        let Ok(code) = compiled.serialize() else { return };
        let path = self.path(engine, metering, hash);
        let unique = path.with_extension(format!("{}.{:p}", std::process::id(), &raw const code));
        let written = File::create_new(&unique).and_then(|mut file| file.write_all(&code));
        if written.is_err() || std::fs::rename(&unique, &path).is_err() {
            // What cannot be removed either is garbage in a cache, not an error of the run.
            let _ = std::fs::remove_file(&unique);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_open_to_others_is_refused() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let path = directory.path().join("cache");
        assert!(CompilationCache::open(&path).is_ok());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
        assert!(matches!(CompilationCache::open(&path), Err(Error::Cache { .. })));
    }
}
