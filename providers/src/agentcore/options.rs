//! Credentials and addresses.

use crate::cloud::{ClientOptions, Secret, Variables};

/// The provider's name.
pub(super) const NAME: &str = "agentcore";

/// How to reach AgentCore.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentCoreOptions {
    /// The ID of the access key (`AWS_ACCESS_KEY_ID`).
    pub access_key_id: Option<Secret>,
    /// The secret access key (`AWS_SECRET_ACCESS_KEY`).
    pub secret_access_key: Option<Secret>,
    /// The session token of a temporary key (`AWS_SESSION_TOKEN`).
    pub session_token: Option<Secret>,
    /// The region of the sessions (`AWS_REGION`, `AWS_DEFAULT_REGION`).
    pub region: String,
    /// The address of the service (`AWS_ENDPOINT_URL_BEDROCK_AGENTCORE`, `BEDROCK_AGENTCORE_DP_ENDPOINT`); `None`:
    /// that of the region.
    pub endpoint: Option<String>,
    /// The interpreter that sessions belong to.
    pub interpreter: String,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for AgentCoreOptions {
    fn default() -> Self {
        Self {
            access_key_id: None,
            secret_access_key: None,
            session_token: None,
            region: "us-west-2".to_owned(),
            endpoint: None,
            interpreter: "aws.codeinterpreter.v1".to_owned(),
            client: ClientOptions::default(),
        }
    }
}

impl AgentCoreOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        let first = |names: [&str; 2]| names.into_iter().find_map(|name| variables.get(name));
        Self {
            access_key_id: variables.secret("AWS_ACCESS_KEY_ID"),
            secret_access_key: variables.secret("AWS_SECRET_ACCESS_KEY"),
            session_token: variables.secret("AWS_SESSION_TOKEN"),
            region: first(["AWS_REGION", "AWS_DEFAULT_REGION"]).unwrap_or(default.region),
            endpoint: first(["AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", "BEDROCK_AGENTCORE_DP_ENDPOINT"]),
            interpreter: default.interpreter,
            client: default.client,
        }
    }

    pub(super) fn endpoint(&self) -> String {
        match &self.endpoint {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("https://bedrock-agentcore.{}.amazonaws.com", self.region),
        }
    }
}
