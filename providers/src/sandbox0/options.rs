//! Credentials and addresses.

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach Sandbox0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sandbox0Options {
    /// The token of the account (`SANDBOX0_TOKEN`, `SANDBOX0_API_KEY`).
    pub token: Option<Secret>,
    /// Where the API is (`SANDBOX0_BASE_URL`).
    pub base_url: String,
    /// What a sandbox is made from if its options name nothing.
    pub template: String,
    /// What all clients have.
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
    /// What these variables say.
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
