//! A backend as a provider.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{Backend, Call, Handle, Reply};
use crate::{
    Capabilities, CreateOptions, Error, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError,
    FileOperations, FileSink, FileSource, FileUpload, FileUploadResponse, ListOptions, OutputSender,
    ProviderMetadata, Result, Sandbox, SandboxPage, SandboxProvider, SnapshotInfo,
};

/// The provider whose calls go to a backend.
#[derive(Debug)]
pub(crate) struct BackendProvider<B>(Arc<B>);

impl<B: Backend> BackendProvider<B> {
    pub(crate) fn new(backend: B) -> Self {
        Self(Arc::new(backend))
    }

    async fn call(&self, call: Call) -> Result<Reply> {
        self.0.call(call, None).await
    }

    fn sandbox(&self, answer: Reply) -> Result<Arc<dyn Sandbox>> {
        let handle = answer.sandbox()?;
        let files = self.0.file_operations(&handle);
        Ok(Arc::new(BackendSandbox { backend: self.0.clone(), handle, files }))
    }
}

#[async_trait]
impl<B: Backend> SandboxProvider for BackendProvider<B> {
    fn metadata(&self) -> ProviderMetadata {
        self.0.metadata()
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if let Some(id) = &options.id
            && options != CreateOptions::existing(id)
        {
            return Err(Error::invalid_request("an id excludes every other option"));
        }
        self.sandbox(self.call(Call::Create(options)).await?)
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        self.call(Call::List(options)).await?.page()
    }

    async fn delete(&self, id: &str) -> Result<()> {
        self.call(Call::Delete { id: id.to_owned() }).await?.done()
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let call = Call::Snapshot { id: id.to_owned(), name: name.map(str::to_owned) };
        self.call(call).await?.snapshot()
    }

    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        self.call(Call::Restore { id: id.to_owned(), snapshot: snapshot.to_owned() }).await?.done()
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        self.call(Call::DeleteSnapshot { snapshot: snapshot.to_owned() }).await?.done()
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        self.sandbox(self.call(Call::Fork { id: id.to_owned() }).await?)
    }

    async fn pause(&self, id: &str) -> Result<()> {
        self.call(Call::Pause { id: id.to_owned() }).await?.done()
    }

    async fn resume(&self, id: &str) -> Result<()> {
        self.call(Call::Resume { id: id.to_owned() }).await?.done()
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        self.call(Call::SetTtl { id: id.to_owned(), ttl }).await?.done()
    }
}

/// A sandbox whose calls go to a backend.
struct BackendSandbox<B> {
    backend: Arc<B>,
    handle: Handle,
    files: Option<Box<dyn FileOperations>>,
}

#[async_trait]
impl<B: Backend> Sandbox for BackendSandbox<B> {
    fn id(&self) -> &str {
        &self.handle.id
    }

    fn capabilities(&self) -> Capabilities {
        self.handle.capabilities
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        self.backend.call(Call::Execute(self.handle.clone(), request), None).await?.executed()
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        self.backend.call(Call::Execute(self.handle.clone(), request), Some(output)).await?.executed()
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        self.backend.call(Call::Upload(self.handle.clone(), files), None).await?.uploaded()
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        self.backend.call(Call::Download(self.handle.clone(), paths), None).await?.downloaded()
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        self.backend.upload_from(&self.handle, path, content).await
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        self.backend.download_to(&self.handle, path, content).await
    }

    fn file_operations(&self) -> Option<&dyn FileOperations> {
        self.files.as_deref()
    }
}

impl<B: fmt::Debug> fmt::Debug for BackendSandbox<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").field("handle", &self.handle).field("of", &self.backend).finish()
    }
}
