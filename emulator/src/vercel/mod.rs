//! Vercel Sandbox, both generations of the API that its SDKs use: `/v1`, where a sandbox has an id and ends when it
//! is stopped, and `/v2` with `/v3`, where a sandbox has a name and runs in sessions. They are below `/vercel` and
//! `/vercel/api`.
//!
//! Sandboxes can be created only from snapshots, or empty. `fields.txt` lists what else is not emulated. A resumed
//! session has the files of the previous one and no processes.

mod archive;
mod commands;
mod files;
mod named;
mod sessions;
mod shape;
mod snapshots;
mod unnamed;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{get, post};
use parking_lot::Mutex;
use sandshell_providers::Error;
use serde_json::{Value, json};

use crate::fields::{Fields, checked};
use crate::http::{HttpAnswer, bearer, json};
use crate::ids::is_secret;
use crate::options::Options;
use crate::records::Kept;
use crate::world::{Machine, World, status};

/// The requests and fields that the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

/// The working directory.
const CWD: &str = "/vercel/sandbox";

/// The service.
pub(crate) struct Vercel {
    world: Arc<World>,
    key: Option<String>,
    /// Snapshots as they are shown to clients, by id.
    snapshots: Kept<BTreeMap<String, Value>>,
    /// Sessions that have ended, as they are shown to clients.
    past: Kept<BTreeMap<String, Value>>,
    /// How many bytes each command got on its standard input.
    written: Mutex<HashMap<(String, u64), u64>>,
}

type VercelState = State<Arc<Vercel>>;

/// An answer, for success or for an error.
type Reply = Result<HttpAnswer, HttpAnswer>;

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "vct_0000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    // None of Vercel's SDKs reads the address from a variable; the calling code must pass it.
    vec![
        ("VERCEL_SANDBOX_URL", format!("{url}/vercel/api")),
        ("VERCEL_TOKEN", key.to_owned()),
        ("VERCEL_TEAM_ID", "team_emulator".to_owned()),
        ("VERCEL_PROJECT_ID", "prj_emulator".to_owned()),
    ]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let vercel = Arc::new(Vercel {
        key: options.api_key.clone(),
        snapshots: world.persistent("snapshots"),
        past: world.persistent("past"),
        written: Mutex::default(),
        world,
    });
    let named = Router::new()
        .route("/v2/sandboxes", get(named::list).post(named::create))
        .route("/v3/sandboxes", post(named::create))
        .route("/v2/sandboxes/{name}", get(named::get).patch(named::update).delete(named::delete))
        .route("/v2/sandboxes/{name}/fork", post(named::fork))
        .route("/v2/sandboxes/sessions", get(sessions::list))
        .route("/v2/sandboxes/sessions/{id}", get(sessions::get))
        .route("/v2/sandboxes/snapshots", get(snapshots::list))
        .route("/v2/sandboxes/snapshots/{snapshot}", get(snapshots::get).delete(snapshots::delete))
        .nest("/v2/sandboxes/sessions/{id}", session());
    let unnamed = Router::new()
        .route("/v1/sandboxes", get(unnamed::list).post(unnamed::create))
        .route("/v1/sandboxes/{id}", get(unnamed::get))
        .route("/v1/sandboxes/snapshots", get(snapshots::list))
        .route("/v1/sandboxes/snapshots/{snapshot}", get(snapshots::get).delete(snapshots::delete))
        .nest("/v1/sandboxes/{id}", session());
    Router::new()
        .nest("/vercel/api", named)
        .nest("/vercel", unnamed)
        .layer(from_fn(async |request, next| checked(&FIELDS, invalid, request, next).await))
        .route_layer(from_fn_with_state(vercel.clone(), authorize))
        .with_state(vercel)
}

/// The calls about a running session, which both generations share.
fn session() -> Router<Arc<Vercel>> {
    Router::new()
        .route("/stop", post(sessions::stop))
        .route("/extend-timeout", post(sessions::extend))
        .route("/snapshot", post(snapshots::take))
        .route("/cmd", post(commands::run).get(commands::list))
        .route("/cmd/{command}", get(commands::get))
        .route("/cmd/{command}/logs", get(commands::logs))
        .route("/cmd/{command}/kill", post(commands::kill))
        .route("/cmd/{command}/stdin", post(commands::stdin))
        .route("/fs/mkdir", post(files::mkdir))
        .route("/fs/read", post(files::read))
        .route("/fs/write", post(files::write))
}

async fn authorize(State(vercel): VercelState, request: Request, next: Next) -> HttpAnswer {
    match (bearer(request.headers()), &vercel.key) {
        (Some(given), Some(key)) if !is_secret(given, key) => error(403, "forbidden", "Not authorized"),
        (None, _) => error(401, "unauthorized", "The request is missing an authentication token"),
        _ => next.run(request).await,
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    error(status, "bad_request", message)
}

fn error(status: u16, code: &str, message: &str) -> HttpAnswer {
    json(status, &json!({"error": {"code": code, "message": message}}))
}

fn failed(failed: &Error) -> HttpAnswer {
    error(status(failed), "internal_error", &failed.to_string())
}

fn invalid(message: &str) -> HttpAnswer {
    error(400, "bad_request", message)
}

fn stopped() -> HttpAnswer {
    error(410, "sandbox_stopped", "Sandbox is stopped")
}

fn missing() -> HttpAnswer {
    error(404, "not_found", "Sandbox not found")
}

/// Parses a body that is a JSON object.
fn object(body: &[u8]) -> Result<Value, HttpAnswer> {
    crate::http::object(body).ok_or_else(|| invalid("the body is not JSON"))
}

impl Vercel {
    /// The sandbox of this session, even if it has stopped.
    fn session(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let own = |machine: &Machine| machine.status().extra["session"] == json!(id);
        let found = self.world.list(0, 1, own).0.into_iter().next();
        match found.and_then(|machine| self.world.get(&machine.id)) {
            Some(machine) => {
                sessions::halt_if_expired(&machine);
                Ok(machine)
            }
            None if self.past.lock().contains_key(id) => Err(stopped()),
            None => Err(missing()),
        }
    }

    /// The sandbox of this session, if it is running.
    fn running(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.session(id)?;
        if machine.status().paused { Err(stopped()) } else { Ok(machine) }
    }
}
