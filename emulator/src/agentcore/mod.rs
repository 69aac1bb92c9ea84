//! Amazon Bedrock AgentCore's code interpreter: sessions and their tools. Answers of tools are event streams.
//!
//! Every request's signature (SigV4) is verified with the secret from the options, or else
//! [`KEY`]. Any access key id is accepted.
//!
//! Code must be Python and needs the pack `python`. There is no control plane that creates interpreters: any
//! identifier is accepted as one. `fields.txt` lists what else is not emulated.

mod code;
mod event;
mod sessions;
mod signature;
mod tasks;
mod tools;

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::HeaderValue;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{get, post, put};
use sandshell_providers::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::fields::{Fields, checked};
use crate::http::{HttpAnswer, json, read_unproven};
use crate::options::Options;
use crate::records::Kept;
use crate::world::{Machine, World};

/// The requests and fields that the SDKs can send.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::parse(include_str!("fields.txt")));

/// The directory in which commands run and to which file paths are relative.
const HOME: &str = "/tmp";

/// How many sessions are remembered after their end.
const REMEMBERED: usize = 1000;

/// The service.
pub(crate) struct AgentCore {
    world: Arc<World>,
    secret: String,
    /// Stopped sessions: their numbers, and how they are shown.
    stopped: Kept<VecDeque<(u64, Value)>>,
}

type AgentCoreState = State<Arc<AgentCore>>;

/// An answer, for success or for an error.
type Reply = Result<HttpAnswer, HttpAnswer>;

/// A key in the form that the SDK requires.
pub(crate) const KEY: &str = "0000000000000000000000000000000000000000";

/// The variables that point the SDK here.
pub(crate) fn variables(url: &str, key: &str) -> Vec<(&'static str, String)> {
    vec![
        ("BEDROCK_AGENTCORE_DP_ENDPOINT", url.to_owned()),
        ("BEDROCK_AGENTCORE_CP_ENDPOINT", url.to_owned()),
        ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", url.to_owned()),
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", key.to_owned()),
        ("AWS_REGION", "us-west-2".to_owned()),
        ("AWS_DEFAULT_REGION", "us-west-2".to_owned()),
        ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
    ]
}

pub(crate) fn router(world: Arc<World>, options: &Options) -> Router {
    let service = Arc::new(AgentCore {
        secret: options.api_key.clone().unwrap_or_else(|| KEY.to_owned()),
        stopped: world.persistent("stopped"),
        world,
    });
    let interpreter = Router::new()
        .route("/sessions/start", put(sessions::start))
        .route("/sessions/get", get(sessions::get))
        .route("/sessions/list", post(sessions::list))
        .route("/sessions/stop", put(sessions::stop))
        .route("/tools/invoke", post(tools::invoke));
    Router::new()
        .nest("/code-interpreters/{interpreter}", interpreter)
        .layer(from_fn(async |request, next| {
            checked(&FIELDS, |why| error("ValidationException", why), request, next).await
        }))
        .route_layer(from_fn_with_state(service.clone(), authorize))
        .with_state(service)
}

async fn authorize(State(service): AgentCoreState, request: Request, next: Next) -> HttpAnswer {
    let (parts, body) = request.into_parts();
    let Some(body) = read_unproven(body).await else {
        return error("ValidationException", "the body breaks off");
    };
    match signature::verify(&parts, &body, &service.secret) {
        Ok(()) => {
            let mut request = Request::from_parts(parts, Body::from(body));
            // It was read with limits of its own.
            DefaultBodyLimit::disable().apply(&mut request);
            next.run(request).await
        }
        Err((code, message)) => error(code, message),
    }
}

impl AgentCore {
    /// A session that has not ended.
    fn session(&self, interpreter: &str, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        let machine = self.world.get(id).filter(|machine| machine.template == interpreter);
        machine.ok_or_else(|| error("ResourceNotFoundException", &format!("session {id} was not found")))
    }
}

/// The router's refusals, in this service's form.
pub(crate) fn refusal(_: u16, message: &str) -> HttpAnswer {
    error("ValidationException", message)
}

/// An error with the status that the service's model gives it.
fn error(code: &'static str, message: &str) -> HttpAnswer {
    let status = match code {
        "ValidationException" => 400,
        "ServiceQuotaExceededException" => 402,
        "ResourceNotFoundException" => 404,
        "ConflictException" => 409,
        "ThrottlingException" => 429,
        "InternalServerException" => 500,
        // Refusals, including those of signatures.
        _ => 403,
    };
    let mut body = json!({"message": message});
    if code == "ValidationException" {
        body["reason"] = json!("FieldValidationFailed");
    }
    let mut answer = json(status, &body);
    answer.headers_mut().insert("x-amzn-errortype", HeaderValue::from_static(code));
    answer
}

fn failed(failed: &Error) -> HttpAnswer {
    let code = match failed.kind() {
        ErrorKind::NotFound | ErrorKind::SandboxEnded => "ResourceNotFoundException",
        ErrorKind::InvalidRequest | ErrorKind::Unsupported => "ValidationException",
        ErrorKind::PermissionDenied => "AccessDeniedException",
        ErrorKind::QuotaExceeded => "ServiceQuotaExceededException",
        ErrorKind::RateLimited => "ThrottlingException",
        ErrorKind::Conflict => "ConflictException",
        _ => "InternalServerException",
    };
    error(code, &failed.to_string())
}

/// Parses a body that is a JSON object.
fn object(body: &[u8]) -> Result<Value, HttpAnswer> {
    crate::http::object(body).ok_or_else(|| error("ValidationException", "the body is not a JSON object"))
}
