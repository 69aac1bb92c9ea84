//! Which provider: `--sandbox`, `SANDSHELL_SANDBOX`, the configuration, or the local one.

use super::configuration;
use super::failure::{Failure, note};
use super::on_disk;
use sandshell::SandboxProvider;
use sandshell::config::Config;
use sandshell::registry::Registry;
use std::sync::Arc;

const LOCAL: &str = "local";

/// All providers, and which one was chosen.
pub(crate) struct Choice {
    pub(crate) registry: Registry,
    pub(crate) name: String,
    config: Config,
}

impl Choice {
    pub(crate) fn new(asked: Option<&str>) -> Result<Choice, Failure> {
        let (registry, config) = registry()?;
        let variable = || std::env::var("SANDSHELL_SANDBOX").ok().filter(|name| !name.is_empty());
        let name = asked.map(str::to_owned).or_else(variable).or_else(|| config.default.clone());
        Ok(Choice { registry, name: name.unwrap_or_else(|| LOCAL.to_owned()), config })
    }

    /// Whether its sandboxes are this process's own.
    pub(crate) fn is_local(&self) -> bool {
        self.registry.known().iter().any(|known| known.name == self.name && known.kind == LOCAL)
    }

    /// The working directory from its declaration in the configuration.
    pub(crate) fn working_dir(&self) -> Option<&str> {
        self.config.providers.get(&self.name)?.working_dir.as_deref()
    }

    pub(crate) async fn provider(&self) -> Result<Arc<dyn SandboxProvider>, Failure> {
        Ok(self.registry.provider(&self.name).await?)
    }

    /// The provider, if its sandboxes outlive this process; an error otherwise. Of the local ones, those that are kept.
    pub(crate) async fn lasting(&self) -> Result<Arc<dyn SandboxProvider>, Failure> {
        if self.is_local() {
            return Ok(Arc::new(on_disk::plain_provider()?));
        }
        let provider = self.provider().await?;
        if provider.metadata().capabilities.ephemeral { Err(self.ephemeral()) } else { Ok(provider) }
    }

    /// The error for commands that manage sandboxes: those of this provider end with their process.
    pub(crate) fn ephemeral(&self) -> Failure {
        Failure::about(
            &self.name,
            "its sandboxes end with their process: choose another provider with --sandbox, or keep files with `sandshell exec --state FILE`",
        )
    }
}

/// All providers, and the configuration.
pub(crate) fn registry() -> Result<(Registry, Config), Failure> {
    let mut registry = sandshell::providers(|name| std::env::var(name).ok());
    let Some(file) = configuration::read()? else { return Ok((registry, Config::default())) };
    let (config, mut warnings) = Config::parse(&file.text);
    warnings.extend(config.declare(&mut registry));
    for warning in warnings {
        note(&format!("warning: {}: {warning}", file.path.display()));
    }
    Ok((registry, config))
}
