//! A provider at the other end of any connection.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::io::{AsyncRead, AsyncWrite};

use super::backend::Remote;
use super::connection::Connection;
use crate::calls::BackendProvider;
use crate::{Result, SandboxProvider};

/// A provider that something at the other end of a connection [serves](super::serve()). Clones are the same; the
/// connection is closed when the last of them, of the provider and of its sandboxes is dropped.
#[derive(Clone, Debug)]
pub struct RemoteProvider {
    connection: Arc<Connection>,
    provider: Arc<dyn SandboxProvider>,
}

impl RemoteProvider {
    /// Begins to speak. `name` is for messages: what the other end is. Each answer must come within `deadline`, except
    /// those about commands and files.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the connection is closed, `DeadlineExceeded` if there is no answer in time, `Unexpected` if it
    /// is malformed.
    pub async fn over(
        name: String,
        answers: impl AsyncRead + Unpin + Send + 'static,
        requests: impl AsyncWrite + Unpin + Send + 'static,
        deadline: Duration,
    ) -> Result<Self> {
        let parting = async || "the connection was closed".to_owned();
        let (connection, attending) = Connection::over(name, answers, requests, parting);
        let connection = Arc::new(connection);
        tokio::spawn(attending);
        let unknown = Unknown(Some(&connection));
        let remote = Remote::greet(connection.clone(), None, &Map::new(), deadline).await?;
        unknown.keep();
        Ok(Self { connection, provider: Arc::new(BackendProvider::new(remote)) })
    }

    /// The provider.
    pub fn provider(&self) -> &Arc<dyn SandboxProvider> {
        &self.provider
    }

    /// Closes the connection: every call fails, those that are going on too.
    pub fn close(&self, why: &str) {
        self.connection.close(why);
    }

    /// Whether the connection was closed: every call fails with `Unavailable` from then on.
    pub fn is_closed(&self) -> bool {
        self.connection.is_over()
    }
}

/// A connection whose other end has not said what it is. It is closed if it does not, also if nobody waits for that any
/// more: the other end may never close it.
struct Unknown<'a>(Option<&'a Connection>);

impl Unknown<'_> {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Unknown<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.0 {
            connection.close("it did not say what it is");
        }
    }
}
