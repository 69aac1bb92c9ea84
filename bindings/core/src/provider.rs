//! Providers.

use crate::create::Defaults;
use crate::known::{self, Params, Variables};
use crate::process::ProcessOwned;
use crate::{Create, Handle, Options, Snapshot, duration};
use sandshell::{
    CreateOptions, Error, ErrorKind, ListOptions, LocalProvider, ProviderMetadata, Result, Sandbox,
    SandboxProvider, archive,
};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// A provider. Clones refer to the same one.
#[derive(Clone, Debug)]
pub struct Provider(Arc<ProcessOwned<Kind>>);

#[derive(Clone, Debug)]
enum Kind {
    /// The local provider, whose sandboxes have mounts and overlays.
    Local(LocalProvider),
    Other(Arc<dyn SandboxProvider>),
}

/// A sandbox in a listing.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// The name of its state.
    pub state: &'static str,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// When it was created.
    pub created_at: Option<SystemTime>,
}

impl Provider {
    /// A provider of sandboxes in this process, all with these options.
    ///
    /// # Errors
    /// `InvalidRequest` for options that are not possible.
    pub fn local(options: &Options) -> Result<Self> {
        options.provider().map(Self::from)
    }

    /// The provider of this name, the same as on the command line.
    ///
    /// # Errors
    /// `InvalidRequest` for an unknown name or parameter, `Unsupported` for a provider that this build lacks,
    /// `Unauthenticated` for one whose credentials are missing.
    pub async fn named(name: &str, params: Params, variables: Variables) -> Result<Self> {
        known::provider(name, params, variables).await.map(Self::other)
    }

    /// The metadata of the provider of this name, which needs no credentials.
    ///
    /// # Errors
    /// Those of [`named`](Self::named).
    pub async fn describe(name: &str, params: Params, variables: Variables) -> Result<ProviderMetadata> {
        known::metadata(name, params, variables).await
    }

    pub(crate) fn other(provider: Arc<dyn SandboxProvider>) -> Self {
        Self(Arc::new(ProcessOwned::new(Kind::Other(provider))))
    }

    /// Its name, working directory and capabilities.
    pub fn metadata(&self) -> ProviderMetadata {
        match &**self.0 {
            Kind::Local(provider) => provider.metadata(),
            Kind::Other(provider) => provider.metadata(),
        }
    }

    /// Creates a sandbox, or returns the existing one with the id in `create`.
    ///
    /// # Errors
    /// `Unsupported` for an option that the provider lacks, and the provider's errors.
    pub async fn create(&self, create: Create) -> Result<Handle> {
        let (options, defaults) = create.options()?;
        self.make(options, defaults, 0).await
    }

    pub(crate) async fn make(
        &self,
        options: CreateOptions,
        defaults: Defaults,
        family: u64,
    ) -> Result<Handle> {
        match self.here()? {
            Kind::Local(provider) => {
                let owned = options.id.is_none();
                let sandbox = provider.open(options).await?;
                Ok(Handle::local(provider.clone(), sandbox, owned, defaults, family))
            }
            Kind::Other(provider) => Handle::other(provider.clone(), options, defaults).await,
        }
    }

    /// A page of the existing sandboxes, and the cursor of the next page.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn list(
        &self,
        labels: Vec<(String, String)>,
        cursor: Option<String>,
    ) -> Result<(Vec<Listed>, Option<String>)> {
        let mut options = ListOptions::default();
        options.labels = labels;
        options.cursor = cursor;
        let page = self.shared()?.list(options).await?;
        let listed = page.sandboxes.into_iter().map(|info| Listed {
            id: info.id,
            state: info.state.name(),
            labels: info.labels,
            created_at: info.created_at,
        });
        Ok((listed.collect(), page.next_cursor))
    }

    /// Deletes a sandbox by its id. It is no error if the sandbox does not exist.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn delete(&self, id: &str) -> Result<()> {
        self.shared()?.delete(id).await
    }

    /// Deletes a snapshot by its id. It is no error if the snapshot does not exist.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn delete_snapshot(&self, id: &str) -> Result<()> {
        self.shared()?.delete_snapshot(id).await
    }

    /// Takes a snapshot of a sandbox, by its id. Not every provider supports a `name`.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<Snapshot> {
        let info = self.shared()?.snapshot(id, name).await?;
        Ok(Snapshot::new(0, self.clone(), info.id))
    }

    /// Puts a sandbox back to a snapshot.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        self.shared()?.restore(id, snapshot).await
    }

    /// Creates a sandbox with a copy of the files of another one; returns its id.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn fork(&self, id: &str) -> Result<String> {
        let fork = self.shared()?.fork(id).await?;
        self.let_go(fork.id()).await?;
        Ok(fork.id().to_owned())
    }

    /// Stops a sandbox until it is resumed, and keeps its files.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn pause(&self, id: &str) -> Result<()> {
        self.shared()?.pause(id).await
    }

    /// Lets a paused sandbox run again. It is no error if it does.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn resume(&self, id: &str) -> Result<()> {
        self.shared()?.resume(id).await
    }

    /// Sets the seconds after which a sandbox ends by itself; `None`: never.
    ///
    /// # Errors
    /// The provider's errors, and `InvalidRequest` for what is no number of seconds.
    pub async fn set_ttl(&self, id: &str, seconds: Option<f64>) -> Result<()> {
        self.shared()?.set_ttl(id, seconds.map(duration).transpose()?).await
    }

    /// Writes a local sandbox that is kept on disk to a file, all or nothing: its newest files, or those of a `state`
    /// or snapshot. The [form](archive::Form) is what the file's name asks for.
    ///
    /// # Errors
    /// `Unsupported` for another provider, `NotFound`, and those of writing.
    pub async fn export(&self, id: &str, state: Option<&str>, file: &Path) -> Result<()> {
        let provider = self.stored("export")?;
        let (id, state, file) = (id.to_owned(), state.map(str::to_owned), file.to_owned());
        aside(move || {
            let failed = failed(&file);
            let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            let mut temporary =
                NamedTempFile::new_in(directory.unwrap_or(Path::new("."))).map_err(&failed)?;
            let mut to = BufWriter::new(temporary.as_file_mut());
            archive::export(&provider, &id, state.as_deref(), archive::Form::of(&file), &mut to)?;
            to.flush().map_err(&failed)?;
            drop(to);
            temporary.as_file().sync_all().map_err(&failed)?;
            temporary.persist(&file).map_err(|error| failed(error.error))?;
            Ok(())
        })
        .await
    }

    /// Creates a local sandbox that is kept on disk from what [`export`](Self::export) wrote, or with the files of
    /// another tar archive; returns its id.
    ///
    /// # Errors
    /// `Unsupported` for another provider, `InvalidRequest` for what is no such archive, and those of reading.
    pub async fn import(&self, file: &Path, labels: Vec<(String, String)>) -> Result<String> {
        let provider = self.stored("import")?;
        let from = File::open(file).map_err(failed(file))?;
        let mut options = CreateOptions::default();
        options.labels = labels;
        let sandbox = archive::import(&provider, options, BufReader::new(from)).await?;
        self.let_go(sandbox.id()).await?;
        Ok(sandbox.id().to_owned())
    }

    /// Lets other processes use a sandbox that no handle is on.
    async fn let_go(&self, id: &str) -> Result<()> {
        match self.as_local() {
            Some(local) => local.release(id).await,
            None => Ok(()),
        }
    }

    /// The local provider, if it keeps sandboxes on disk.
    fn stored(&self, operation: &str) -> Result<LocalProvider> {
        match self.here()? {
            Kind::Local(provider) if provider.options().data_dir.is_some() => Ok(provider.clone()),
            Kind::Local(_) => Err(Error::unsupported("the provider local without data_dir", operation)),
            Kind::Other(provider) => {
                Err(Error::unsupported(&format!("provider {}", provider.metadata().name), operation))
            }
        }
    }

    /// The provider; an error in a forked child of its process.
    pub(crate) fn shared(&self) -> Result<Arc<dyn SandboxProvider>> {
        Ok(match self.here()? {
            Kind::Local(provider) => Arc::new(provider.clone()),
            Kind::Other(provider) => provider.clone(),
        })
    }

    fn here(&self) -> Result<&Kind> {
        self.0.here(|| format!("provider {}", self.metadata().name))
    }

    pub(crate) fn as_local(&self) -> Option<&LocalProvider> {
        match &**self.0 {
            Kind::Local(provider) => Some(provider),
            Kind::Other(_) => None,
        }
    }
}

impl From<LocalProvider> for Provider {
    fn from(provider: LocalProvider) -> Self {
        Self(Arc::new(ProcessOwned::new(Kind::Local(provider))))
    }
}

/// Does what waits for the disk on a thread for that.
async fn aside(work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|failed| Error::new(ErrorKind::Unexpected, failed.to_string()))?
}

fn failed(file: &Path) -> impl Fn(io::Error) -> Error {
    let kind = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::QuotaExceeded,
        _ => ErrorKind::Unexpected,
    };
    move |error| Error::new(kind(&error), format!("{}: {error}", file.display())).with_source(error)
}
