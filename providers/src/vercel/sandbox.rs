//! One sandbox, and the session that it runs in.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::api::Api;
use super::{execute, files};
use crate::cloud::{download_all, download_one, upload_one};
use crate::{
    Capabilities, ErrorKind, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileSink,
    FileSource, FileUpload, FileUploadResponse, OutputSender, Result, Sandbox,
};

/// A sandbox at Vercel.
#[derive(Debug)]
pub struct VercelSandbox {
    pub(super) api: Arc<Api>,
    pub(super) workdir: Option<String>,
    name: String,
    session: Mutex<String>,
    /// Who resumes the session; the others wait for it.
    resuming: tokio::sync::Mutex<()>,
}

impl VercelSandbox {
    pub(super) fn new(api: Arc<Api>, name: String, session: String, workdir: Option<String>) -> Self {
        Self { api, workdir, name, session: Mutex::new(session), resuming: tokio::sync::Mutex::default() }
    }

    /// The session that runs, or did when it was last asked.
    pub(super) fn session(&self) -> String {
        self.session.lock().clone()
    }

    /// Asks the session that runs. If it has stopped, nothing was done: it is resumed, and asked once more.
    pub(super) async fn awake<T, F>(&self, ask: impl Fn(String) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let session = self.session();
        match ask(session.clone()).await {
            Err(error) if error.kind() == ErrorKind::SandboxEnded => {
                self.resume(&session).await?;
                ask(self.session()).await
            }
            done => done,
        }
    }

    async fn resume(&self, stopped: &str) -> Result<()> {
        let _turn = self.resuming.lock().await;
        if *self.session.lock() == stopped {
            let resumed = self.api.wake(&self.name).await?.session.id;
            *self.session.lock() = resumed;
        }
        Ok(())
    }
}

#[async_trait]
impl Sandbox for VercelSandbox {
    fn id(&self) -> &str {
        &self.name
    }

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
            enforces_permissions: true,
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
        files::upload(self, files).await
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
