//! `sandshell export` and `sandshell import`.

use super::{failed, plain_provider, store};
use crate::cli::args::{Export, Import};
use crate::cli::exec::print;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::state;
use sandshell::vfs::{MountOptions, Namespace};
use sandshell::{CreateOptions, LocalSandbox, Sandbox, SandboxProvider};
use std::path::Path;
use std::sync::Arc;

pub(crate) async fn export(args: Export) -> Result<u8, Failure> {
    let store = store(args.of.sandbox.as_deref())?;
    let root = match &args.state {
        Some(asked) => super::compare::root(&store, &args.of.id, asked)?,
        None => store.sandbox(&args.of.id).map_err(failed)?.head,
    };
    let _progress = Progress::new(format!("writing {}", args.file.display()));
    let files = Namespace::new(Arc::new(store.files(&root).map_err(failed)?), MountOptions::default());
    state::save_files(&files, &args.file).map(|()| 0)
}

pub(crate) async fn import(args: Import) -> Result<u8, Failure> {
    if !args.file.is_file() {
        return Err(Failure::about(args.file.display(), "no such file"));
    }
    let provider = plain_provider()?;
    let mut options = CreateOptions::default();
    options.labels = args.labels;
    let sandbox = provider.open(options).await?;
    if let Err(failure) = fill(&sandbox, &args.file).await {
        provider.delete(sandbox.id()).await?;
        return Err(failure);
    }
    print(format!("{}\n", sandbox.id()).as_bytes()).map(|()| 0)
}

async fn fill(sandbox: &LocalSandbox, archive: &Path) -> Result<(), Failure> {
    let _progress = Progress::new(format!("reading {}", archive.display()));
    state::load(sandbox, archive)?;
    Ok(sandbox.commit(&format!("import of {}", archive.display())).await?)
}
