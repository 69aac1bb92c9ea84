//! Engines of this program, with packs.

use super::failure::Failure;
use super::places;
use super::progress::Progress;
use sandshell::pack::Pack;
#[cfg(feature = "serve")]
use sandshell::runtime::engine_config::Metering;
use sandshell::runtime::{Announce, EngineOptions, SystemImage};
use sandshell::{Engine, Limits};
use std::path::PathBuf;

/// How many processes an engine reserves for other sandboxes.
const RESERVED_PROCESSES: u32 = 8;

/// An engine with room for one sandbox's processes: setting up more room takes longer.
pub(crate) fn for_one(packs: &[Pack]) -> Result<Engine, Failure> {
    with(packs, |options| {
        options.max_processes = Limits::default().processes + RESERVED_PROCESSES;
        options.exclusive = true;
    })
}

/// Compiles the programs of these packs, one after another, unless they are in the cache.
#[cfg(feature = "serve")]
pub(crate) async fn prepare(engine: &Engine, packs: &[Pack]) -> Result<(), Failure> {
    for pack in packs {
        let (engine, program) = (engine.clone(), pack.program().clone());
        let prepared = tokio::task::spawn_blocking(move || engine.prepare(&program, Metering::Plain));
        prepared.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    Ok(())
}

/// An engine with these packs.
pub(crate) fn with(packs: &[Pack], adjust: impl Fn(&mut EngineOptions)) -> Result<Engine, Failure> {
    let options = |cache_dir: Option<PathBuf>, what_follows: String| {
        let mut options = EngineOptions {
            packs: packs.iter().map(|pack| pack.program().clone()).collect(),
            cache_dir,
            announce: Some(Announce::new(move |pack| {
                Box::new(Progress::logged(format!("compiling {pack}; {what_follows}")))
            })),
            ..EngineOptions::new(SystemImage { reserved: places::reserved(), ..sandshell::image() })
        };
        adjust(&mut options);
        options
    };
    let Some(cache) = places::cache() else {
        let why = "it cannot be kept, as there is no home directory";
        return Ok(Engine::new(options(None, why.to_owned()))?);
    };
    Ok(Engine::new(options(Some(cache), "it is kept for the next time".to_owned()))
        // If the cache cannot be used, modules are compiled again.
        .or_else(|why| Engine::new(options(None, format!("it cannot be kept: {why}"))))?)
}
