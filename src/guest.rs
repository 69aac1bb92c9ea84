//! Connects the local provider with the guest programs.

use crate::image::image;
use sandshell_providers::local::{LocalOptions, LocalProvider};
use sandshell_providers::{Error, ErrorKind, Result};
use sandshell_runtime::{Engine, EngineOptions};
use std::path::PathBuf;

/// A provider of sandboxes in this process, with the guest shell and utilities that are part of this library.
///
/// With the feature `packs`, the sandboxes have the packs that the user has installed (see [`pack`](crate::pack));
/// `pack::provider` makes sandboxes with other packs or with none.
///
/// Each call makes an engine of its own, which compiles nothing and holds no memory until a command runs. For
/// several providers (say with different mounts), make one [`engine`] and pass clones of it to
/// [`LocalProvider::new`], so that they share compiled code. Users' own modules are compiled once for each engine;
/// give [`engine`] a directory to keep the compiled code between runs.
///
/// # Errors
///
/// `Unexpected` if the standard files cannot be created.
pub fn local(options: LocalOptions) -> Result<LocalProvider> {
    #[cfg(feature = "packs")]
    {
        use crate::pack;
        let packs = pack::user_packs().map(|directory| pack::installed(&directory)).unwrap_or_default();
        if !packs.is_empty() {
            return pack::provider(options, &packs, pack::user_cache());
        }
    }
    LocalProvider::new(engine(None)?, options)
}

/// An engine with the guest shell and utilities.
///
/// `cache` is a directory where the compiled code of users' own modules is kept between runs. If it is missing, it
/// is created with mode 0700. A directory that other users own or can enter is refused, because compiled code that
/// is loaded must be trusted.
///
/// # Errors
///
/// `InvalidRequest` if `cache` cannot be used.
pub fn engine(cache: Option<PathBuf>) -> Result<Engine> {
    let mut options = EngineOptions::new(image());
    options.cache_dir = cache;
    Engine::new(options)
        .map_err(|error| Error::new(ErrorKind::InvalidRequest, error.to_string()).with_source(error))
}
