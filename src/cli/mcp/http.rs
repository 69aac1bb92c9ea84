//! Streamable HTTP: a sandbox for each session.

use super::server::Server;
use super::stdio::MAX_MESSAGE;
use super::workspace::Workspaces;
use crate::cli::failure::{Failure, note, reason};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sandshell_server::{Limits, patient};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The endpoint's path.
const PATH: &str = "/mcp";

/// The most sessions at the same time. Each has a sandbox. A session ends after five minutes of silence.
const MOST_SESSIONS: usize = 64;

/// How long a request may pause while its body is sent.
const SILENCE: Duration = Duration::from_secs(60);

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
    let router = router.layer(from_fn_with_state(sessions, bounded));
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

/// Refuses a request that would start one session too many, and gives up on a body that stops arriving.
async fn bounded(State(sessions): State<Arc<LocalSessionManager>>, request: Request, next: Next) -> Response {
    let begins = !request.headers().contains_key("mcp-session-id");
    if begins && sessions.sessions.read().await.len() >= MOST_SESSIONS {
        let why = format!("too many sessions: the limit is {MOST_SESSIONS}\n");
        return (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "10")], why).into_response();
    }
    next.run(request.map(|body| patient(body, SILENCE))).await
}
