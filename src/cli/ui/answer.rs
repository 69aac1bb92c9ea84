//! Answers as JSON, and refusals that say why.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use sandshell::store::StoreError;
use sandshell::vfs::Errno;
use sandshell::{Error, ErrorKind};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a request is answered with.
pub(super) type Answer = Result<Value, Refusal>;

/// Why a request is not answered.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    pub(super) fn bad(why: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, why: why.into() }
    }

    pub(super) fn missing(why: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, why: why.into() }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let status = match error {
            StoreError::NoSandbox(_)
            | StoreError::NoSnapshot(_)
            | StoreError::NoState(..)
            | StoreError::Deleted(_) => StatusCode::NOT_FOUND,
            StoreError::InUse { .. } => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, why: error.to_string() }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::NotFound | ErrorKind::SandboxEnded => StatusCode::NOT_FOUND,
            ErrorKind::Conflict => StatusCode::CONFLICT,
            ErrorKind::InvalidRequest => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, why: error.to_string() }
    }
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        let status = match errno {
            Errno::NoEnt => StatusCode::NOT_FOUND,
            Errno::Io => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        Self { status, why: errno.to_string() }
    }
}

impl From<tokio::task::JoinError> for Refusal {
    fn from(error: tokio::task::JoinError) -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, why: error.to_string() }
    }
}

pub(super) fn answer(answer: Answer) -> Response<Body> {
    let (status, value) = match answer {
        Ok(value) => (StatusCode::OK, value),
        Err(refusal) => (refusal.status, json!({"error": refusal.why})),
    };
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A time in milliseconds since 1970, as JavaScript counts.
pub(super) fn millis(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
