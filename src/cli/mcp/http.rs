//! Streamable HTTP: a sandbox for each session.

use super::server::Server;
use super::workspace::Workspaces;
use crate::cli::failure::{Failure, note, reason};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

/// Bytes of a message: an `upload` of 64 MiB and more, in base64.
const MAX_MESSAGE: usize = 128 << 20;

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
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    // No page in a browser may reach it, under whatever name it found the address.
    let mut config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE);
    if public {
        config = config.disable_allowed_hosts();
    }
    let stop = config.cancellation_token.clone();
    let service = StreamableHttpService::new(
        move || Ok(Server::new(workspaces.clone())),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router = axum::Router::new().nest_service(PATH, service).layer(from_fn(end_of_session));
    note(&format!("listening on http://{bound}{PATH}"));
    tokio::select! {
        served = async { axum::serve(listener, router).await } => served.map_err(failed)?,
        // Ctrl-C is the way to end it.
        _ = tokio::signal::ctrl_c() => stop.cancel(),
    }
    Ok(0)
}

/// The official clients take 200 and 204 for the end of a session, and warn of what the service answers.
async fn end_of_session(request: Request, next: Next) -> Response {
    let delete = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if delete && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}
