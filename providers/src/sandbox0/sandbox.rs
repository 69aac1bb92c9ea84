//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Api;
use super::execute;
use crate::cloud::{download_all, download_one, upload_all, upload_one};
use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileSink, FileSource,
    FileUpload, FileUploadResponse, Result, Sandbox,
};

/// Under this name the working directory is kept in the sandbox's variables.
pub(super) const WORKDIR: &str = "SANDSHELL_WORKDIR";

/// A sandbox at Sandbox0.
#[derive(Debug)]
pub struct Sandbox0Sandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: String,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl Sandbox for Sandbox0Sandbox {
    fn id(&self) -> &str {
        &self.id
    }

    /// Files move with the rights of the service: `enforces_permissions` is off.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            separate_streams: true,
            stdin: true,
            cwd: true,
            env: true,
            timeout: true,
            partial_output: true,
            max_output: true,
            background_processes: true,
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
