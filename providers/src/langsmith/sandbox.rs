//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::DataPlane;
use super::execute;
use crate::cloud::{download_all, download_one, upload_all, upload_one};
use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileSink, FileSource,
    FileUpload, FileUploadResponse, OutputSender, Result, Sandbox,
};

/// A sandbox at LangSmith.
#[derive(Debug)]
pub struct LangSmithSandbox {
    pub(super) data: Arc<DataPlane>,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl Sandbox for LangSmithSandbox {
    fn id(&self) -> &str {
        &self.data.id
    }

    /// Files move with the rights of the service: `enforces_permissions` is off.
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
