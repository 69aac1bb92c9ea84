//! Engines, shared by all sandboxes of the process that have the same packs.

use crate::announce::announce;
use parking_lot::Mutex;
use sandshell::pack::Pack;
use sandshell::runtime::EngineOptions;
use sandshell::{Engine, Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

type Key = (Vec<PathBuf>, Option<PathBuf>);

static ENGINES: Mutex<BTreeMap<Key, Engine>> = Mutex::new(BTreeMap::new());

/// The engine with these packs that keeps compiled code in `cache`. Engines stay until the process ends: there are as
/// many as there are sets of packs.
pub(crate) fn engine(packs: &[Pack], cache: Option<&Path>) -> Result<Engine> {
    let key: Key =
        (packs.iter().map(|pack| pack.directory().to_owned()).collect(), cache.map(Path::to_owned));
    let mut engines = ENGINES.lock();
    if let Some(engine) = engines.get(&key) {
        return Ok(engine.clone());
    }
    let options = |cache: Option<&Path>| {
        let mut options = EngineOptions::new(sandshell::image());
        options.packs = packs.iter().map(|pack| pack.program().clone()).collect();
        options.cache_dir = cache.map(Path::to_owned);
        options.announce = Some(announce());
        options
    };
    let engine = Engine::new(options(cache))
        // In a home that is read-only modules are compiled again.
        .or_else(
            |error| if cache.is_some_and(is_read_only) { Engine::new(options(None)) } else { Err(error) },
        )
        .map_err(|error| Error::new(ErrorKind::InvalidRequest, error.to_string()).with_source(error))?;
    engines.insert(key, engine.clone());
    Ok(engine)
}

/// Whether the host does not let this directory be made.
fn is_read_only(directory: &Path) -> bool {
    let made = std::fs::create_dir_all(directory);
    made.is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    })
}
