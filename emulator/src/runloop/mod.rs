//! Runloop: devboxes, their executions, files and disk snapshots.
//!
//! There are no blueprints. `fields.txt` lists what else is not emulated.

mod devboxes;
mod executions;
mod files;
mod snapshots;

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

/// The user's home, which is the working directory.
const HOME: &str = "/home/user";

/// The service.
pub(crate) struct Runloop {
    world: Arc<World>,
    key: Option<String>,
    /// The last known description of every devbox: those that were shut down can still be queried.
    seen: Kept<BTreeMap<String, Value>>,
    /// Processes by the devbox and the id that the client chose for the command.
    commands: Mutex<HashMap<(String, String), u64>>,
    /// Snapshots as they are shown to clients, by id.
    snapshots: Kept<BTreeMap<String, Value>>,
}

type RunloopState = State<Arc<Runloop>>;

/// An answer, for success or for an error.
type Reply = Result<HttpAnswer, HttpAnswer>;

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "ak_0000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![("RUNLOOP_BASE_URL", url.to_owned()), ("RUNLOOP_API_KEY", key.to_owned())]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let runloop = Arc::new(Runloop {
        key: options.api_key.clone(),
        seen: world.persistent("seen"),
        commands: Mutex::default(),
        snapshots: world.persistent("snapshots"),
        world,
    });
    let execution = "/{id}/executions/{execution}";
    let devboxes = Router::new()
        .route("/", post(devboxes::create).get(devboxes::list))
        .route("/create_and_await_running", post(devboxes::create_and_await))
        .route("/disk_snapshots", get(snapshots::list))
        .route("/disk_snapshots/{snapshot}", get(snapshots::get).post(snapshots::update))
        .route("/disk_snapshots/{snapshot}/status", get(snapshots::status))
        .route("/disk_snapshots/{snapshot}/delete", post(snapshots::delete))
        .route("/{id}", get(devboxes::get).post(devboxes::update))
        .route("/{id}/wait_for_status", post(devboxes::wait))
        .route("/{id}/shutdown", post(devboxes::shutdown))
        .route("/{id}/suspend", post(devboxes::suspend))
        .route("/{id}/resume", post(devboxes::resume))
        .route("/{id}/keep_alive", post(devboxes::keep_alive))
        .route("/{id}/snapshot_disk", post(snapshots::take))
        .route("/{id}/snapshot_disk_async", post(snapshots::take))
        .route("/{id}/execute", post(executions::execute))
        .route("/{id}/execute_async", post(executions::start))
        .route("/{id}/execute_sync", post(executions::execute_sync))
        .route(execution, get(executions::get))
        .route(&format!("{execution}/wait_for_status"), post(executions::wait))
        .route(&format!("{execution}/kill"), post(executions::kill))
        .route(&format!("{execution}/send_std_in"), post(executions::send_std_in))
        .route(&format!("{execution}/stream_stdout_updates"), get(executions::stream_stdout))
        .route(&format!("{execution}/stream_stderr_updates"), get(executions::stream_stderr))
        .route("/{id}/upload_file", post(files::upload))
        .route("/{id}/download_file", post(files::download))
        .route("/{id}/read_file_contents", post(files::read_text))
        .route("/{id}/write_file_contents", post(files::write_text));
    Router::new()
        .route("/v1/blueprints", get(blueprints))
        .nest("/v1/devboxes", devboxes)
        // Clients would retry after a status from 500 on.
        .layer(from_fn(async |request, next| checked(&FIELDS, |why| error(400, why), request, next).await))
        .route_layer(from_fn_with_state(runloop.clone(), authorize))
        .with_state(runloop)
}

/// An empty list.
async fn blueprints() -> HttpAnswer {
    json(200, &json!({"blueprints": [], "has_more": false}))
}

async fn authorize(State(runloop): RunloopState, request: Request, next: Next) -> HttpAnswer {
    match (bearer(request.headers()), &runloop.key) {
        (Some(given), Some(key)) if !is_secret(given, key) => error(401, "Invalid API key"),
        (None, _) => error(401, "Missing API key"),
        _ => next.run(request).await,
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    // Clients must not retry what is not emulated.
    error(if status < 500 { status } else { 400 }, message)
}

fn error(status: u16, message: &str) -> HttpAnswer {
    json(status, &json!({"message": message}))
}

fn failed(failed: &Error) -> HttpAnswer {
    error(status(failed), &failed.to_string())
}

/// Parses a body that is a JSON object.
fn object(body: &[u8]) -> Result<Value, HttpAnswer> {
    crate::http::object(body).ok_or_else(|| error(400, "the body is not JSON"))
}

impl Runloop {
    fn get(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        self.world.get(id).ok_or_else(|| match self.seen.lock().contains_key(id) {
            true => error(400, "Devbox is shut down"),
            false => error(404, "Devbox not found"),
        })
    }

    /// A running devbox, whose idle time is restarted.
    fn reach(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.get(id)?;
        if machine.status().paused {
            return Err(error(400, "Devbox is not running"));
        }
        if machine.status().extra["launching"] == json!(true) {
            return Err(error(400, "Devbox is not running: its launch commands are"));
        }
        devboxes::touch(&machine, "idle");
        Ok(machine)
    }
}
