//! Scripts that make a new sandbox ready.
//!
//! The host's values that were [allowed](Allowed) are exported variables of the script: bash expands `$NAME` and
//! `${NAME}` to them as data. No value becomes a part of the script's text, so none is executed. Other variables
//! are the sandbox's own. `$$` is a dollar sign, as in templates of other tools.

mod dotenv;

use std::collections::BTreeMap;

pub use dotenv::dotenv;

use sandshell_providers::{ExecuteRequest, ExecuteResponse, Result, Sandbox, posix};

/// The host's values that a script may use, by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Allowed(BTreeMap<String, String>);

impl Allowed {
    /// Allows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows this value too; of two with the same name, the later one wins.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Whether there is a value of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// Shows only names, because values may be secrets.
impl std::fmt::Debug for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Runs a script in a sandbox, as `bash -c` does, with the variables that are allowed.
///
/// If the sandbox does not accept variables with a command, lines that set them are put before the script.
///
/// # Errors
///
/// Those of [`Sandbox::execute`]. A script that fails is not an error.
pub async fn run(sandbox: &dyn Sandbox, script: &str, allowed: &Allowed) -> Result<ExecuteResponse> {
    let script = script.replace("$$", "$");
    let values = allowed.0.iter().map(|(name, value)| (name.clone(), value.clone()));
    let mut request = ExecuteRequest::new(script);
    if sandbox.capabilities().env {
        request.env = values.collect();
    } else {
        let lines = values.map(|(name, value)| format!("export {name}={}\n", posix::quote(&value)));
        request.command = lines.chain([request.command]).collect();
    }
    sandbox.execute(request).await
}

#[cfg(test)]
mod tests {
    use super::Allowed;

    #[test]
    fn values_do_not_show() {
        assert_eq!(format!("{:?}", Allowed::new().with("A", "secret")), "{\"A\"}");
    }
}
