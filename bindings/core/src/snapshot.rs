//! Snapshots.

use crate::process::ProcessOwned;
use crate::{Handle, Provider};
use sandshell::{CreateOptions, Result};
use std::sync::Arc;

/// A snapshot of a sandbox's files.
///
/// A snapshot of a sandbox in memory is deleted with the last handle on it; others stay until they are deleted.
#[derive(Clone, Debug)]
pub struct Snapshot(Arc<ProcessOwned<Stored>>);

#[derive(Debug)]
struct Stored {
    /// The family of sandboxes that it may be restored in; zero: the provider decides.
    family: u64,
    provider: Provider,
    id: String,
}

impl Snapshot {
    pub(crate) fn new(family: u64, provider: Provider, id: String) -> Self {
        Self(Arc::new(ProcessOwned::new(Stored { family, provider, id })))
    }

    /// The provider's id for it.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    pub(crate) fn family(&self) -> u64 {
        self.0.family
    }

    /// Creates a sandbox with these files and the options of the original sandbox.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn create(&self) -> Result<Handle> {
        let kept = self.0.here(|| "snapshot".to_owned())?;
        let options = CreateOptions::default().snapshot(&kept.id);
        kept.provider.make(options, Default::default(), kept.family).await
    }

    /// Deletes it. It is no error if it does not exist.
    ///
    /// # Errors
    /// The provider's errors.
    pub async fn delete(&self) -> Result<()> {
        let kept = self.0.here(|| "snapshot".to_owned())?;
        kept.provider.shared()?.delete_snapshot(&kept.id).await
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        if let Some(local) = self.provider.as_local() {
            local.remove_snapshot(&self.id);
        }
    }
}
