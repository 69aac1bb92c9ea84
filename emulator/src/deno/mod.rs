//! Deno Sandbox: JSON-RPC over one WebSocket for each client of a sandbox, and REST calls.
//!
//! Emulated are commands with their streams, files by path, variables, and creating and ending sandboxes. The
//! official SDKs write lifetimes and lists in two forms; both are understood.
//!
//! `fields.txt` lists what is not emulated, above all Deno's own runtime and files by handle. `allow_net` is
//! accepted, but sandboxes have no network anyway.

mod connection;
mod env;
mod files;
mod process;
mod sandboxes;
mod socket;
mod streams;
mod walk;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{delete, get};
use serde_json::json;

use crate::fields::{Fields, checked};
use crate::http::{HttpAnswer, bearer, json};
use crate::ids::is_secret;
use crate::options::Options;
use crate::world::World;

/// The requests and fields that the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

/// The user's home, which is the working directory.
const HOME: &str = "/home/app";

/// The service.
pub(crate) struct Deno {
    world: Arc<World>,
    key: Option<String>,
}

type DenoState = State<Arc<Deno>>;

/// An answer, for success or for an error.
type Reply = Result<HttpAnswer, HttpAnswer>;

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "ddo_0000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![
        ("DENO_SANDBOX_ENDPOINT", url.to_owned()),
        ("DENO_DEPLOY_ENDPOINT", url.to_owned()),
        ("DENO_DEPLOY_TOKEN", key.to_owned()),
    ]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let deno = Arc::new(Deno { world, key: options.api_key.clone() });
    Router::new()
        .route("/api/v3/sandboxes/create", get(sandboxes::create))
        .route("/api/v3/sandboxes", get(sandboxes::list))
        .route("/api/v2/sandboxes", get(sandboxes::list))
        .route("/api/v3/sandboxes/{id}", delete(sandboxes::kill))
        .route("/api/v3/sandbox/{id}", delete(sandboxes::kill).patch(sandboxes::extend))
        .route("/api/v3/sandbox/{id}/connect", get(sandboxes::connect))
        .layer(from_fn(async |request, next| {
            checked(&FIELDS, |why| error(501, "NOT_EMULATED", why), request, next).await
        }))
        .route_layer(from_fn_with_state(deno.clone(), authorize))
        .with_state(deno)
}

async fn authorize(State(deno): DenoState, request: Request, next: Next) -> HttpAnswer {
    match (bearer(request.headers()), &deno.key) {
        (Some(given), Some(key)) if !is_secret(given, key) => {
            error(401, "INVALID_TOKEN", "the token is not valid")
        }
        (None, _) => error(401, "INVALID_TOKEN", "the token is missing"),
        _ => next.run(request).await,
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    error(status, "BAD_REQUEST", message)
}

fn error(status: u16, code: &str, message: &str) -> HttpAnswer {
    json(status, &json!({"code": code, "message": message}))
}
