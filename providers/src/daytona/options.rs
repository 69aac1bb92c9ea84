//! Credentials and addresses.

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach Daytona.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DaytonaOptions {
    /// The key of the account (`DAYTONA_API_KEY`).
    pub api_key: Option<Secret>,
    /// The address of the API (`DAYTONA_API_URL`).
    pub api_url: String,
    /// The region of new sandboxes (`DAYTONA_TARGET`); `None`: the account's default.
    pub target: Option<String>,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for DaytonaOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            api_url: "https://app.daytona.io/api".to_owned(),
            target: None,
            client: ClientOptions::default(),
        }
    }
}

impl DaytonaOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        Self {
            api_key: variables.secret("DAYTONA_API_KEY"),
            api_url: variables
                .get("DAYTONA_API_URL")
                .map_or(default.api_url, |url| url.trim_end_matches('/').to_owned()),
            target: variables.get("DAYTONA_TARGET"),
            client: default.client,
        }
    }
}
