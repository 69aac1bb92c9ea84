//! WebSockets, of which the server knows what was taken.

use axum::extract::FromRequestParts;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::request::Parts;
use sandshell_server::Incoming;

use crate::http::HttpAnswer;

/// How many bytes a control frame of a client has besides its content.
const FRAME: usize = 6;

/// A request that makes its connection a WebSocket.
pub(crate) struct Upgrade {
    upgrade: WebSocketUpgrade,
    incoming: Option<Incoming>,
}

/// A client's socket.
pub(crate) struct Socket {
    socket: WebSocket,
    incoming: Option<Incoming>,
}

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = WebSocketUpgradeRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let incoming = parts.extensions.get::<Incoming>().cloned();
        let upgrade = WebSocketUpgrade::from_request_parts(parts, state).await?;
        Ok(Self { upgrade, incoming })
    }
}

impl Upgrade {
    /// The largest message of the client.
    pub(crate) fn largest(self, bytes: usize) -> Self {
        let upgrade = self.upgrade.max_message_size(bytes).max_frame_size(bytes);
        Self { upgrade, ..self }
    }

    /// The answer. `failed` is called if the client is gone before it becomes a WebSocket.
    pub(crate) fn begin<F: Future<Output = ()> + Send + 'static>(
        self,
        serve: impl FnOnce(Socket) -> F + Send + 'static,
        failed: impl FnOnce() + Send + 'static,
    ) -> HttpAnswer {
        let incoming = self.incoming;
        let upgrade = self.upgrade.on_failed_upgrade(|_| failed());
        upgrade.on_upgrade(move |socket| serve(Socket { socket, incoming }))
    }
}

impl Socket {
    /// The next message.
    pub(crate) async fn recv(&mut self) -> Option<Result<Message, axum::Error>> {
        let message = self.socket.recv().await;
        if let Some(incoming) = &self.incoming {
            match &message {
                // They come in the middle of a message, too.
                Some(Ok(Message::Ping(data) | Message::Pong(data))) => incoming.taken(data.len() + FRAME),
                _ => incoming.all_taken(),
            }
        }
        message
    }

    pub(crate) async fn send(&mut self, message: Message) -> Result<(), axum::Error> {
        self.socket.send(message).await
    }
}
