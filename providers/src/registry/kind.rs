//! The trait by which other crates add kinds of providers.

use std::sync::Arc;

use async_trait::async_trait;

use super::Settings;
use crate::{Result, SandboxProvider};

/// Makes providers of one kind.
#[async_trait]
pub trait ProviderKind: Send + Sync + 'static {
    /// The name by which it is chosen.
    fn name(&self) -> &str;

    /// What must be done before it can be used, in a few words (`set E2B_API_KEY`); `None`: nothing. Does not use
    /// the network.
    fn missing(&self, settings: &Settings) -> Option<String> {
        let _ = settings;
        None
    }

    /// Makes a provider. Does not use the network.
    ///
    /// # Errors
    ///
    /// If something is wrong with the settings.
    async fn make(&self, settings: &Settings) -> Result<Arc<dyn SandboxProvider>>;

    /// Whether this build has its code; if not, [`missing`](Self::missing) says how to get it.
    fn is_in_this_build(&self) -> bool {
        true
    }

    /// Whether it can be used without a declaration in a configuration.
    fn is_complete(&self) -> bool {
        true
    }
}
