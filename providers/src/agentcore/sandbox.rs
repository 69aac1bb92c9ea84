//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Api;
use super::{execute, files};
use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileUpload, FileUploadResponse,
    Result, Sandbox,
};

/// A session at AgentCore.
#[derive(Debug)]
pub struct AgentCoreSandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: String,
    pub(super) workdir: String,
}

#[async_trait]
impl Sandbox for AgentCoreSandbox {
    fn id(&self) -> &str {
        &self.id
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            separate_streams: true,
            stdin: true,
            cwd: true,
            env: true,
            timeout: true,
            partial_output: true,
            max_output: true,
            concurrent_execute: true,
            enforces_permissions: true,
            bash: true,
            ..Capabilities::default()
        }
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        execute::execute(self, request).await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        let mut responses = Vec::with_capacity(files.len());
        for file in files {
            let result = files::upload(self, &file).await?;
            responses.push(FileUploadResponse { path: file.path, result });
        }
        Ok(responses)
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        let mut responses = Vec::with_capacity(paths.len());
        for path in paths {
            let result = files::download(self, &path).await?;
            responses.push(FileDownloadResponse { path, result });
        }
        Ok(responses)
    }
}
