//! A handle that owns a sandbox.

use std::ops::Deref;
use std::sync::Arc;

use crate::{CreateOptions, Result, Sandbox, SandboxProvider};

/// A sandbox that is deleted at the end of its handle, if the handle created it.
///
/// [`close`](Self::close) deletes it and returns whether that worked. Dropping the handle deletes it in the
/// background, if there is a runtime; errors are then lost.
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

    /// The sandbox. A clone may outlive the handle, but cannot be used when the sandbox is deleted.
    pub fn sandbox(&self) -> &Arc<dyn Sandbox> {
        &self.sandbox
    }

    /// The sandbox's provider.
    pub fn provider(&self) -> &Arc<dyn SandboxProvider> {
        &self.provider
    }

    /// Whether the handle deletes the sandbox at its end.
    pub fn is_owned(&self) -> bool {
        self.owned
    }

    /// Returns the sandbox without deleting it; the caller becomes responsible for that.
    pub fn keep(mut self) -> Arc<dyn Sandbox> {
        self.owned = false;
        self.sandbox.clone()
    }

    /// Deletes the sandbox if it was created by this handle.
    ///
    /// # Errors
    ///
    /// Those of [`SandboxProvider::delete`]; the sandbox may then still exist.
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
