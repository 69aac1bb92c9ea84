//! Cassettes: recording a provider's answers, and answering from a recording.

use crate::Provider;
use sandshell::Result;
use sandshell::wrappers::{self, Redactor, ReplayOptions};
use serde::Deserialize;
use std::path::Path;

/// The secrets to redact in a cassette.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// Literal values.
    pub values: Vec<String>,
    /// Regular expressions; everything that matches is redacted.
    pub patterns: Vec<String>,
}

impl Provider {
    /// Returns a provider that records each call and its answer in a file. An existing file is replaced.
    ///
    /// # Errors
    /// `InvalidRequest` if the file cannot be written or a pattern is not valid.
    pub fn record(&self, file: &Path, secrets: &Secrets) -> Result<Self> {
        wrappers::record(self.shared()?, file, secrets.redactor()?).map(Self::other)
    }

    /// Returns a provider that answers from a recording. With `in_order`, calls in another order than the recorded
    /// one are refused.
    ///
    /// # Errors
    /// `InvalidRequest` if the file cannot be read or is not a cassette, or if a pattern is not valid.
    pub fn replay(file: &Path, in_order: bool, secrets: &Secrets) -> Result<Self> {
        let options = ReplayOptions::default().secrets(secrets.redactor()?);
        let options = if in_order { options.in_order() } else { options };
        wrappers::replay(file, options).map(Self::other)
    }
}

impl Secrets {
    fn redactor(&self) -> Result<Redactor> {
        let values = self.values.iter().fold(Redactor::new(), |all, value| all.value(value.as_bytes()));
        self.patterns.iter().try_fold(values, |all, pattern| all.pattern(pattern))
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}
