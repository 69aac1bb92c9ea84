//! Daytona: the API, and the toolbox of each sandbox below `/toolbox/{id}`.
//!
//! Each command of a session runs in a shell of its own, but gets the working directory, exported variables and
//! functions that earlier commands left.
//!
//! The name of a snapshot that was not taken here means the provider's default sandbox. `fields.txt` lists what is
//! not emulated; events over socket.io are not emulated either.

mod code;
mod env;
mod files;
mod process;
mod sandboxes;
mod search;
mod snapshots;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{delete, get, post, put};
use parking_lot::Mutex;
use sandshell_providers::Error;
use serde_json::json;

use crate::fields::{Fields, checked};
use crate::http::{HttpAnswer, bearer, json};
use crate::ids::is_secret;
use crate::options::Options;
use crate::time::rfc3339;
use crate::world::{Machine, World, status};

/// The requests and fields that the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

/// The user's home, which is the working directory.
const HOME: &str = "/home/daytona";

/// The service.
pub(crate) struct Daytona {
    world: Arc<World>,
    key: Option<String>,
    /// By the sandbox's id and their own id.
    sessions: Mutex<HashMap<(String, String), process::Session>>,
}

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "dtn_0000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![("DAYTONA_API_URL", format!("{url}/api")), ("DAYTONA_API_KEY", key.to_owned())]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let daytona = Arc::new(Daytona { key: options.api_key.clone(), sessions: Mutex::default(), world });
    let api = Router::new()
        .route("/sandbox", post(sandboxes::create).get(sandboxes::list))
        .route("/sandbox/{id}", get(sandboxes::get).delete(sandboxes::delete))
        .route("/sandbox/{id}/labels", put(sandboxes::labels))
        .route("/sandbox/{id}/toolbox-proxy-url", get(sandboxes::toolbox_url))
        .route("/sandbox/{id}/{action}", post(sandboxes::act))
        .route("/sandbox/{id}/{action}/{minutes}", post(sandboxes::interval))
        .route("/snapshots", get(snapshots::list))
        .route("/snapshots/{id}", get(snapshots::get).delete(snapshots::delete));
    let toolbox = Router::new()
        .route("/user-home-dir", get(files::home))
        .route("/work-dir", get(files::home))
        .route("/env", post(env::update))
        .route("/process/execute", post(process::execute))
        .route("/process/code-run", post(code::run))
        .route("/process/interpreter/execute", get(code::connect))
        .route("/process/interpreter/context", post(code::create).get(code::list))
        .route("/process/interpreter/context/{context}", delete(code::remove))
        .route("/process/session", post(process::create).get(process::list))
        .route("/process/session/{session}", get(process::get).delete(process::delete))
        .route("/process/session/{session}/exec", post(process::exec))
        .route("/process/session/{session}/command/{command}", get(process::command))
        .route("/process/session/{session}/command/{command}/logs", get(process::logs))
        .route("/process/session/{session}/command/{command}/input", post(process::input))
        .route("/files", get(files::list).delete(files::delete))
        .route("/files/info", get(files::info))
        .route("/files/find", get(search::find))
        .route("/files/search", get(search::search))
        .route("/files/replace", post(search::replace))
        .route("/files/folder", post(files::folder))
        .route("/files/move", post(files::rename))
        .route("/files/permissions", post(files::permissions))
        .route("/files/download", get(files::download))
        .route("/files/upload", post(files::upload))
        .route("/files/upload-v2", post(files::upload))
        .route("/files/bulk-upload", post(files::bulk_upload))
        .route("/files/bulk-download", post(files::bulk_download));
    Router::new()
        .nest("/api", api)
        .nest("/toolbox/{id}", toolbox)
        .layer(from_fn(async |request, next| {
            checked(&FIELDS, |why| error(501, "NOT_IMPLEMENTED", why), request, next).await
        }))
        .layer(from_fn_with_state(daytona.clone(), authorize))
        .with_state(daytona)
}

async fn authorize(State(daytona): State<Arc<Daytona>>, request: Request, next: Next) -> HttpAnswer {
    match (bearer(request.headers()), &daytona.key) {
        (Some(given), Some(key)) if !is_secret(given, key) => {
            error(401, "UNAUTHORIZED", "Invalid credentials")
        }
        (None, _) => error(401, "UNAUTHORIZED", "Unauthorized"),
        _ => next.run(request).await,
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(status: u16, message: &str) -> HttpAnswer {
    error(status, if status == 501 { "NOT_IMPLEMENTED" } else { "BAD_REQUEST" }, message)
}

fn error(status: u16, code: &str, message: &str) -> HttpAnswer {
    let name = match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        501 => "Not Implemented",
        _ => "Error",
    };
    json(
        status,
        &json!({
            "statusCode": status,
            "message": message,
            "error": name,
            "code": code,
            "source": if code.starts_with("PROCESS") || code.starts_with("FILE") { "DAYTONA_DAEMON" } else { "DAYTONA_API" },
            "timestamp": rfc3339(SystemTime::now()),
            "path": "/",
            "method": "",
        }),
    )
}

fn failed(failed: &Error) -> HttpAnswer {
    error(status(failed), "ERROR", &failed.to_string())
}

impl Daytona {
    fn get(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let missing = || error(404, "SANDBOX_NOT_FOUND", &format!("Sandbox with ID or name {id} not found"));
        self.world.get(id).ok_or_else(missing)
    }

    /// A running sandbox, for its toolbox.
    fn reach(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.get(id)?;
        if machine.status().paused {
            return Err(error(400, "SANDBOX_NOT_STARTED", "no IP address found. Is the Sandbox started?"));
        }
        Ok(machine)
    }
}

/// Makes a path of the toolbox absolute. Relative ones are in the user's home.
fn absolute(path: &str) -> String {
    match path {
        "" => HOME.to_owned(),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{HOME}/{path}"),
    }
}
