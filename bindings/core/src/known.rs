//! Providers by name, the same as on the command line.

use sandshell::config::Config;
use sandshell::registry::{Param, Registry};
use sandshell::{Error, ProviderMetadata, Result, SandboxProvider};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Environment variables, in which credentials are looked up. The bindings do not read the environment themselves.
pub type Variables = BTreeMap<String, String>;

/// Parameters of a provider, by name.
pub type Params = BTreeMap<String, Value>;

/// A parameter's value.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A boolean.
    Truth(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
    /// Strings by name.
    Table(BTreeMap<String, String>),
}

/// A provider that can be chosen by name.
#[derive(Clone, Debug)]
pub struct KnownProvider {
    /// Its name.
    pub name: String,
    /// Its kind: the same as the name unless a configuration declares it.
    pub kind: String,
    /// What must be done before it can be used; `None`: nothing.
    pub missing: Option<String>,
    /// Its metadata; `None` if this build lacks it.
    pub metadata: Option<ProviderMetadata>,
}

/// All providers.
pub async fn known(variables: Variables) -> Vec<KnownProvider> {
    let registry = registry(variables).0;
    let mut all = Vec::new();
    for known in registry.known() {
        let metadata = registry.metadata(&known.name).await.ok();
        all.push(KnownProvider { name: known.name, kind: known.kind, missing: known.missing, metadata });
    }
    all
}

/// The metadata of the provider `name`, which needs no credentials.
pub(crate) async fn metadata(name: &str, params: Params, variables: Variables) -> Result<ProviderMetadata> {
    declared(name, params, variables)?.metadata(name).await
}

/// The provider `name`. `params` take precedence over those in a configuration.
pub(crate) async fn provider(
    name: &str,
    params: Params,
    variables: Variables,
) -> Result<Arc<dyn SandboxProvider>> {
    declared(name, params, variables)?.provider(name).await
}

fn declared(name: &str, params: Params, variables: Variables) -> Result<Registry> {
    let (mut registry, config, warnings) = registry(variables);
    let entry = format!("sandboxes.providers.{name} is skipped:");
    if let Some(warning) = warnings.into_iter().find(|warning| warning.starts_with(&entry)) {
        return Err(Error::invalid_request(warning));
    }
    if !params.is_empty() {
        let mut declaration = config.providers.get(name).cloned().unwrap_or_default();
        declaration.params.extend(params.into_iter().map(|(name, value)| (name, value.into())));
        registry.declare(name, declaration)?;
    }
    Ok(registry)
}

/// The built-in providers and those of the user's configuration.
fn registry(variables: Variables) -> (Registry, Config, Vec<String>) {
    let file = config(&variables);
    let mut registry = sandshell::providers(move |name| variables.get(name).cloned());
    // A missing configuration declares nothing.
    let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let (config, mut warnings) = Config::parse(&text);
    warnings.extend(config.declare(&mut registry));
    (registry, config, warnings)
}

/// The path of the configuration, the same as on the command line.
fn config(variables: &Variables) -> Option<PathBuf> {
    let filled = |name: &str| variables.get(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let absolute = |name: &str| filled(name).filter(|path| path.is_absolute());
    let base = || absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    filled("SANDSHELL_CONFIG").or_else(|| Some(base()?.join("sandshell/config.toml")))
}

impl From<Value> for Param {
    fn from(value: Value) -> Self {
        match value {
            Value::Truth(value) => Self::Text(value.to_string()),
            Value::Whole(value) => Self::Text(value.to_string()),
            Value::Number(value) => Self::Text(value.to_string()),
            Value::Text(value) => Self::Text(value),
            Value::List(values) => Self::List(values),
            Value::Table(values) => Self::Table(values),
        }
    }
}

/// Does not show values, because they may be credentials.
impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Value(…)")
    }
}
