//! WebSockets that carry JSON, over the client's own connections.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Upgraded;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::{Call, Http};
use crate::{Error, ErrorKind, Result};

/// A longer message is an error.
const LONGEST_MESSAGE: usize = 16 << 20;

/// A WebSocket.
pub(crate) struct Socket<'a> {
    http: &'a Http,
    stream: WebSocketStream<Upgraded>,
}

impl<'a> Socket<'a> {
    /// Opens a WebSocket at the URL of `call`.
    pub(crate) async fn open(http: &'a Http, call: Call) -> Result<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)
            .map_err(|error| http.error(ErrorKind::Unexpected, format!("no random numbers: {error}")))?;
        let key = BASE64_STANDARD.encode(random);
        let call = call
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", &key);
        let response = http.upgrade(&call).await?;
        let accepted = response.headers().get("sec-websocket-accept");
        if accepted.is_none_or(|accepted| accepted.as_bytes() != derive_accept_key(key.as_bytes()).as_bytes())
        {
            return Err(http.malformed("it is no WebSocket"));
        }
        let upgraded = response.upgrade().await.map_err(|error| http.broken(error, true))?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(LONGEST_MESSAGE))
            .max_frame_size(Some(LONGEST_MESSAGE));
        let stream = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(limits)).await;
        Ok(Self { http, stream })
    }

    pub(crate) async fn send(&mut self, message: &Value) -> Result<()> {
        self.stream.send(Message::text(message.to_string())).await.map_err(|error| self.broken(error))
    }

    /// The next message; `None` once the service has closed the socket.
    pub(crate) async fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let mut asked = false;
        loop {
            // A service that is still alive answers a ping.
            let Ok(next) = tokio::time::timeout(self.http.options.idle_timeout / 2, self.stream.next()).await
            else {
                if asked {
                    return Err(self.http.error(ErrorKind::Unavailable, "the connection fell silent"));
                }
                asked = true;
                let ping = Message::Ping(Bytes::new());
                self.stream.send(ping).await.map_err(|error| self.broken(error))?;
                continue;
            };
            asked = false;
            let text = match next {
                None | Some(Ok(Message::Close(_))) => return Ok(None),
                Some(Err(error)) => return Err(self.broken(error)),
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(_)) => continue,
            };
            return super::parse_json(text.as_bytes()).map(Some).map_err(|error| self.http.malformed(error));
        }
    }

    fn broken(&self, error: tokio_tungstenite::tungstenite::Error) -> Error {
        if let tokio_tungstenite::tungstenite::Error::Capacity(_) = error {
            return self.http.malformed(format_args!("a message of more than {LONGEST_MESSAGE} bytes"));
        }
        self.http.error(ErrorKind::Unavailable, "the connection broke").with_source(error)
    }
}
