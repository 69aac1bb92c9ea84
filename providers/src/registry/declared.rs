//! A provider with the name and working directory of its declaration.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::{
    CreateOptions, ListOptions, ProviderMetadata, Result, Sandbox, SandboxPage, SandboxProvider, SnapshotInfo,
};

#[derive(Debug)]
pub(super) struct Declared {
    provider: Arc<dyn SandboxProvider>,
    metadata: ProviderMetadata,
    working_dir: Option<String>,
}

impl Declared {
    /// The provider under another name, and with another working directory if one is given.
    pub(super) fn wrap(
        provider: Arc<dyn SandboxProvider>,
        name: &str,
        working_dir: Option<String>,
    ) -> Arc<dyn SandboxProvider> {
        let mut metadata = provider.metadata();
        metadata.name = name.to_owned();
        if let Some(path) = &working_dir {
            metadata.working_dir.clone_from(path);
        }
        Arc::new(Self { provider, metadata, working_dir })
    }
}

#[async_trait]
impl SandboxProvider for Declared {
    fn metadata(&self) -> ProviderMetadata {
        self.metadata.clone()
    }

    async fn get_or_create(&self, mut options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if options.id.is_none() && options.workdir.is_none() {
            options.workdir.clone_from(&self.working_dir);
        }
        self.provider.get_or_create(options).await
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        self.provider.list(options).await
    }

    async fn delete(&self, id: &str) -> Result<()> {
        self.provider.delete(id).await
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        self.provider.snapshot(id, name).await
    }

    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        self.provider.restore(id, snapshot).await
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        self.provider.delete_snapshot(snapshot).await
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        self.provider.fork(id).await
    }

    async fn pause(&self, id: &str) -> Result<()> {
        self.provider.pause(id).await
    }

    async fn resume(&self, id: &str) -> Result<()> {
        self.provider.resume(id).await
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        self.provider.set_ttl(id, ttl).await
    }
}
