//! Sandbox0: sandboxes, contexts (each runs one command or a Python interpreter), files, and snapshots of the root
//! filesystem.
//!
//! Any template name means the provider's default sandbox. `fields.txt` lists what is not emulated.

mod context;
mod contexts;
mod files;
mod interpreters;
mod sandboxes;
mod snapshots;
mod socket;

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
const WORKSPACE: &str = "/workspace";

/// The service.
pub(crate) struct Sandbox0 {
    world: Arc<World>,
    key: Option<String>,
    /// By the sandbox's id and their own id.
    contexts: Mutex<HashMap<(String, String), context::Context>>,
    /// Snapshots as they are shown to clients, by id.
    snapshots: Kept<BTreeMap<String, Value>>,
}

type Sandbox0State = State<Arc<Sandbox0>>;

/// An answer, for success or for an error.
type Reply = Result<HttpAnswer, HttpAnswer>;

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "s0_0000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    // Sandbox0's SDK gets its address from the calling code; only its adapter for Deep Agents reads the
    // variable.
    vec![("SANDBOX0_BASE_URL", url.to_owned()), ("SANDBOX0_TOKEN", key.to_owned())]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let sandbox0 = Arc::new(Sandbox0 {
        key: options.api_key.clone(),
        contexts: Mutex::default(),
        snapshots: world.persistent("snapshots"),
        world,
    });
    let api = Router::new()
        .route("/sandboxes", post(sandboxes::claim).get(sandboxes::list))
        .route("/sandboxes/{id}", get(sandboxes::get).put(sandboxes::update).delete(sandboxes::delete))
        .route("/sandboxes/{id}/status", get(sandboxes::get))
        .route("/sandboxes/{id}/pause", post(sandboxes::pause))
        .route("/sandboxes/{id}/resume", post(sandboxes::resume))
        .route("/sandboxes/{id}/refresh", post(sandboxes::refresh))
        .route("/sandboxes/{id}/fork", post(sandboxes::fork))
        .route("/sandboxes/{id}/rootfs/restore", post(snapshots::restore))
        .route("/sandboxes/{id}/snapshots", post(snapshots::take).get(snapshots::list))
        .route("/sandbox-rootfs-snapshots/{snapshot}", get(snapshots::get).delete(snapshots::delete))
        .route("/sandboxes/{id}/contexts", post(contexts::create).get(contexts::list))
        .route("/sandboxes/{id}/contexts/{context}", get(contexts::get).delete(contexts::delete))
        .route("/sandboxes/{id}/contexts/{context}/ws", get(socket::connect))
        .route("/sandboxes/{id}/contexts/{context}/exec", post(interpreters::exec))
        .route("/sandboxes/{id}/contexts/{context}/restart", post(interpreters::restart))
        .route("/sandboxes/{id}/contexts/{context}/input", post(contexts::input))
        .route("/sandboxes/{id}/contexts/{context}/signal", post(contexts::signal))
        .route("/sandboxes/{id}/files", post(files::write).get(files::read).delete(files::delete))
        .route("/sandboxes/{id}/files/stat", get(files::stat))
        .route("/sandboxes/{id}/files/list", get(files::list))
        .route("/sandboxes/{id}/files/move", post(files::rename));
    Router::new()
        .nest("/api/v1", api)
        .layer(from_fn(async |request, next| checked(&FIELDS, invalid, request, next).await))
        .route_layer(from_fn_with_state(sandbox0.clone(), authorize))
        .with_state(sandbox0)
}

async fn authorize(State(sandbox0): Sandbox0State, request: Request, next: Next) -> HttpAnswer {
    match (bearer(request.headers()), &sandbox0.key) {
        (Some(given), Some(key)) if !is_secret(given, key) => error(401, "unauthorized", "invalid token"),
        (None, _) => error(401, "unauthorized", "missing token"),
        _ => next.run(request).await,
    }
}

/// A success.
fn data(status: u16, data: &Value) -> HttpAnswer {
    json(status, &json!({"success": true, "data": data}))
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    error(status, "invalid_request", message)
}

fn error(status: u16, code: &str, message: &str) -> HttpAnswer {
    json(status, &json!({"success": false, "error": {"code": code, "message": message}}))
}

fn failed(failed: &Error) -> HttpAnswer {
    error(status(failed), "internal_error", &failed.to_string())
}

fn invalid(message: &str) -> HttpAnswer {
    error(400, "invalid_request", message)
}

/// Parses a body that is a JSON object.
fn object(body: &[u8]) -> Result<Value, HttpAnswer> {
    crate::http::object(body).ok_or_else(|| invalid("the body is not JSON"))
}

impl Sandbox0 {
    fn get(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.world.get(id).ok_or_else(|| error(404, "not_found", "sandbox not found"))?;
        sandboxes::pause_if_idle(&machine);
        Ok(machine)
    }

    /// A running sandbox. A paused one is resumed, unless it was claimed with that turned off.
    fn reach(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.get(id)?;
        if machine.status().paused {
            if machine.status().extra["auto_resume"] == json!(false) {
                return Err(error(409, "sandbox_paused", "sandbox is paused"));
            }
            sandboxes::wake(&machine);
        }
        sandboxes::touch(&machine);
        Ok(machine)
    }
}
