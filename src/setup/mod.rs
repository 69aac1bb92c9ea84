//! Scripts that make a new sandbox ready.
//!
//! In a script `${NAME}` and `$NAME` stand for values of the host's that were [allowed](Allowed); any other name stays as
//! it is written, for the shell that runs the script. `$$` is a dollar.

mod dotenv;
mod expand;

use std::collections::BTreeMap;

pub use dotenv::dotenv;
pub use expand::expand;

use sandshell_providers::{ExecuteRequest, ExecuteResponse, Result, Sandbox};

/// The values that a script may hold, by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Allowed(BTreeMap<String, String>);

impl Allowed {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also this; the later of two with one name wins.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// Values may be secrets: only names show.
impl std::fmt::Debug for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Runs a script in a sandbox, as `bash -c` does, after putting in what is allowed.
///
/// # Errors
///
/// Those of [`Sandbox::execute`]. A script that fails is an answer.
pub async fn run(sandbox: &dyn Sandbox, script: &str, allowed: &Allowed) -> Result<ExecuteResponse> {
    sandbox.execute(ExecuteRequest::new(expand(script, allowed))).await
}
