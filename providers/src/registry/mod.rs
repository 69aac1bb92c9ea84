//! Providers by name.
//!
//! Names come from three sources: built in, registered by another crate ([`Registry::register`]), and declared in a
//! configuration ([`Registry::declare`]). For the same name, the later source wins. A declaration names the *kind*
//! that it configures, so that the kind still checks what it needs.
//!
//! ```no_run
//! # async fn example(environment: fn(&str) -> Option<String>) -> sandshell_providers::Result<()> {
//! use sandshell_providers::registry::Registry;
//! use sandshell_providers::{CreateOptions, SandboxExt};
//!
//! let registry = Registry::new(environment);
//! let sandbox = registry.create_sandbox("e2b", CreateOptions::default()).await?;
//! sandbox.run("echo it ends with its handle").await?;
//! sandbox.close().await
//! # }
//! ```

mod built_in;
#[cfg(feature = "command")]
mod command;
mod declared;
mod handle;
mod kind;
mod settings;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use tokio::sync::Mutex;

pub use handle::SandboxHandle;
pub use kind::ProviderKind;
pub use settings::{Declaration, Param, Settings};

use crate::{CreateOptions, Error, ErrorKind, ProviderMetadata, Result, SandboxProvider};
use declared::Declared;
use settings::Lookup;

/// The source of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// It is part of this library.
    BuiltIn,
    /// Another crate registered it.
    Registered,
    /// The configuration declares it.
    Declared,
}

/// A name that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// The name.
    pub name: String,
    /// The kind of provider; the same as the name unless a configuration declares it.
    pub kind: String,
    /// Where it comes from.
    pub source: Source,
    /// What must be done before it can be used, in a few words (`set E2B_API_KEY`); `None`: nothing.
    pub missing: Option<String>,
}

/// Providers by name. Each is made on first use and then shared.
pub struct Registry {
    kinds: BTreeMap<String, (Source, Arc<dyn ProviderKind>)>,
    declared: BTreeMap<String, Declaration>,
    variables: Arc<Lookup>,
    made: Mutex<HashMap<String, Arc<dyn SandboxProvider>>>,
}

impl Registry {
    /// A registry of the clouds and of command providers. `variables` looks up credentials and addresses, usually
    /// in the process's environment.
    pub fn new(variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let mut registry = Self {
            kinds: BTreeMap::new(),
            declared: BTreeMap::new(),
            variables: Arc::new(variables),
            made: Mutex::default(),
        };
        for kind in built_in::clouds() {
            registry.add(Source::BuiltIn, Arc::new(kind));
        }
        #[cfg(feature = "command")]
        registry.add(Source::BuiltIn, Arc::new(command::Command));
        registry
    }

    /// Adds a kind that counts as built in.
    #[must_use]
    pub fn with(mut self, kind: impl ProviderKind) -> Self {
        self.add(Source::BuiltIn, Arc::new(kind));
        self
    }

    /// Adds another crate's kind. It replaces a kind of the same name.
    pub fn register(&mut self, kind: impl ProviderKind) {
        self.add(Source::Registered, Arc::new(kind));
    }

    /// Adds a name from a configuration. It replaces an existing one.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if there is no such kind, or the working directory is not absolute.
    pub fn declare(&mut self, name: impl Into<String>, declaration: Declaration) -> Result<()> {
        let name = name.into();
        let kind = declaration.kind.as_deref().unwrap_or(&name);
        if !self.kinds.contains_key(kind) {
            let known: Vec<&str> = self.kinds.keys().map(String::as_str).collect();
            let why = format!("there is no kind {kind:?}: known are {}", known.join(", "));
            return Err(Error::invalid_request(why));
        }
        if let Some(path) = declaration.working_dir.as_ref().filter(|path| !path.starts_with('/')) {
            return Err(Error::invalid_request(format!("the working directory {path:?} is not absolute")));
        }
        self.declared.insert(name, declaration);
        Ok(())
    }

    /// All names, in alphabetical order.
    pub fn known(&self) -> Vec<Known> {
        // The kind `command` is not a provider until one is declared.
        let kinds = self.kinds.iter().filter(|(_, (_, kind))| kind.is_complete());
        let mut known: BTreeMap<&str, Known> =
            kinds.map(|(name, (source, _))| (name.as_str(), self.entry(name, name, *source))).collect();
        for (name, declaration) in &self.declared {
            let kind = declaration.kind.as_deref().unwrap_or(name);
            known.insert(name, self.entry(name, kind, Source::Declared));
        }
        known.into_values().collect()
    }

    /// The provider of this name.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for an unknown name (the message lists the known ones), `Unsupported` for one that this
    /// build lacks, `Unauthenticated` for one whose credentials are missing (the message says what to do), and the
    /// errors of making the provider.
    pub async fn provider(&self, name: &str) -> Result<Arc<dyn SandboxProvider>> {
        let mut made = self.made.lock().await;
        if let Some(provider) = made.get(name) {
            return Ok(provider.clone());
        }
        let (kind, settings) = self.settings(name).ok_or_else(|| self.unknown(name))?;
        if let Some(missing) = kind.missing(&settings) {
            let why =
                if kind.is_in_this_build() { ErrorKind::Unauthenticated } else { ErrorKind::Unsupported };
            return Err(Error::new(why, format!("the provider {name} cannot be used: {missing}")));
        }
        let mut provider = kind.make(&settings).await?;
        settings.check_all_used()?;
        if let Some(declaration) = self.declared.get(name) {
            provider = Declared::wrap(provider, name, declaration.working_dir.clone());
        }
        made.insert(name.to_owned(), provider.clone());
        Ok(provider)
    }

    /// The metadata of the provider of this name. It needs no credentials.
    ///
    /// # Errors
    ///
    /// Those of [`provider`](Self::provider), except for missing credentials.
    pub async fn metadata(&self, name: &str) -> Result<ProviderMetadata> {
        let (kind, settings) = self.settings(name).ok_or_else(|| self.unknown(name))?;
        let provider = kind.make(&settings).await?;
        Ok(match self.declared.get(name) {
            Some(declaration) => Declared::wrap(provider, name, declaration.working_dir.clone()).metadata(),
            None => provider.metadata(),
        })
    }

    /// Creates a sandbox that is deleted with its handle. With [`CreateOptions::id`], returns the existing one with
    /// this id, which the handle does not delete.
    ///
    /// # Errors
    ///
    /// Those of [`provider`](Self::provider) and [`SandboxProvider::get_or_create`].
    pub async fn create_sandbox(&self, name: &str, options: CreateOptions) -> Result<SandboxHandle> {
        SandboxHandle::create(self.provider(name).await?, options).await
    }

    fn add(&mut self, source: Source, kind: Arc<dyn ProviderKind>) {
        self.kinds.insert(kind.name().to_owned(), (source, kind));
    }

    fn settings(&self, name: &str) -> Option<(Arc<dyn ProviderKind>, Settings)> {
        let declaration = self.declared.get(name);
        let kind = declaration.and_then(|declaration| declaration.kind.as_deref()).unwrap_or(name);
        let (_, kind) = self.kinds.get(kind)?;
        if declaration.is_none() && !kind.is_complete() {
            return None;
        }
        let params = declaration.map(|declaration| declaration.params.clone()).unwrap_or_default();
        let settings = Settings::new(name, kind.name(), params, self.variables.clone());
        Some((kind.clone(), settings))
    }

    fn entry(&self, name: &str, kind: &str, source: Source) -> Known {
        let missing = self.settings(name).and_then(|(kind, settings)| kind.missing(&settings));
        Known { name: name.to_owned(), kind: kind.to_owned(), source, missing }
    }

    fn unknown(&self, name: &str) -> Error {
        let known = |known: Known| match known.missing {
            Some(missing) => format!("{} ({missing})", known.name),
            None => known.name,
        };
        let known: Vec<String> = self.known().into_iter().map(known).collect();
        Error::invalid_request(format!("there is no provider {name:?}: known are {}", known.join(", ")))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("known", &self.known()).finish_non_exhaustive()
    }
}
