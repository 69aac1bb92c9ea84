//! One sandbox.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use prost::Message;
use tonic::{Status, Streaming};

use super::api::{Api, Router, is_stale};
use super::channel::error;
use super::execute;
use crate::cloud::CloudSandbox;
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A sandbox at Modal.
pub struct ModalSandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: String,
    pub(super) task: String,
    router: tokio::sync::Mutex<Arc<Router>>,
}

impl ModalSandbox {
    pub(super) fn new(api: Arc<Api>, id: String, task: String, router: Router) -> Self {
        Self { api, id, task, router: tokio::sync::Mutex::new(Arc::new(router)) }
    }

    /// Calls the sandbox's service for commands. An expired token is renewed once.
    pub(super) async fn call<Q, R>(&self, method: &str, request: Q, deadline: Option<Duration>) -> Result<R>
    where
        Q: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let router = self.router.lock().await.clone();
        let first = router.call(&self.api, method, deadline).unary(request.clone()).await;
        match first {
            Err(status) if is_stale(&status) => {
                let router = self.renew().await?;
                let again = router.call(&self.api, method, deadline).unary(request).await;
                again.map_err(|status| error(&status))
            }
            done => done.map_err(|status| error(&status)),
        }
    }

    pub(super) async fn stream<Q, R>(&self, method: &str, request: Q) -> Result<Streaming<R>, Status>
    where
        Q: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let router = self.router.lock().await.clone();
        match router.call(&self.api, method, None).streaming(request.clone()).await {
            Err(status) if is_stale(&status) => {
                let router = self.renew().await.map_err(|_| status)?;
                router.call(&self.api, method, None).streaming(request).await
            }
            done => done,
        }
    }

    async fn renew(&self) -> Result<Arc<Router>> {
        let access = self.api.access(&self.id, &self.task).await?;
        let router = Arc::new(Router::new(&self.api, &access)?);
        *self.router.lock().await = router.clone();
        Ok(router)
    }
}

impl fmt::Debug for ModalSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModalSandbox").field("id", &self.id).finish_non_exhaustive()
    }
}

#[async_trait]
impl CloudSandbox for ModalSandbox {
    /// Files are read and written with the permissions of the service's tool: `enforces_permissions` is off.
    const CAPABILITIES: Capabilities = Capabilities {
        separate_streams: true,
        streaming: true,
        stdin: true,
        cwd: true,
        env: true,
        timeout: true,
        partial_output: true,
        max_output: true,
        background_processes: true,
        concurrent_execute: true,
        bash: true,
        ..Capabilities::NONE
    };

    fn id(&self) -> &str {
        &self.id
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request, output).await
    }
}
