//! Credentials and addresses.

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach Sandbox0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sandbox0Options {
    /// The token of the account (`SANDBOX0_TOKEN`, `SANDBOX0_API_KEY`).
    pub token: Option<Secret>,
    /// The address of the API (`SANDBOX0_BASE_URL`).
    pub base_url: String,
    /// The template of a sandbox whose options name none.
    pub template: String,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for Sandbox0Options {
    fn default() -> Self {
        Self {
            token: None,
            base_url: "https://api.sandbox0.ai".to_owned(),
            template: "default".to_owned(),
            client: ClientOptions::default(),
        }
    }
}

impl Sandbox0Options {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        Self {
            token: variables.secret("SANDBOX0_TOKEN").or_else(|| variables.secret("SANDBOX0_API_KEY")),
            base_url: variables
                .get("SANDBOX0_BASE_URL")
                .map_or(default.base_url, |url| url.trim_end_matches('/').to_owned()),
            template: default.template,
            client: default.client,
        }
    }
}
