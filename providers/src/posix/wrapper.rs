//! Ignores a sandbox's own file operations.

use async_trait::async_trait;

use crate::{
    Capabilities, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileOperations, FileUpload,
    FileUploadResponse, OutputSender, Result, Sandbox, SessionInfo, SessionResponse, TerminalRequest,
    TerminalScreen,
};

/// A sandbox whose file operations are made of commands, even if it has native ones.
///
/// The conformance suite uses it to compare the two. A program can use it to see every operation as commands.
#[derive(Clone, Debug)]
pub struct PosixFileOperations<S>(pub S);

#[async_trait]
impl<S: Sandbox + ?Sized> Sandbox for PosixFileOperations<std::sync::Arc<S>> {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        self.0.execute(request).await
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        self.0.execute_streaming(request, output).await
    }

    async fn execute_in_session(&self, session: &str, request: ExecuteRequest) -> Result<SessionResponse> {
        self.0.execute_in_session(session, request).await
    }

    async fn session_output(&self, session: &str) -> Result<bytes::Bytes> {
        self.0.session_output(session).await
    }

    async fn end_session(&self, session: &str) -> Result<()> {
        self.0.end_session(session).await
    }

    async fn use_terminal(&self, session: &str, request: TerminalRequest) -> Result<TerminalScreen> {
        self.0.use_terminal(session, request).await
    }

    async fn sessions(&self) -> Result<Vec<SessionInfo>> {
        self.0.sessions().await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        self.0.upload_files(files).await
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        self.0.download_files(paths).await
    }

    fn file_operations(&self) -> Option<&dyn FileOperations> {
        None
    }
}
