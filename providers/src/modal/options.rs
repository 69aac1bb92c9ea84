//! Credentials and addresses.

use std::time::Duration;

use crate::cloud::{ClientOptions, Secret, Variables};

/// The provider's name.
pub(super) const NAME: &str = "modal";

/// How to reach Modal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModalOptions {
    /// The ID of the token (`MODAL_TOKEN_ID`).
    pub token_id: Option<Secret>,
    /// The secret of the token (`MODAL_TOKEN_SECRET`).
    pub token_secret: Option<Secret>,
    /// The environment (`MODAL_ENVIRONMENT`); empty: the account's default.
    pub environment: String,
    /// The address of the service (`MODAL_SERVER_URL`).
    pub server_url: String,
    /// The application that sandboxes belong to; created if it does not exist.
    pub app: String,
    /// The registry image of a sandbox whose options name none. It must have bash.
    pub image: String,
    /// How long a sandbox lives if its options do not say otherwise.
    pub ttl: Duration,
    /// Options that all clients have.
    pub client: ClientOptions,
}

impl Default for ModalOptions {
    fn default() -> Self {
        Self {
            token_id: None,
            token_secret: None,
            environment: String::new(),
            server_url: "https://api.modal.com".to_owned(),
            app: "sandshell".to_owned(),
            image: "debian:12".to_owned(),
            ttl: Duration::from_secs(300),
            client: ClientOptions::default(),
        }
    }
}

impl ModalOptions {
    /// Reads the options from variables.
    pub fn from_variables(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        Self {
            token_id: variables.secret("MODAL_TOKEN_ID"),
            token_secret: variables.secret("MODAL_TOKEN_SECRET"),
            environment: variables.get("MODAL_ENVIRONMENT").unwrap_or_default(),
            server_url: variables.get("MODAL_SERVER_URL").unwrap_or(default.server_url),
            ..default
        }
    }
}
