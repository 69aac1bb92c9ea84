//! E2B: the control plane, and the sandboxes' `envd` on the same port.
//!
//! A call is for a sandbox if it names one in `E2b-Sandbox-Id`, which the SDKs send with every such call.
//!
//! Not emulated: templates (any name stands for the provider's own sandbox), PTYs, watchers of directories, users
//! other than `user`, metadata of files, compressed uploads, signed URLs, metrics, logs, volumes and networks.

mod control;
mod files;
mod filesystem;
mod frame;
mod process;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{any, delete, get, post};
use sandshell_providers::SandboxProvider;
use serde_json::json;

use crate::Options;
use crate::http::{Answer, json, text};
use crate::world::{Machine, World};

/// The service.
pub(crate) struct E2b {
    world: Arc<World>,
    key: Option<String>,
}

pub(crate) fn router(provider: Arc<dyn SandboxProvider>, options: &Options) -> Router {
    let e2b = Arc::new(E2b { world: World::new(provider), key: options.api_key.clone() });
    let control = Router::new()
        .route("/sandboxes", post(control::create))
        .route("/v2/sandboxes", post(control::create).get(control::list))
        .route("/sandboxes/{id}", get(control::detail).delete(control::kill))
        .route("/sandboxes/{id}/connect", post(control::connect))
        .route("/v2/sandboxes/{id}/connect", post(control::connect))
        .route("/sandboxes/{id}/resume", post(control::connect))
        .route("/sandboxes/{id}/timeout", post(control::timeout))
        .route("/sandboxes/{id}/pause", post(control::pause))
        .route("/sandboxes/{id}/fork", post(control::fork))
        .route("/sandboxes/{id}/snapshots", post(control::snapshot))
        .route("/snapshots", get(control::snapshots))
        .route("/templates/{id}", delete(control::delete_template))
        // A 404 here would tell that the sandbox is gone.
        .route("/sandboxes/{id}/metrics", any(not_emulated))
        .route("/sandboxes/{id}/network", any(not_emulated))
        .route("/sandboxes/{id}/logs", any(not_emulated))
        .route("/v2/sandboxes/{id}/logs", any(not_emulated))
        .layer(from_fn_with_state(e2b.clone(), authorize));
    let envd = Router::new()
        .route("/process.Process/{method}", post(process::call))
        .route("/filesystem.Filesystem/{method}", post(filesystem::call))
        .route("/files", get(files::download).post(files::upload))
        .route("/health", get(files::health));
    control.merge(envd).with_state(e2b)
}

/// Lets calls of the control plane through that bring a key.
async fn authorize(State(e2b): State<Arc<E2b>>, request: Request, next: Next) -> Answer {
    let given = text(request.headers(), "x-api-key").filter(|key| !key.is_empty());
    match (given, &e2b.key) {
        (None, _) => error(401, "authorization header is missing"),
        (Some(given), Some(key)) if given != key => error(401, "Invalid API key"),
        _ => next.run(request).await,
    }
}

async fn not_emulated() -> Answer {
    error(501, "this is not emulated")
}

/// What the router refuses, as this service would.
pub(crate) fn refusal(status: u16, message: &str) -> Answer {
    error(status, message)
}

fn error(status: u16, message: &str) -> Answer {
    json(status, &json!({"code": status, "message": message}))
}

/// The token with which a sandbox's `envd` is reached. Who knows the sandbox's id does not know it.
fn access_token(machine: &Machine) -> String {
    format!("ea_{}", machine.secret)
}

/// Why a call does not reach a sandbox's `envd`.
enum Unreachable {
    /// The proxy knows no such sandbox, or it does not run.
    Gone(String),
    /// The token is not its own.
    Token,
    /// There is no such user.
    User(String),
}

impl E2b {
    /// The sandbox that a call of the data plane is for.
    fn reach(&self, headers: &HeaderMap) -> Result<Arc<Machine>, Unreachable> {
        let id = text(headers, "e2b-sandbox-id").unwrap_or_default();
        let machine = self.world.get(id).filter(|machine| !machine.status().paused);
        let machine = machine.ok_or_else(|| Unreachable::Gone(id.to_owned()))?;
        if text(headers, "x-access-token") != Some(&access_token(&machine)) {
            return Err(Unreachable::Token);
        }
        match user(headers) {
            Some(user) if user != "user" => Err(Unreachable::User(user)),
            _ => Ok(machine),
        }
    }
}

impl Unreachable {
    /// As the proxy, or plain HTTP of `envd`, says it.
    fn answer(self) -> Answer {
        match self {
            Self::Gone(id) => {
                json(502, &json!({"sandboxId": id, "message": "The sandbox was not found", "code": 502}))
            }
            Self::Token => error(401, "unauthorized access, please provide a valid access token"),
            Self::User(user) => error(401, &format!("invalid username: '{user}'")),
        }
    }

    /// As a procedure of `envd` says it.
    fn refusal(self) -> Answer {
        match self {
            Self::Gone(_) => self.answer(),
            Self::Token => {
                frame::refuse("unauthenticated", "unauthorized access, please provide a valid access token")
            }
            Self::User(user) => frame::refuse("unauthenticated", &format!("invalid username: '{user}'")),
        }
    }
}

/// The user that a call asks for: the name in `Authorization: Basic`.
fn user(headers: &HeaderMap) -> Option<String> {
    use base64::Engine as _;
    let encoded = text(headers, "authorization")?.strip_prefix("Basic ")?;
    let decoded = base64::prelude::BASE64_STANDARD.decode(encoded.trim()).ok()?;
    let decoded = String::from_utf8_lossy(&decoded).into_owned();
    let name = decoded.split(':').next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A path as `envd` takes it: relative ones, and `~`, are in the user's home.
fn absolute(path: &str) -> String {
    match path {
        "" | "~" => HOME.to_owned(),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{HOME}/{}", path.strip_prefix("~/").unwrap_or(path)),
    }
}

/// The user's home, where sandboxes work.
const HOME: &str = "/home/user";
