//! LangSmith sandboxes: boxes and snapshots, and for each box a data plane with commands over WebSockets, files and
//! searches. All are below `/langsmith`.
//!
//! Any image means the provider's default sandbox. `fields.txt` lists what is not emulated.

mod boxes;
mod events;
mod execute;
mod files;
mod run_config;
mod search;
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
use crate::http::{HttpAnswer, json, text};
use crate::ids::is_secret;
use crate::options::Options;
use crate::records::Kept;
use crate::world::{Machine, World, status};

/// The requests and fields that the SDKs can send. Their paths differ: those of JavaScript's SDK have no `api`.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let python = include_str!("fields.txt");
    Fields::parse(&format!("{python}{}", python.replace("/langsmith/api/", "/langsmith/")))
});

/// Where commands run.
const HOME: &str = "/root";

/// The service.
pub(crate) struct LangSmith {
    world: Arc<World>,
    key: Option<String>,
    /// Snapshots as they are shown to clients, by id.
    snapshots: Kept<BTreeMap<String, Value>>,
    /// Commands by their box and the id that the client chose.
    commands: Mutex<HashMap<(String, String), u64>>,
}

type LangSmithState = State<Arc<LangSmith>>;

/// An answer, for success or for an error.
type Reply = Result<HttpAnswer, HttpAnswer>;

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "lsv2_pt_00000000000000000000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![("LANGSMITH_ENDPOINT", format!("{url}/langsmith")), ("LANGSMITH_API_KEY", key.to_owned())]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let langsmith = Arc::new(LangSmith {
        key: options.api_key.clone(),
        snapshots: world.persistent("snapshots"),
        commands: Mutex::default(),
        world,
    });
    let control = Router::new()
        .route("/boxes", post(boxes::create).get(boxes::list))
        .route("/boxes/{name}", get(boxes::get).patch(boxes::update).delete(boxes::delete))
        .route("/boxes/{name}/status", get(boxes::status))
        .route("/boxes/{name}/start", post(boxes::start))
        .route("/boxes/{name}/stop", post(boxes::stop))
        .route("/boxes/{name}/snapshot", post(snapshots::take))
        .route("/snapshots", post(snapshots::build).get(snapshots::list))
        .route("/snapshots/{snapshot}", get(snapshots::get).delete(snapshots::delete))
        .route("/snapshots-by-name/{name}", get(snapshots::tags));
    let data = Router::new()
        .route("/execute/ws", get(execute::socket))
        .route("/execute/stream/start", post(events::start))
        .route("/execute/stream/resume", post(events::resume))
        .route("/upload", post(files::upload))
        .route("/download", get(files::download))
        .route("/glob", post(search::glob))
        .route("/grep", post(search::grep));
    Router::new()
        // The SDKs use different paths.
        .nest("/langsmith/api/v2/sandboxes", control.clone())
        .nest("/langsmith/v2/sandboxes", control)
        .nest("/langsmith/dp/{id}", data)
        .layer(from_fn(async |request, next| checked(&FIELDS, not_emulated, request, next).await))
        .route_layer(from_fn_with_state(langsmith.clone(), authorize))
        .with_state(langsmith)
}

async fn authorize(State(langsmith): LangSmithState, request: Request, next: Next) -> HttpAnswer {
    let given = text(request.headers(), "x-api-key").filter(|key| !key.is_empty());
    match (given, &langsmith.key) {
        (Some(given), Some(key)) if !is_secret(given, key) => error(401, "Unauthorized", "Invalid API key"),
        (None, _) => error(401, "Unauthorized", "Missing API key"),
        _ => next.run(request).await,
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    error(status, "BadRequest", message)
}

fn error(status: u16, kind: &str, message: &str) -> HttpAnswer {
    json(status, &json!({"detail": {"error": kind, "message": message}}))
}

fn failed(failed: &Error) -> HttpAnswer {
    error(status(failed), "InternalError", &failed.to_string())
}

/// The error for a wrong member of a body.
fn invalid(member: &str, message: &str) -> HttpAnswer {
    json(422, &json!({"detail": [{"loc": ["body", member], "msg": message, "type": "value_error"}]}))
}

fn missing() -> HttpAnswer {
    error(404, "NotFound", "Sandbox not found")
}

/// The error for something that is not emulated: a wrong member of the body.
fn not_emulated(why: &str) -> HttpAnswer {
    let (member, why) = why.split_once(": ").unwrap_or(("body", why));
    invalid(member, why)
}

/// Parses a body that is a JSON object.
fn object(body: &[u8]) -> Result<Value, HttpAnswer> {
    crate::http::object(body).ok_or_else(|| invalid("body", "the body is not JSON"))
}

impl LangSmith {
    /// The box with this id or name.
    fn get(&self, name: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.world.get(name).ok_or_else(missing)?;
        boxes::stop_if_idle(&machine);
        Ok(machine)
    }

    /// A running box; a stopped one is resumed.
    fn reach(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.get(id)?;
        boxes::wake(&machine);
        Ok(machine)
    }
}
