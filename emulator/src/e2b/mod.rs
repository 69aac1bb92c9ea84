//! E2B: the control plane, and each sandbox's `envd` on the same port.
//!
//! A call is for a sandbox if it names one in `E2b-Sandbox-Id`, which the SDKs send with every such call.
//!
//! Templates are only names: any name that is not that of a snapshot means the provider's default sandbox.
//! `fields.txt` lists what is not emulated; users other than `user` and metadata of files are not emulated either.

mod control;
mod files;
mod filesystem;
mod frame;
mod interpreter;
mod process;
mod signature;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{delete, get, post};
use serde_json::json;

use crate::fields::{Fields, checked};
use crate::http::{HttpAnswer, json, text};
use crate::ids::is_secret;
use crate::options::Options;
use crate::world::{Machine, World};

/// The requests and fields that the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

/// The service.
pub(crate) struct E2b {
    world: Arc<World>,
    key: Option<String>,
}

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "e2b_0000000000000000000000000000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![
        ("E2B_API_URL", url.to_owned()),
        ("E2B_SANDBOX_URL", url.to_owned()),
        ("E2B_API_KEY", key.to_owned()),
    ]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let e2b = Arc::new(E2b { world, key: options.api_key.clone() });
    let control = Router::new()
        .route("/sandboxes", post(control::create).get(control::list_running))
        .route("/v2/sandboxes", post(control::create_second).get(control::list))
        .route("/sandboxes/{id}", get(control::detail).delete(control::kill))
        .route("/sandboxes/{id}/connect", post(control::connect))
        .route("/v2/sandboxes/{id}/connect", post(control::connect_second))
        .route("/sandboxes/{id}/resume", post(control::connect))
        .route("/sandboxes/{id}/refreshes", post(control::refresh))
        .route("/sandboxes/{id}/timeout", post(control::timeout))
        .route("/sandboxes/{id}/pause", post(control::pause))
        .route("/sandboxes/{id}/fork", post(control::fork))
        .route("/sandboxes/{id}/snapshots", post(control::snapshot))
        .route("/snapshots", get(control::snapshots))
        .route("/templates/{id}", delete(control::delete_template))
        .layer(from_fn(async |request, next| checked(&FIELDS, |why| error(501, why), request, next).await))
        .layer(from_fn_with_state(e2b.clone(), authorize));
    let procedures = Router::new()
        .route("/process.Process/{method}", post(process::call))
        .route("/filesystem.Filesystem/{method}", post(filesystem::call))
        .layer(from_fn(async |request, next| {
            checked(&FIELDS, |why| frame::refuse("unimplemented", why), request, next).await
        }));
    let plain = Router::new()
        .route("/files", get(files::download).post(files::upload))
        .route("/health", get(files::health))
        .route("/execute", post(interpreter::execute))
        .route("/contexts", post(interpreter::create).get(interpreter::list))
        .route("/contexts/{id}", delete(interpreter::remove))
        .route("/contexts/{id}/restart", post(interpreter::restart))
        .layer(from_fn(async |request, next| checked(&FIELDS, |why| error(501, why), request, next).await));
    control.merge(procedures).merge(plain).with_state(e2b)
}

/// Lets only calls of the control plane through that have a key.
async fn authorize(State(e2b): State<Arc<E2b>>, request: Request, next: Next) -> HttpAnswer {
    let given = text(request.headers(), "x-api-key").filter(|key| !key.is_empty());
    match (given, &e2b.key) {
        (None, _) => error(401, "authorization header is missing"),
        (Some(given), Some(key)) if !is_secret(given, key) => error(401, "Invalid API key"),
        _ => next.run(request).await,
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    error(status, message)
}

fn error(status: u16, message: &str) -> HttpAnswer {
    json(status, &json!({"code": status, "message": message}))
}

/// The token for a sandbox's `envd`. It cannot be derived from the sandbox's id.
fn access_token(machine: &Machine) -> String {
    format!("ea_{}", machine.secret)
}

/// Why a call does not reach a sandbox's `envd`.
enum Unreachable {
    /// The sandbox does not exist or is not running.
    Gone(String),
    /// The token is wrong.
    Token,
    /// There is no such user.
    User(String),
}

impl E2b {
    /// The sandbox that a call of the data plane is for.
    fn reach(&self, headers: &HeaderMap) -> Result<Arc<Machine>, Unreachable> {
        let machine = self.named(headers)?;
        let right = access_token(&machine);
        if !text(headers, "x-access-token").is_some_and(|given| is_secret(given, &right)) {
            return Err(Unreachable::Token);
        }
        match user(headers) {
            Some(user) if user != "user" => Err(Unreachable::User(user)),
            _ => Ok(machine),
        }
    }

    /// The sandbox that a call names, whether or not it may be reached.
    fn named(&self, headers: &HeaderMap) -> Result<Arc<Machine>, Unreachable> {
        let id = text(headers, "e2b-sandbox-id").unwrap_or_default();
        let machine = self.world.get(id).filter(|machine| !machine.status().paused);
        machine.ok_or_else(|| Unreachable::Gone(id.to_owned()))
    }
}

/// The environment variables that describe a sandbox to its processes.
fn environment(machine: &Machine) -> [(String, String); 4] {
    [
        ("E2B_SANDBOX", "true"),
        ("E2B_SANDBOX_ID", &machine.id),
        ("E2B_TEAM_ID", "emulator"),
        ("E2B_TEMPLATE_ID", &machine.template),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
}

impl Unreachable {
    /// The error in the form of the proxy and of `envd`'s plain HTTP.
    fn answer(self) -> HttpAnswer {
        match self {
            Self::Gone(id) => {
                json(502, &json!({"sandboxId": id, "message": "The sandbox was not found", "code": 502}))
            }
            Self::Token => error(401, "unauthorized access, please provide a valid access token"),
            Self::User(user) => error(401, &format!("invalid username: '{user}'")),
        }
    }

    /// The error in the form of `envd`'s procedures.
    fn refusal(self) -> HttpAnswer {
        match self {
            Self::Gone(_) => self.answer(),
            Self::Token => {
                frame::refuse("unauthenticated", "unauthorized access, please provide a valid access token")
            }
            Self::User(user) => frame::refuse("unauthenticated", &format!("invalid username: '{user}'")),
        }
    }
}

/// The user of a call: the name in `Authorization: Basic`.
fn user(headers: &HeaderMap) -> Option<String> {
    use base64::Engine as _;
    let encoded = text(headers, "authorization")?.strip_prefix("Basic ")?;
    let decoded = base64::prelude::BASE64_STANDARD.decode(encoded.trim()).ok()?;
    let decoded = String::from_utf8_lossy(&decoded).into_owned();
    let name = decoded.split(':').next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Makes a path of `envd` absolute. Relative ones and `~` are in the user's home.
fn absolute(path: &str) -> String {
    match path {
        "" | "~" => HOME.to_owned(),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{HOME}/{}", path.strip_prefix("~/").unwrap_or(path)),
    }
}

/// The user's home, which is the working directory.
const HOME: &str = "/home/user";
