//! A sandbox and who ends it.

use std::ops::Deref;
use std::sync::Arc;

use crate::{CreateOptions, Result, Sandbox, SandboxProvider};

/// A sandbox that is deleted when its handle ends, if the handle created it.
///
/// [`close`](Self::close) deletes it and says whether that worked. A handle that is dropped leaves the deletion to the
/// runtime, if there is one, and nobody hears how it went.
#[derive(Debug)]
pub struct SandboxHandle {
    sandbox: Arc<dyn Sandbox>,
    provider: Arc<dyn SandboxProvider>,
    owned: bool,
}

impl SandboxHandle {
    /// Creates a sandbox, or finds the one with [`CreateOptions::id`].
    ///
    /// # Errors
    ///
    /// Those of [`SandboxProvider::get_or_create`].
    pub async fn create(provider: Arc<dyn SandboxProvider>, options: CreateOptions) -> Result<Self> {
        let owned = options.id.is_none();
        let sandbox = provider.get_or_create(options).await?;
        Ok(Self { sandbox, provider, owned })
    }

    /// The sandbox. It may be kept beyond the handle, but not used when it is deleted.
    pub fn sandbox(&self) -> &Arc<dyn Sandbox> {
        &self.sandbox
    }

    /// Where it comes from.
    pub fn provider(&self) -> &Arc<dyn SandboxProvider> {
        &self.provider
    }

    /// Whether it is deleted in the end.
    pub fn is_owned(&self) -> bool {
        self.owned
    }

    /// Makes the caller responsible for the end of the sandbox.
    pub fn keep(mut self) -> Arc<dyn Sandbox> {
        self.owned = false;
        self.sandbox.clone()
    }

    /// Deletes the sandbox if it was created by this handle.
    ///
    /// # Errors
    ///
    /// Those of [`SandboxProvider::delete`]: the sandbox may then live on.
    pub async fn close(mut self) -> Result<()> {
        if !self.owned {
            return Ok(());
        }
        let done = self.provider.delete(self.sandbox.id()).await;
        self.owned = false;
        done
    }
}

impl Deref for SandboxHandle {
    type Target = dyn Sandbox;

    fn deref(&self) -> &Self::Target {
        &*self.sandbox
    }
}

impl Drop for SandboxHandle {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (provider, sandbox) = (self.provider.clone(), self.sandbox.clone());
            runtime.spawn(async move { provider.delete(sandbox.id()).await });
        }
    }
}
