//! Credentials and addresses.

use std::time::Duration;

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach Deno Sandbox.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DenoOptions {
    /// The token of the organization, or a personal token (`DENO_DEPLOY_TOKEN`).
    pub token: Option<Secret>,
    /// The organization that a personal token is used for (`DENO_DEPLOY_ORG`).
    pub org: Option<String>,
    /// The region of new sandboxes.
    pub region: String,
    /// The domain of the regions' services (`DENO_SANDBOX_BASE_DOMAIN`).
    pub domain: String,
    /// The address for the sandboxes of all regions (`DENO_SANDBOX_ENDPOINT`); `None`: each region's own service.
    pub sandbox_url: Option<String>,
    /// The address of the API that lists sandboxes (`DENO_DEPLOY_ENDPOINT`).
    pub console_url: String,
    /// How long a sandbox lives if its options do not say otherwise.
    pub ttl: Duration,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for DenoOptions {
    fn default() -> Self {
        Self {
            token: None,
            org: None,
            region: "ord".to_owned(),
            domain: "sandbox-api.deno.net".to_owned(),
            sandbox_url: None,
            console_url: "https://console.deno.com".to_owned(),
            ttl: Duration::from_secs(15 * 60),
            client: ClientOptions::default(),
        }
    }
}

impl DenoOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        Self {
            token: variables.secret("DENO_DEPLOY_TOKEN"),
            org: variables.get("DENO_DEPLOY_ORG"),
            domain: variables.get("DENO_SANDBOX_BASE_DOMAIN").unwrap_or(default.domain),
            sandbox_url: variables.get("DENO_SANDBOX_ENDPOINT"),
            console_url: variables.get("DENO_DEPLOY_ENDPOINT").unwrap_or(default.console_url),
            region: default.region,
            ttl: default.ttl,
            client: default.client,
        }
    }

    /// The address of the service that has a sandbox; the sandbox's id names the region. Without an id, the service
    /// that creates sandboxes.
    pub(super) fn sandbox_url(&self, id: Option<&str>) -> String {
        if let Some(url) = &self.sandbox_url {
            return url.trim_end_matches('/').to_owned();
        }
        let region = id.and_then(|id| id.strip_prefix("sbx_")?.split('_').next());
        // An id is not trusted to name a host.
        let region = region.filter(|region| region.bytes().all(|byte| byte.is_ascii_lowercase()));
        format!("https://{}.{}", region.unwrap_or(&self.region), self.domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_regions() {
        let options = DenoOptions::default();
        assert_eq!(options.sandbox_url(Some("sbx_ams_x")), "https://ams.sandbox-api.deno.net");
        for odd in [None, Some("sbx_evil.example/_x"), Some("x")] {
            assert_eq!(options.sandbox_url(odd), "https://ord.sandbox-api.deno.net");
        }
    }
}
