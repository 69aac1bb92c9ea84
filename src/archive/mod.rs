//! A sandbox's own files in a tar archive, which container tools read too.
//!
//! Files of the system (those of user 0: the commands, `/etc`) are not in it, because each version of sandshell
//! brings its own. Files of the host are not in it either, but files that a mount hides are. Holes stay holes.

mod read;
mod tar;
mod write;

use crate::{CreateOptions, Error, ErrorKind, LocalProvider, LocalSandbox, Result, Sandbox, SandboxProvider};
use sandshell_store::StoreError;
use sandshell_vfs::{MountOptions, Namespace};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Writes the files of a sandbox as they are now.
///
/// # Errors
/// Those of writing, and of reading the files.
pub fn write(sandbox: &LocalSandbox, to: impl Write) -> io::Result<()> {
    write::write(&own_files(sandbox), to)
}

/// Makes the files of a new sandbox those of an archive. An empty archive changes nothing.
///
/// # Errors
/// Why the archive cannot be read, or which file of it the sandbox cannot have. The sandbox then has some of them.
pub fn read(sandbox: &LocalSandbox, from: impl Read) -> std::result::Result<(), String> {
    read::read(&own_files(sandbox), from, sandbox.options().workdir.as_bytes())
}

/// Writes the files of a sandbox that is kept on disk, which may be in use: as they were stored last, or as they were in
/// an older state, which is a number, or in a snapshot.
///
/// # Errors
/// `Unsupported` if the provider keeps nothing on disk, `NotFound` for an unknown sandbox or state, and those of
/// writing.
pub fn export(provider: &LocalProvider, id: &str, state: Option<&str>, to: impl Write) -> Result<()> {
    let store = provider.store()?.ok_or_else(|| Error::unsupported("provider local in memory", "export"))?;
    let root = match state {
        Some(state) => store.root(id, state),
        None => store.sandbox(id).map(|record| record.head),
    };
    let files = root.and_then(|root| store.files(&root)).map_err(stored)?;
    let files = Namespace::new(Arc::new(files), MountOptions::default());
    write::write(&files, to).map_err(|error| Error::new(ErrorKind::Unexpected, error.to_string()))
}

/// Creates a sandbox with the files of an archive.
///
/// # Errors
/// `InvalidRequest` for what is no archive of a sandbox's files; there is then no new sandbox.
pub async fn import(
    provider: &LocalProvider,
    options: CreateOptions,
    from: impl Read + Send + 'static,
) -> Result<Arc<LocalSandbox>> {
    let sandbox = provider.open(options).await?;
    let filled = {
        let sandbox = sandbox.clone();
        tokio::task::spawn_blocking(move || read(&sandbox, from)).await
    };
    let filled = match filled {
        Ok(filled) => filled.map_err(Error::invalid_request),
        Err(failed) => Err(Error::new(ErrorKind::Unexpected, failed.to_string())),
    };
    let kept = match filled {
        Ok(()) => sandbox.commit("import").await,
        failed => failed,
    };
    if let Err(failed) = kept {
        provider.delete(sandbox.id()).await?;
        return Err(failed);
    }
    Ok(sandbox)
}

/// The root filesystem alone, without what is mounted over it.
fn own_files(sandbox: &LocalSandbox) -> Namespace {
    Namespace::new(sandbox.namespace().root().fs().clone(), MountOptions::default())
}

fn stored(failed: StoreError) -> Error {
    let kind = match failed {
        StoreError::NoSandbox(_) | StoreError::NoSnapshot(_) | StoreError::NoState(..) => ErrorKind::NotFound,
        _ => ErrorKind::Unexpected,
    };
    Error::new(kind, failed.to_string()).with_source(failed)
}
