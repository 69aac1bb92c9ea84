//! Credentials and addresses.

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach Runloop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunloopOptions {
    /// The key of the account (`RUNLOOP_API_KEY`).
    pub api_key: Option<Secret>,
    /// The address of the API (`RUNLOOP_BASE_URL`).
    pub base_url: String,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for RunloopOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: "https://api.runloop.ai".to_owned(),
            client: ClientOptions::default(),
        }
    }
}

impl RunloopOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        Self {
            api_key: variables.secret("RUNLOOP_API_KEY"),
            base_url: variables
                .get("RUNLOOP_BASE_URL")
                .map_or(default.base_url, |url| url.trim_end_matches('/').to_owned()),
            client: default.client,
        }
    }
}
