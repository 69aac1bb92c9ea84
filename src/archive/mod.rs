//! A sandbox's own files in a tar archive, which container tools read too.
//!
//! Files of the system (those of user 0: the commands, `/etc`) are not in it, because each version of sandshell
//! brings its own. Files of the host are not in it either, but files that a mount hides are. Holes stay holes.

mod form;
mod read;
mod tar;
mod write;

pub use form::Form;

use crate::{CreateOptions, Error, ErrorKind, LocalProvider, LocalSandbox, Result, Sandbox, SandboxProvider};
use sandshell_providers::local::Description;
use sandshell_store::StoreError;
use sandshell_vfs::{MountOptions, Namespace};
use std::io::{self, BufRead, Read, Write};
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

/// Writes a sandbox that is kept on disk, which may be in use: its files as they were stored last, or as they were in
/// an older state, which is a number, or in a snapshot.
///
/// # Errors
/// `Unsupported` if the provider keeps nothing on disk, `NotFound` for an unknown sandbox or state, and those of
/// writing.
pub fn export(
    provider: &LocalProvider,
    id: &str,
    state: Option<&str>,
    form: Form,
    to: impl Write,
) -> Result<()> {
    let store = provider.store()?.ok_or_else(|| Error::unsupported("provider local in memory", "export"))?;
    let record = store.sandbox(id).map_err(stored)?;
    let description = Description::of(&record)?;
    let root = match state {
        Some(state) => store.root(id, state),
        None => Ok(record.head),
    };
    let files = root.and_then(|root| store.files(&root)).map_err(stored)?;
    let files = Namespace::new(Arc::new(files), MountOptions::default());
    form::write(form, &description, to, |to| write::write(&files, to))
        .map_err(|error| Error::new(ErrorKind::Unexpected, error.to_string()))
}

/// Creates a sandbox with the files of an archive of any [`Form`]. If it says what kind of sandbox it was, the new one
/// is like it, as far as `options` say nothing else; a limit is never wider than the provider's own.
///
/// # Errors
/// `InvalidRequest` for what is no archive of a sandbox's files; there is then no new sandbox.
pub async fn import(
    provider: &LocalProvider,
    options: CreateOptions,
    from: impl BufRead + Send + 'static,
) -> Result<Arc<LocalSandbox>> {
    let (description, mut from) = form::read(from).map_err(Error::invalid_request)?;
    let options = match description {
        Some(description) => merged(description.create_options(provider.options()), options),
        None => options,
    };
    let sandbox = provider.open(options).await?;
    let filled = {
        let sandbox = sandbox.clone();
        let fill = move || {
            read(&sandbox, &mut from)?;
            form::finish(&mut from)
        };
        tokio::task::spawn_blocking(fill).await
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

/// The options of a description, with what was asked for.
fn merged(mut like: CreateOptions, asked: CreateOptions) -> CreateOptions {
    like.labels.retain(|(name, _)| asked.labels.iter().all(|(other, _)| other != name));
    like.labels.extend(asked.labels);
    like.env.extend(asked.env);
    like.workdir = asked.workdir.or(like.workdir);
    like.ttl = asked.ttl.or(like.ttl);
    like
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
