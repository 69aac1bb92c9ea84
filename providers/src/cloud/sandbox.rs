//! The part of a sandbox's client that is the same for all clouds.

use async_trait::async_trait;

use super::files::{Files, download_all, download_one, upload_all, upload_one};
use crate::sandbox::send_all;
use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileSink, FileSource,
    FileUpload, FileUploadResponse, OutputSender, Result, Sandbox,
};

/// The parts of a cloud's sandbox that differ between services. [`Sandbox`] is implemented for everything that has
/// this trait and [`Files`].
#[async_trait]
pub(crate) trait CloudSandbox: Files + std::fmt::Debug + Send + Sync + 'static {
    /// [`Sandbox::capabilities`].
    const CAPABILITIES: Capabilities;

    /// [`Sandbox::id`].
    fn id(&self) -> &str;

    /// [`Sandbox::execute`], or [`Sandbox::execute_streaming`] with `output`, which is given only if the service
    /// can stream.
    async fn execute(&self, request: ExecuteRequest, output: Option<OutputSender>)
    -> Result<ExecuteResponse>;

    /// [`Sandbox::upload_files`]; by default one file after another, for services that do not accept several at
    /// once.
    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        upload_all(self, files).await
    }
}

#[async_trait]
impl<S: CloudSandbox> Sandbox for S {
    fn id(&self) -> &str {
        CloudSandbox::id(self)
    }

    fn capabilities(&self) -> Capabilities {
        S::CAPABILITIES
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        CloudSandbox::execute(self, request, None).await
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        if S::CAPABILITIES.streaming {
            return CloudSandbox::execute(self, request, Some(output)).await;
        }
        let response = CloudSandbox::execute(self, request, None).await?;
        send_all(&response, &output).await;
        Ok(response)
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        CloudSandbox::upload_files(self, files).await
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
