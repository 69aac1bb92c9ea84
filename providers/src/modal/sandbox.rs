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
use crate::cloud::{download_all, download_one, upload_all, upload_one};
use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileSink, FileSource,
    FileUpload, FileUploadResponse, OutputSender, Result, Sandbox,
};

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

    /// Calls the sandbox's service for commands; a token that is over is asked for again, once.
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
impl Sandbox for ModalSandbox {
    fn id(&self) -> &str {
        &self.id
    }

    /// Files move with the rights of the service's tool: `enforces_permissions` is off.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
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
            enforces_permissions: false,
            bash: true,
        }
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        execute::execute(self, request, None).await
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request, Some(output)).await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        upload_all(self, files).await
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        download_all(self, paths).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        upload_one(self, path, content).await
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        download_one(self, path, content).await
    }
}
