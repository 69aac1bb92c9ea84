//! What another crate implements.

use std::sync::Arc;

use async_trait::async_trait;

use super::Settings;
use crate::{Result, SandboxProvider};

/// Makes providers of one kind.
#[async_trait]
pub trait ProviderKind: Send + Sync + 'static {
    /// The name that it is chosen by.
    fn name(&self) -> &str;

    /// What has to be done before it can be used, in a few words (`set E2B_API_KEY`); `None`: nothing. Touches no network.
    fn missing(&self, settings: &Settings) -> Option<String> {
        let _ = settings;
        None
    }

    /// A provider. Touches no network.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings.
    async fn make(&self, settings: &Settings) -> Result<Arc<dyn SandboxProvider>>;

    /// Whether its code is there; if not, [`missing`](Self::missing) says how to get it.
    fn is_in_this_build(&self) -> bool {
        true
    }

    /// Whether it is a provider without a declaration that says more.
    fn is_complete(&self) -> bool {
        true
    }
}
