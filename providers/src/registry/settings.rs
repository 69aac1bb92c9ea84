//! The settings from which a provider is made.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::{Error, Result};

pub(super) type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// A provider as a configuration declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// The kind that it configures; `None`: the kind of the same name.
    pub kind: Option<String>,
    /// The default working directory of its sandboxes.
    pub working_dir: Option<String>,
    /// Parameters by name.
    pub params: BTreeMap<String, Param>,
}

/// A value of a configuration.
#[derive(Clone, PartialEq, Eq)]
pub enum Param {
    /// A string. Numbers and booleans are converted to text.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
    /// Strings by name.
    Table(BTreeMap<String, String>),
}

/// The settings from which a kind makes a provider. A parameter takes precedence over the variable of the same
/// meaning.
pub struct Settings {
    name: String,
    kind: String,
    params: BTreeMap<String, Param>,
    variables: Arc<Lookup>,
    used: Mutex<BTreeSet<String>>,
}

impl Settings {
    pub(super) fn new(
        name: &str,
        kind: &str,
        params: BTreeMap<String, Param>,
        variables: Arc<Lookup>,
    ) -> Self {
        Self { name: name.to_owned(), kind: kind.to_owned(), params, variables, used: Mutex::default() }
    }

    /// The name under which it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A parameter. Parameters that the kind does not ask for are refused after the provider was made.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.used.lock().insert(name.to_owned());
        self.params.get(name)
    }

    /// All parameters, for a kind that passes them on.
    pub fn params(&self) -> &BTreeMap<String, Param> {
        self.used.lock().extend(self.params.keys().cloned());
        &self.params
    }

    /// Looks up a variable, or the parameter that replaces it: for `E2B_API_KEY` the parameter `api_key` (or
    /// `e2b_api_key`) of the kind `e2b`, then the variable.
    pub fn variable(&self, name: &str) -> Option<String> {
        let plain = name.strip_prefix("SANDSHELL_").unwrap_or(name).to_ascii_lowercase();
        let short = plain.strip_prefix(&format!("{}_", self.kind)).map(str::to_owned);
        for key in short.into_iter().chain([plain]) {
            if let Some(Param::Text(value)) = self.param(&key) {
                return Some(value.clone());
            }
        }
        (self.variables)(name)
    }

    /// The variable with or without the prefix; an empty one counts as missing.
    pub fn filled(&self, name: &str) -> Option<String> {
        let filled = |name: &str| self.variable(name).filter(|value| !value.is_empty());
        filled(&format!("SANDSHELL_{name}")).or_else(|| filled(name))
    }

    /// Refuses parameters that the kind did not ask for.
    pub(super) fn check_all_used(&self) -> Result<()> {
        let used = self.used.lock();
        let Some(unknown) = self.params.keys().find(|name| !used.contains(*name)) else { return Ok(()) };
        let kind = &self.kind;
        let short: Vec<&str> =
            used.iter().filter(|name| !name.starts_with(&format!("{kind}_"))).map(String::as_str).collect();
        let known = if short.is_empty() { "none".to_owned() } else { short.join(", ") };
        Err(Error::invalid_request(format!(
            "the provider {} has no parameter {unknown:?}: known are {known}",
            self.name
        )))
    }
}

/// Does not show values, because they may be credentials.
impl fmt::Debug for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text(…)",
            Self::List(_) => "List(…)",
            Self::Table(_) => "Table(…)",
        })
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kind, params) = (&self.name, &self.kind, &self.params);
        f.debug_struct("Settings").field("name", name).field("kind", kind).field("params", params).finish()
    }
}
