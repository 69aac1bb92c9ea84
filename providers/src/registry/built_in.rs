//! All clouds, including those that this build lacks.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ProviderKind, Settings};
use crate::{Error, ErrorKind, Result, SandboxProvider};

type Make = fn(&Settings) -> Result<Arc<dyn SandboxProvider>>;

/// A cloud.
pub(super) struct Cloud {
    name: &'static str,
    /// Sets of variables. All variables of at least one set are needed.
    needs: &'static [&'static [&'static str]],
    /// Makes the provider. `None` if the feature is off.
    make: Option<Make>,
}

/// Each entry is `name: module::{Provider, Options}, needs;`. The feature has the same name as the cloud.
macro_rules! clouds {
    ($($name:tt: $module:ident::{$provider:ident, $options:ident}, $needs:expr;)*) => {
        pub(super) fn clouds() -> Vec<Cloud> {
            vec![$({
                #[cfg(feature = $name)]
                let make: Option<Make> = Some(|settings| {
                    let variable = |name: &str| settings.variable(name);
                    let variables = crate::cloud::Variables(&variable);
                    let options = crate::$module::$options::from_variables(&variables);
                    Ok(Arc::new(crate::$module::$provider::new(options)?))
                });
                #[cfg(not(feature = $name))]
                let make: Option<Make> = None;
                Cloud { name: $name, needs: $needs, make }
            }),*]
        }
    };
}

clouds! {
    "agentcore": agentcore::{AgentCoreProvider, AgentCoreOptions}, &[&["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]];
    "daytona": daytona::{DaytonaProvider, DaytonaOptions}, &[&["DAYTONA_API_KEY"]];
    "deno": deno::{DenoProvider, DenoOptions}, &[&["DENO_DEPLOY_TOKEN"]];
    "e2b": e2b::{E2bProvider, E2bOptions}, &[&["E2B_API_KEY"]];
    "langsmith": langsmith::{LangSmithProvider, LangSmithOptions},
        &[&["LANGSMITH_API_KEY"], &["LANGSMITH_SANDBOX_API_KEY"], &["LANGCHAIN_API_KEY"]];
    "modal": modal::{ModalProvider, ModalOptions}, &[&["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"]];
    "runloop": runloop::{RunloopProvider, RunloopOptions}, &[&["RUNLOOP_API_KEY"]];
    "sandbox0": sandbox0::{Sandbox0Provider, Sandbox0Options}, &[&["SANDBOX0_TOKEN"], &["SANDBOX0_API_KEY"]];
    "vercel": vercel::{VercelProvider, VercelOptions},
        &[&["VERCEL_TOKEN", "VERCEL_TEAM_ID", "VERCEL_PROJECT_ID"], &["VERCEL_OIDC_TOKEN"]];
}

impl Cloud {
    /// The command that builds a program with this cloud.
    fn how_to_add(&self) -> String {
        format!("run `cargo install --path . --features {}` in sandshell's sources", self.name)
    }
}

#[async_trait]
impl ProviderKind for Cloud {
    fn name(&self) -> &str {
        self.name
    }

    fn missing(&self, settings: &Settings) -> Option<String> {
        if self.make.is_none() {
            return Some(self.how_to_add());
        }
        let lacks = |needed: &&&[&'static str]| {
            needed.iter().copied().filter(|name| settings.filled(name).is_none()).collect::<Vec<_>>()
        };
        let missing: Vec<Vec<&str>> = self.needs.iter().map(|needed| lacks(&needed)).collect();
        if missing.is_empty() || missing.iter().any(Vec::is_empty) {
            return None;
        }
        let ways: Vec<String> = missing.iter().map(|names| names.join(" and ")).collect();
        Some(format!("set {}", ways.join(", or ")))
    }

    async fn make(&self, settings: &Settings) -> Result<Arc<dyn SandboxProvider>> {
        match self.make {
            Some(make) => make(settings),
            None => {
                let why = format!("{} is not part of this build: {}", self.name, self.how_to_add());
                Err(Error::new(ErrorKind::Unsupported, why))
            }
        }
    }

    fn is_in_this_build(&self) -> bool {
        self.make.is_some()
    }
}
