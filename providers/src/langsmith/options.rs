//! Credentials and addresses.

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach LangSmith.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LangSmithOptions {
    /// The key of the account (`LANGSMITH_SANDBOX_API_KEY`, `LANGSMITH_API_KEY`, `LANGCHAIN_API_KEY`).
    pub api_key: Option<Secret>,
    /// The address of the service (`LANGSMITH_ENDPOINT`, `LANGCHAIN_ENDPOINT`).
    pub endpoint: String,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for LangSmithOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            endpoint: "https://api.smith.langchain.com".to_owned(),
            client: ClientOptions::default(),
        }
    }
}

impl LangSmithOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        let keys = ["LANGSMITH_SANDBOX_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"];
        let endpoints = ["LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT"];
        Self {
            api_key: keys.into_iter().find_map(|name| variables.secret(name)),
            endpoint: endpoints
                .into_iter()
                .find_map(|name| variables.get(name))
                .map_or(default.endpoint, |url| base(&url)),
            client: default.client,
        }
    }
}

/// The address without the path that names a version of LangSmith's other API.
fn base(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let url = url.strip_suffix("/v1").filter(|url| url.ends_with("/api")).unwrap_or(url);
    url.strip_suffix("/api").unwrap_or(url).trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_api_are_those_of_the_service() {
        for url in ["http://h/x", "http://h/x/", "http://h/x/api", "http://h/x/api/v1/"] {
            assert_eq!(base(url), "http://h/x");
        }
    }
}
