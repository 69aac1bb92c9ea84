//! Credentials and addresses.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;

use crate::cloud::{ClientOptions, Secret, Variables};

/// How to reach Vercel.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VercelOptions {
    /// The token of the account (`VERCEL_OIDC_TOKEN`, `VERCEL_TOKEN`).
    pub token: Option<Secret>,
    /// The team (`VERCEL_TEAM_ID`); an OIDC token names it.
    pub team: Option<String>,
    /// The project (`VERCEL_PROJECT_ID`); an OIDC token names it.
    pub project: Option<String>,
    /// The address of the API (`VERCEL_SANDBOX_URL`).
    pub base_url: String,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for VercelOptions {
    fn default() -> Self {
        Self {
            token: None,
            team: None,
            project: None,
            base_url: "https://vercel.com/api".to_owned(),
            client: ClientOptions::default(),
        }
    }
}

impl VercelOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        let oidc = variables.get("VERCEL_OIDC_TOKEN");
        let claims = oidc.as_deref().and_then(claims).unwrap_or_default();
        Self {
            token: oidc.map(Secret::new).or_else(|| variables.secret("VERCEL_TOKEN")),
            team: claims.owner_id.or_else(|| variables.get("VERCEL_TEAM_ID")),
            project: claims.project_id.or_else(|| variables.get("VERCEL_PROJECT_ID")),
            base_url: variables
                .get("VERCEL_SANDBOX_URL")
                .map_or(default.base_url, |url| url.trim_end_matches('/').to_owned()),
            client: default.client,
        }
    }
}

/// The claims of a token: its team and project.
#[derive(Default, Deserialize)]
struct Claims {
    owner_id: Option<String>,
    project_id: Option<String>,
}

/// Reads the claims of a JSON web token. The service verifies it; the client does not.
fn claims(token: &str) -> Option<Claims> {
    let payload = token.split('.').nth(1)?.trim_end_matches('=');
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oidc_token_names_team_and_project() {
        let payload = BASE64_URL_SAFE_NO_PAD.encode(r#"{"owner_id":"team_a","project_id":"prj_b"}"#);
        let token = format!("e30.{payload}.sig");
        let get = |name: &str| match name {
            "VERCEL_OIDC_TOKEN" => Some(token.clone()),
            "VERCEL_TOKEN" | "VERCEL_TEAM_ID" => Some("other".to_owned()),
            _ => None,
        };
        let options = VercelOptions::from_variables(&Variables(&get));
        assert_eq!((options.team.as_deref(), options.project.as_deref()), (Some("team_a"), Some("prj_b")));
        assert_eq!(options.token, Some(Secret::new(token.as_str())));
        assert!(claims("no token").is_none());
    }
}
