//! Providers.

use crate::create::Defaults;
use crate::known::{self, Params, Variables};
use crate::process::ProcessOwned;
use crate::{Create, Handle, Options};
use sandshell::{CreateOptions, ListOptions, LocalProvider, ProviderMetadata, Result, SandboxProvider};
use std::sync::Arc;
use std::time::SystemTime;

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
