//! Opening a WebSocket: a request like every other of the HTTP client's, with its proxy and TLS, and then its connection.

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{StatusCode, Upgraded};
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::api::Api;
use crate::cloud::{Answer, encode};
use crate::{ErrorKind, Result};

pub(super) type Socket = WebSocketStream<Upgraded>;

/// A file comes in one message.
const LARGEST_MESSAGE: usize = 1 << 30;

/// Makes a sandbox. Returns its socket and its id.
pub(super) async fn create(api: &Api, config: &Value) -> Result<(Socket, String)> {
    let url = format!("{}/api/v3/sandboxes/create", api.options.sandbox_url(None));
    let (socket, id) = open(api, &url, Some(config)).await?;
    let id = id.ok_or_else(|| api.http.malformed("a sandbox without an id"))?;
    Ok((socket, id))
}

/// A socket of a sandbox that there is.
pub(super) async fn connect(api: &Api, id: &str) -> Result<Socket> {
    let base = api.options.sandbox_url(Some(id));
    let (socket, _) = open(api, &format!("{base}/api/v3/sandbox/{}/connect", encode(id)), None).await?;
    Ok(socket)
}

async fn open(api: &Api, url: &str, config: Option<&Value>) -> Result<(Socket, Option<String>)> {
    let deadline = api.options.client.deadline;
    let opening = async {
        let response = request(api, url, config).await?;
        let id =
            response.headers().get("x-deno-sandbox-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let upgraded = response.upgrade().await.map_err(|error| api.http.broken(error, false))?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(LARGEST_MESSAGE))
            .max_frame_size(Some(LARGEST_MESSAGE));
        Ok((WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(limits)).await, id))
    };
    tokio::time::timeout(deadline, opening).await.unwrap_or_else(|_| Err(api.http.late(deadline)))
}

/// The answer that agrees to a socket.
async fn request(api: &Api, url: &str, config: Option<&Value>) -> Result<reqwest::Response> {
    let key = generate_key();
    let mut token = HeaderValue::from_str(&format!("Bearer {}", api.token()?.expose()))
        .map_err(|_| api.http.error(ErrorKind::Unauthenticated, "the token cannot be sent"))?;
    token.set_sensitive(true);
    let mut request = api
        .sockets
        .get(url)
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", &key)
        .header(AUTHORIZATION, token);
    if let Some(org) = &api.options.org {
        request = request.header("x-deno-org", org);
    }
    if let Some(config) = config {
        request = request.header("x-deno-sandbox-config", BASE64_STANDARD.encode(config.to_string()));
    }
    let response = request.send().await.map_err(|error| api.http.broken(error, false))?;
    let (status, headers) = (response.status(), response.headers().clone());
    if status != StatusCode::SWITCHING_PROTOCOLS {
        let body = response.bytes().await.map_err(|error| api.http.broken(error, false))?;
        let answer = Answer { status: status.as_u16(), headers, body };
        return Err(api.http.refused(&answer));
    }
    let accepted = headers.get("sec-websocket-accept").map(HeaderValue::as_bytes);
    if accepted != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
        return Err(api.http.malformed("the socket was not agreed to"));
    }
    Ok(response)
}
