//! Engines that the process's local sandboxes share, one for each set of packs, with the initial files of
//! sandboxes.

use crate::PerProcess;
use crate::announce::announce;
use crate::carried::carried;
use crate::places::{Stamp, stamp};
use parking_lot::Mutex;
use sandshell::pack::{self, MANIFEST, Pack};
use sandshell::runtime::EngineOptions;
use sandshell::{Clock, Engine, Error, ErrorKind, LocalOptions, LocalProvider, Result};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The packs' directories, and the directory for compiled code.
type Key = (Vec<PathBuf>, Option<PathBuf>);

/// The engines. They stay until the process ends; there is one for each set of packs.
static SHARED: PerProcess<Mutex<BTreeMap<Key, Shared>>> = PerProcess::new();

struct Shared {
    engine: Engine,
    packs: Vec<Pack>,
    /// Of the packs' manifests: they change when a pack is built again.
    stamps: Vec<Stamp>,
    /// What the packs add to options that mount nothing.
    added: LocalOptions,
    /// Providers whose initial files other providers share, by host name and clock. The newest is last.
    models: Vec<(String, Clock, LocalProvider)>,
}

/// How many models are kept for each engine. Most programs need one.
const MODELS: usize = 8;

/// A provider with these options and packs. Compiled code is stored in `cache`.
pub(crate) fn provider(
    packs: &[PathBuf],
    cache: Option<PathBuf>,
    options: LocalOptions,
) -> Result<LocalProvider> {
    // All zeros for a missing pack; opening it gives the error.
    let stamps = packs.iter().map(|pack| stamp(&pack.join(MANIFEST))).collect::<Vec<_>>();
    let key: Key = (packs.to_owned(), cache);
    let mut all = SHARED.get_or_init(Mutex::default).lock();
    let shared = match all.get_mut(&key) {
        Some(shared) if shared.stamps == stamps => shared,
        _ => {
            let shared = Shared::new(packs, key.1.as_deref(), stamps)?;
            all.entry(key).insert_entry(shared).into_mut()
        }
    };
    shared.provider(options)
}

impl Shared {
    fn new(packs: &[PathBuf], cache: Option<&Path>, stamps: Vec<Stamp>) -> Result<Self> {
        let packs = packs.iter().map(Pack::open).collect::<Result<Vec<_>>>()?;
        let options = |cache: Option<&Path>| {
            let mut options = EngineOptions::new(sandshell::image());
            options.packs = packs.iter().map(|pack| pack.program().clone()).collect();
            options.cache_dir = cache.map(Path::to_owned);
            options.carried = carried();
            options.announce = Some(announce());
            options
        };
        let engine = Engine::new(options(cache))
            // If the home directory is read-only, modules are compiled again each time.
            .or_else(
                |error| if cache.is_some_and(is_read_only) { Engine::new(options(None)) } else { Err(error) },
            )
            .map_err(|error| Error::new(ErrorKind::InvalidRequest, error.to_string()).with_source(error))?;
        let added = pack::add(LocalOptions::default(), &packs);
        Ok(Self { engine, packs, stamps, added, models: Vec::new() })
    }

    fn provider(&mut self, mut options: LocalOptions) -> Result<LocalProvider> {
        if options.mounts.is_empty() {
            options.mounts.clone_from(&self.added.mounts);
        } else {
            options = pack::add(options, &self.packs);
        }
        // The same allocation, so that comparing takes no time.
        options.commands.clone_from(&self.added.commands);
        let alike = |(hostname, clock, _): &&(String, Clock, LocalProvider)| {
            (hostname, *clock) == (&options.hostname, options.clock)
        };
        if let Some((_, _, model)) = self.models.iter().find(alike) {
            return model.with_options(options);
        }
        let (hostname, clock) = (options.hostname.clone(), options.clock);
        let made = LocalProvider::new(self.engine.clone(), options)?;
        if self.models.len() >= MODELS {
            self.models.remove(0);
        }
        // A provider keeps its sandboxes alive, so the model is a provider without sandboxes.
        self.models.push((
            hostname,
            clock,
            made.with_options(LocalOptions {
                mounts: Vec::new(),
                env: Vec::new(),
                ..made.options().clone()
            })?,
        ));
        Ok(made)
    }
}

/// Whether this directory cannot be created because the filesystem is read-only.
fn is_read_only(directory: &Path) -> bool {
    let made = std::fs::create_dir_all(directory);
    made.is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    })
}
