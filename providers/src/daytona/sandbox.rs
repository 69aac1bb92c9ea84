//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Toolbox;
use super::execute;
use crate::cloud::{download_all, download_one, upload_all, upload_one};
use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileSink, FileSource,
    FileUpload, FileUploadResponse, Result, Sandbox,
};

/// A sandbox at Daytona.
#[derive(Debug)]
pub struct DaytonaSandbox {
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl Sandbox for DaytonaSandbox {
    fn id(&self) -> &str {
        &self.toolbox.id
    }

    /// Files move with the rights of the toolbox: `enforces_permissions` is off.
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
            bash: true,
            ..Capabilities::default()
        }
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        execute::execute(self, request).await
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
