//! Credentials and addresses.

use std::time::Duration;

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach E2B.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct E2bOptions {
    /// The key of the account (`E2B_API_KEY`).
    pub api_key: Option<Secret>,
    /// The domain of the service (`E2B_DOMAIN`).
    pub domain: String,
    /// The address of the control plane (`E2B_API_URL`); `None`: `https://api.` and the domain.
    pub api_url: Option<String>,
    /// The address of the sandboxes (`E2B_SANDBOX_URL`); `None`: `https://sandbox.` and the domain.
    pub sandbox_url: Option<String>,
    /// The template of a sandbox whose options name none (`E2B_TEMPLATE`).
    pub template: String,
    /// How long a sandbox lives if its options do not say otherwise.
    pub ttl: Duration,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for E2bOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            domain: "e2b.app".to_owned(),
            api_url: None,
            sandbox_url: None,
            template: "base".to_owned(),
            ttl: Duration::from_secs(300),
            client: ClientOptions::default(),
        }
    }
}

impl E2bOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        Self {
            api_key: variables.secret("E2B_API_KEY"),
            domain: variables.get("E2B_DOMAIN").unwrap_or(default.domain),
            api_url: variables.get("E2B_API_URL"),
            sandbox_url: variables.get("E2B_SANDBOX_URL"),
            template: variables.get("E2B_TEMPLATE").unwrap_or(default.template),
            ttl: default.ttl,
            client: default.client,
        }
    }

    pub(super) fn api_url(&self) -> String {
        base(self.api_url.as_deref(), "api", &self.domain)
    }

    pub(super) fn sandbox_url(&self) -> String {
        base(self.sandbox_url.as_deref(), "sandbox", &self.domain)
    }
}

fn base(given: Option<&str>, host: &str, domain: &str) -> String {
    match given {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => format!("https://{host}.{domain}"),
    }
}
