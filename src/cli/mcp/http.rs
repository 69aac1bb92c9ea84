//! Streamable HTTP: a sandbox for each session.

use super::arrival::{Budget, refused};
use super::server::Server;
use super::stdio::MAX_MESSAGE;
use super::workspace::Workspaces;
use crate::cli::failure::{Failure, note, reason};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sandshell_server::Limits;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

/// The endpoint's path.
const PATH: &str = "/mcp";

/// The most sessions at the same time. Each has a sandbox. A session ends after five minutes of silence.
const MOST_SESSIONS: usize = 64;

/// What limits the clients.
#[derive(Clone)]
struct Bounds {
    sessions: Arc<LocalSessionManager>,
    budget: Budget,
    /// Held while a session begins: of those that do so at the same time, each counts the ones before it.
    beginning: Arc<Mutex<()>>,
}

pub(super) async fn serve(
    workspaces: Arc<Workspaces>,
    address: SocketAddr,
    public: bool,
) -> Result<u8, Failure> {
    if !address.ip().is_loopback() && !public {
        return Err(Failure::about(
            address.ip(),
            "not a loopback address: who can reach it can run commands; add --public",
        ));
    }
    let failed = |error: std::io::Error| Failure::about(address, reason(&error));
    let sessions = Arc::new(LocalSessionManager::default());
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    // No page in a browser may reach the server, by whatever host name it found the address.
    let mut config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE);
    if public {
        config = config.disable_allowed_hosts();
    }
    let stop = config.cancellation_token.clone();
    let service =
        StreamableHttpService::new(move || Ok(Server::new(workspaces.clone())), sessions.clone(), config);
    let router = axum::Router::new().nest_service(PATH, service).layer(from_fn(end_of_session));
    let bounds = Bounds { sessions, budget: Budget::new(), beginning: Arc::default() };
    let router = router.layer(from_fn_with_state(bounds, bounded));
    note(&format!("listening on http://{bound}{PATH}"));
    tokio::select! {
        () = sandshell_server::serve(listener, router, Limits::default()) => {}
        // Ctrl-C ends the server.
        _ = tokio::signal::ctrl_c() => stop.cancel(),
    }
    Ok(0)
}

/// Official clients accept only 200 and 204 when they end a session, and warn about the status that the service
/// uses.
async fn end_of_session(request: Request, next: Next) -> Response {
    let delete = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if delete && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Refuses a request that would start one session too many, or for which there is no room. Its place is part of it, so
/// that it is given back when nothing of the request is needed any more.
async fn bounded(State(bounds): State<Bounds>, request: Request, next: Next) -> Response {
    let (mut head, body) = request.into_parts();
    let (body, place) = match bounds.budget.read(body).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    head.extensions.insert(place);
    let begins = !head.headers.contains_key("mcp-session-id");
    let request = Request::from_parts(head, body.into());
    if !begins {
        return next.run(request).await;
    }
    let _beginning = bounds.beginning.lock().await;
    if bounds.sessions.sessions.read().await.len() >= MOST_SESSIONS {
        let why = format!("too many sessions: the limit is {MOST_SESSIONS}");
        return refused(StatusCode::SERVICE_UNAVAILABLE, &why);
    }
    next.run(request).await
}
