//! Convenience methods of all sandboxes.

use async_trait::async_trait;
use bytes::Bytes;

use crate::{
    EditOutcome, EditRequest, ExecuteRequest, ExecuteResponse, FileInfo, FileResult, GlobRequest, GlobResult,
    GrepRequest, GrepResult, LineRange, ReadResult, Result, Sandbox, Session, WriteMode, posix,
};

/// Conveniences for callers; implemented for every [`Sandbox`].
///
/// The file operations are the sandbox's own if it has some ([`Sandbox::file_operations`]), otherwise those of
/// [`posix`]. [`FileOperations`](crate::FileOperations) has their contract.
#[async_trait]
pub trait SandboxExt: Sandbox {
    /// Runs `command` with every default.
    async fn run(&self, command: &str) -> Result<ExecuteResponse> {
        self.execute(ExecuteRequest::new(command)).await
    }

    /// The session of this name: a shell that lives. See [`Sandbox::execute_in_session`].
    fn session(&self, name: impl Into<String>) -> Session<'_, Self> {
        Session::new(self, name.into())
    }

    /// See [`FileOperations::read`](crate::FileOperations::read).
    async fn read(&self, path: &str, range: LineRange) -> FileResult<ReadResult> {
        match self.file_operations() {
            Some(native) => native.read(path, range).await,
            None => posix::read(self, path, range).await,
        }
    }

    /// See [`FileOperations::write`](crate::FileOperations::write).
    async fn write(&self, path: &str, content: Bytes, mode: WriteMode) -> FileResult<()> {
        match self.file_operations() {
            Some(native) => native.write(path, content, mode).await,
            None => posix::write(self, path, content, mode).await,
        }
    }

    /// See [`FileOperations::edit`](crate::FileOperations::edit).
    async fn edit(&self, path: &str, edit: &EditRequest) -> FileResult<EditOutcome> {
        match self.file_operations() {
            Some(native) => native.edit(path, edit).await,
            None => posix::edit(self, path, edit).await,
        }
    }

    /// See [`FileOperations::ls`](crate::FileOperations::ls).
    async fn ls(&self, path: &str) -> FileResult<Vec<FileInfo>> {
        match self.file_operations() {
            Some(native) => native.ls(path).await,
            None => posix::ls(self, path).await,
        }
    }

    /// See [`FileOperations::grep`](crate::FileOperations::grep).
    async fn grep(&self, request: &GrepRequest) -> FileResult<GrepResult> {
        match self.file_operations() {
            Some(native) => native.grep(request).await,
            None => posix::grep(self, request).await,
        }
    }

    /// See [`FileOperations::glob`](crate::FileOperations::glob).
    async fn glob(&self, request: &GlobRequest) -> FileResult<GlobResult> {
        match self.file_operations() {
            Some(native) => native.glob(request).await,
            None => posix::glob(self, request).await,
        }
    }

    /// See [`FileOperations::delete`](crate::FileOperations::delete).
    async fn delete(&self, path: &str) -> FileResult<()> {
        match self.file_operations() {
            Some(native) => native.delete(path).await,
            None => posix::delete(self, path).await,
        }
    }
}

#[async_trait]
impl<S: Sandbox + ?Sized> SandboxExt for S {}
