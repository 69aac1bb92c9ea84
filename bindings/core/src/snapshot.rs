//! Kept states.

use crate::process::Own;
use crate::{Handle, Provider};
use sandshell::{CreateOptions, Result};
use std::sync::Arc;

/// The files of a sandbox as they were.
///
/// A local sandbox's are removed with the last handle on them; those at a service stay until they are deleted.
#[derive(Clone, Debug)]
pub struct Snapshot(Arc<Own<Kept>>);

#[derive(Debug)]
struct Kept {
    /// The sandboxes that it may be restored in; zero: those that the provider says.
    family: u64,
    provider: Provider,
    id: String,
}

impl Snapshot {
    pub(crate) fn new(family: u64, provider: Provider, id: String) -> Self {
        Self(Arc::new(Own::new(Kept { family, provider, id })))
    }

    /// The provider's name for it.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    pub(crate) fn family(&self) -> u64 {
        self.0.family
    }

    /// A new sandbox with these files, and the options of the sandbox that they were of.
    ///
    /// # Errors
    /// The provider's.
    pub async fn create(&self) -> Result<Handle> {
        let kept = self.0.here(|| "snapshot".to_owned())?;
        let options = CreateOptions::default().snapshot(&kept.id);
        kept.provider.make(options, Default::default(), kept.family).await
    }

    /// Removes it. One that is not there counts as removed.
    ///
    /// # Errors
    /// The provider's.
    pub async fn delete(&self) -> Result<()> {
        let kept = self.0.here(|| "snapshot".to_owned())?;
        kept.provider.shared()?.delete_snapshot(&kept.id).await
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(local) = self.provider.as_local() {
            local.remove_snapshot(&self.id);
        }
    }
}
