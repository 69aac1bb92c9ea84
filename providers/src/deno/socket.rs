//! Opens a WebSocket. It starts as an ordinary request of the HTTP client, so it uses the same proxy and TLS
//! settings; then the connection is taken over.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::{Method, Upgraded};
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::api::Api;
use crate::Result;
use crate::cloud::Id;

pub(super) type Socket = WebSocketStream<Upgraded>;

/// The most bytes that surround a file in its message.
const AROUND: usize = 64 << 10;

/// Creates a sandbox. Returns its socket and its id.
pub(super) async fn create(api: &Api, config: &Value) -> Result<(Socket, Id)> {
    let url = format!("{}/api/v3/sandboxes/create", api.options.sandbox_url(None));
    let (socket, id) = open(api, url, Some(config)).await?;
    let id = id.ok_or_else(|| api.http.malformed("a sandbox without an id"))?;
    Ok((socket, Id::new(id)?))
}

/// Opens a socket to an existing sandbox.
pub(super) async fn connect(api: &Api, id: &Id) -> Result<Socket> {
    let base = api.options.sandbox_url(Some(id.as_str()));
    let (socket, _) = open(api, format!("{base}/api/v3/sandbox/{id}/connect"), None).await?;
    Ok(socket)
}

async fn open(api: &Api, url: String, config: Option<&Value>) -> Result<(Socket, Option<String>)> {
    let key = generate_key();
    let mut call = api
        .call(Method::GET, url)?
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", &key);
    if let Some(config) = config {
        call = call.header("x-deno-sandbox-config", &BASE64_STANDARD.encode(config.to_string()));
    }
    let response = api.http.upgrade(&call).await?;
    let text = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
    if text("sec-websocket-accept").as_deref() != Some(&derive_accept_key(key.as_bytes())) {
        return Err(api.http.malformed("the socket was not agreed to"));
    }
    let id = text("x-deno-sandbox-id");
    let upgraded = response.upgrade().await.map_err(|error| api.http.broken(error, false))?;
    // A file arrives in one message, in base64.
    let largest = usize::try_from(api.options.client.max_download / 3 * 4).unwrap_or(usize::MAX);
    let largest = Some(largest.saturating_add(AROUND));
    let limits = WebSocketConfig::default().max_message_size(largest).max_frame_size(largest);
    Ok((WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(limits)).await, id))
}
