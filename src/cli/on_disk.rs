//! The local sandboxes that are kept on disk.

use super::failure::{Failure, note};
use super::{engine, pack, places, shells};
use sandshell::pack::{self as pack_files, Pack};
use sandshell::store::Store;
use sandshell::{
    CreateOptions, DataDir, Error, ErrorKind, Limits, LocalOptions, LocalProvider, LocalSandbox, Mount,
    MountSource, Retry,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The provider of the sandboxes that are kept, with these packs.
pub(crate) fn provider(options: LocalOptions, packs: &[Pack]) -> Result<LocalProvider, Failure> {
    let options = self::options(options)?;
    let engine = engine::with(packs, |options| options.max_processes = 2 * Limits::default().processes)?;
    Ok(LocalProvider::new(engine, pack_files::add(options, packs))?)
}

/// These options, for sandboxes that are kept.
pub(crate) fn options(options: LocalOptions) -> Result<LocalOptions, Failure> {
    let DataDir { directory, shared } = places::sandboxes()?;
    let trust_mounts = places::are_users_own();
    Ok(LocalOptions { data_dir: Some(directory), shared, trust_mounts, ..options })
}

/// The provider of the sandboxes that are kept, with the packs that are installed.
pub(crate) fn plain_provider() -> Result<LocalProvider, Failure> {
    provider(LocalOptions::default(), &pack::chosen(&[], false)?)
}

/// The sandbox with this id. Waits as long as another process uses it, and says so.
pub(crate) async fn open(provider: &LocalProvider, id: &str) -> Result<Arc<LocalSandbox>, Failure> {
    shells::explain(id).await;
    Ok(waiting(async || provider.open(CreateOptions::existing(id)).await).await?)
}

/// The directories of the host that are mounted in the sandbox with this id when this provider opens it.
pub(crate) fn mounted(provider: &LocalProvider, id: &str) -> Result<Vec<PathBuf>, Failure> {
    let Some(store) = provider.store()? else { return Ok(Vec::new()) };
    let options = provider.options_of(&store.sandbox(id)?)?;
    let host = |mount: &Mount| match &mount.source {
        MountSource::HostReadOnly(host) | MountSource::HostReadWrite(host) | MountSource::Overlay(host) => {
            Some(host.clone())
        }
        _ => None,
    };
    Ok(options.mounts.iter().filter_map(host).collect())
}

/// Does something as soon as no other process uses the sandbox.
pub(crate) async fn waiting<T>(work: impl AsyncFn() -> Result<T, Error>) -> Result<T, Error> {
    /// How often it is tried.
    const PAUSE: Duration = Duration::from_millis(50);
    let mut said = false;
    loop {
        match work().await {
            Err(error) if error.kind() == ErrorKind::Conflict && error.retry() != Retry::Never => {
                if !std::mem::replace(&mut said, true) {
                    note(&format!("{error}: waiting"));
                }
                let pause = match error.retry() {
                    Retry::Later(Some(pause)) => pause,
                    _ => PAUSE,
                };
                tokio::time::sleep(pause).await;
            }
            done => return done,
        }
    }
}

/// An error if there is no local sandbox with this id.
#[cfg(unix)]
pub(crate) fn known(id: &str) -> Result<(), Failure> {
    store()?.sandbox(id).map(drop).map_err(failed)
}

/// Their store.
pub(crate) fn store() -> Result<Store, Failure> {
    let DataDir { directory, shared } = places::sandboxes()?;
    let opened = match shared {
        Some(shared) => Store::shared(&shared, &directory),
        None => Store::open(&directory),
    };
    opened.map_err(|error| Failure::new(error.to_string()))
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}
