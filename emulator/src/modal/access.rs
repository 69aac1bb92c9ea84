//! Authorisation of calls, and the tokens for the second service.

use std::time::SystemTime;

use axum::http::{HeaderMap, Uri};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sandshell_modal::control::CommandRouterAccess;
use serde_json::json;

use super::Modal;
use super::grpc::{Called, Status, UNAUTHENTICATED};
use crate::http::{bearer, text};
use crate::ids::is_secret;

/// The lifetime of a token as clients see it, in seconds.
const LIFE: u64 = 3600;

/// The client type that JavaScript's SDK sends.
const JAVASCRIPT: &str = "8";

impl Modal {
    /// Checks the token of the account.
    pub(super) fn authorize(&self, headers: &HeaderMap) -> Called<()> {
        let given = |name| text(headers, name).filter(|value| !value.is_empty());
        match (given("x-modal-token-id"), given("x-modal-token-secret"), &self.key) {
            (None, _, _) | (_, None, _) => Err(refused("the token is missing")),
            (_, Some(secret), Some(key)) if !is_secret(secret, key) => Err(refused("the token is not valid")),
            _ => Ok(()),
        }
    }

    /// Checks that the token for commands came from this service.
    pub(super) fn authorize_commands(&self, headers: &HeaderMap) -> Called<()> {
        let token = bearer(headers).and_then(|token| token.rsplit('.').next());
        if token.is_some_and(|token| is_secret(token, &self.mark)) {
            Ok(())
        } else {
            Err(refused("the token is not valid"))
        }
    }

    /// A token in the form from which clients read the expiry time.
    pub(super) fn token(&self) -> String {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let part = |value: serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let (head, claims) =
            (part(json!({"alg": "none", "typ": "JWT"})), part(json!({"exp": now + LIFE, "iat": now})));
        format!("{head}.{claims}.{}", self.mark)
    }

    /// The address for commands in a sandbox, which is this service. JavaScript's SDK requires an `https` address,
    /// but then talks to the local machine without TLS anyway.
    pub(super) fn commands(&self, uri: &Uri, headers: &HeaderMap) -> CommandRouterAccess {
        let scheme = if text(headers, "x-modal-client-type") == Some(JAVASCRIPT) { "https" } else { "http" };
        let host = uri.authority().map(|host| host.as_str()).or_else(|| text(headers, "host"));
        CommandRouterAccess { jwt: self.token(), url: format!("{scheme}://{}", host.unwrap_or("127.0.0.1")) }
    }
}

fn refused(message: &str) -> Status {
    Status(UNAUTHENTICATED, message.to_owned())
}
