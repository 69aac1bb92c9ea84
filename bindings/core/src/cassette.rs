//! Cassettes: recording what a provider answers, and answering from it.

use crate::Provider;
use sandshell::Result;
use sandshell::wrappers::{self, Redactor, ReplayOptions};
use serde::Deserialize;
use std::path::Path;

/// What is kept out of a cassette.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// These values.
    pub values: Vec<String>,
    /// What matches these regular expressions.
    pub patterns: Vec<String>,
}

impl Provider {
    /// Records each call and its answer in a file, which is replaced.
    ///
    /// # Errors
    /// `InvalidRequest` if the file cannot be written, or a pattern is wrong.
    pub fn record(&self, file: &Path, secrets: &Secrets) -> Result<Self> {
        wrappers::record(self.shared()?, file, secrets.redactor()?).map(Self::other)
    }

    /// Answers from a recording; `in_order` refuses calls in another order than the recorded one.
    ///
    /// # Errors
    /// `InvalidRequest` if the file cannot be read or is no cassette, or a pattern is wrong.
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
