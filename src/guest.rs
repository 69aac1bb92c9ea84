//! The one place where the local provider meets the guest programs.

use sandshell_providers::local::{LocalOptions, LocalProvider};
use sandshell_providers::{Error, ErrorKind, Result};
use sandshell_runtime::{Engine, EngineOptions, SystemImage};
use std::path::PathBuf;

/// The guest shell and utilities, for [`EngineOptions`]: the programs that every sandbox has.
///
/// The user's own directories of this program (`sandshell` in those for caches, configurations, data and state) are
/// [reserved](sandshell_runtime::SystemImage::reserved): no sandbox of an engine with this image gets them for writing, whatever
/// is mounted. Where they are is read from the environment, here and now.
pub fn image() -> SystemImage {
    SystemImage { reserved: crate::places::reserved(), ..sandshell_guest::image() }
}

/// Sandboxes in this process, with the guest shell and utilities that are part of this library.
///
/// The packs that are installed for the user are in them (feature `packs`, see [`pack`](crate::pack)); `pack::provider` makes
/// sandboxes with others or with none.
///
/// Each call makes an engine of its own, which compiles nothing and holds no memory until a command runs. For several
/// providers (say with different mounts) make one [`engine`] and hand clones of it to [`LocalProvider::new`]: compiled
/// code is then shared. Modules that users bring are compiled once for each engine; give [`engine`] a directory to keep
/// them between runs.
///
/// # Errors
///
/// `Unexpected` if the standard files cannot be made.
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
/// `cache` is a directory where the compiled code of users' own modules is kept between runs. It is created, with mode
/// 0700, if it is missing; one that others own or can enter is refused, as loading compiled code means trusting it.
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
