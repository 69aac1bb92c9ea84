//! Every provider by name.

use async_trait::async_trait;
use sandshell_providers::local::LocalOptions;
use sandshell_providers::registry::{ProviderKind, Registry, Settings};
use sandshell_providers::{Result, SandboxProvider};
use std::sync::Arc;

/// A registry of the local provider, the clouds and providers that are commands. `variables` looks up credentials
/// and addresses, usually in the process's environment.
///
/// ```
/// use sandshell::{CreateOptions, SandboxExt};
///
/// # #[tokio::main(flavor = "multi_thread", worker_threads = 2)]
/// # async fn main() -> sandshell::Result<()> {
/// let providers = sandshell::providers(|name| std::env::var(name).ok());
/// let sandbox = providers.create_sandbox("local", CreateOptions::default()).await?;
/// assert_eq!(sandbox.run("echo hi").await?.text(), "hi\n");
/// sandbox.close().await
/// # }
/// ```
pub fn providers(variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Registry {
    Registry::new(variables).with(Local)
}

/// Sandboxes in this process.
struct Local;

#[async_trait]
impl ProviderKind for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    async fn make(&self, _: &Settings) -> Result<Arc<dyn SandboxProvider>> {
        Ok(Arc::new(crate::local(LocalOptions::default())?))
    }
}
