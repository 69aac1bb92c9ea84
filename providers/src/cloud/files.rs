//! Transfers files one after another with the calls that each service has.

use async_trait::async_trait;
use bytes::Bytes;

use super::check_path;
use crate::{FileDownloadResponse, FileError, FileSink, FileSource, FileUpload, FileUploadResponse, Result};

/// How a service transfers a file. Paths were checked before.
#[async_trait]
pub(crate) trait Files: Sync {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>>;

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>>;

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>>;

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>>;
}

/// Collects what [`Files::download_to`] sends, up to a limit. This is [`Files::download`] for services that have no
/// other way.
pub(crate) async fn gathered(
    sandbox: &(impl Files + ?Sized),
    path: &str,
    limit: u64,
) -> Result<Result<Bytes, FileError>> {
    let (sender, mut pieces) = tokio::sync::mpsc::channel::<Bytes>(1);
    let gather = async move {
        let mut whole = Vec::new();
        while let Some(piece) = pieces.recv().await {
            if (whole.len() as u64).saturating_add(piece.len() as u64) > limit {
                return None;
            }
            whole.extend_from_slice(&piece);
        }
        Some(whole)
    };
    let (sent, whole) = tokio::join!(sandbox.download_to(path, sender), gather);
    Ok(sent?.and_then(|()| whole.map(Bytes::from).ok_or_else(|| too_long(limit))))
}

/// The error for a file that is too long to be held in memory.
pub(crate) fn too_long(limit: u64) -> FileError {
    FileError::Other(format!("the file is longer than {limit} bytes, the limit max_download"))
}

/// [`Sandbox::upload_files`](crate::Sandbox::upload_files).
pub(crate) async fn upload_all(
    sandbox: &(impl Files + ?Sized),
    files: Vec<FileUpload>,
) -> Result<Vec<FileUploadResponse>> {
    let mut responses = Vec::with_capacity(files.len());
    for FileUpload { path, content } in files {
        let result = match check_path(&path) {
            Ok(()) => sandbox.upload(&path, content).await?,
            Err(error) => Err(error),
        };
        responses.push(FileUploadResponse { path, result });
    }
    Ok(responses)
}

/// [`Sandbox::download_files`](crate::Sandbox::download_files).
pub(crate) async fn download_all(
    sandbox: &(impl Files + ?Sized),
    paths: Vec<String>,
) -> Result<Vec<FileDownloadResponse>> {
    let mut responses = Vec::with_capacity(paths.len());
    for path in paths {
        let result = match check_path(&path) {
            Ok(()) => sandbox.download(&path).await?,
            Err(error) => Err(error),
        };
        responses.push(FileDownloadResponse { path, result });
    }
    Ok(responses)
}

/// [`Sandbox::upload_from`](crate::Sandbox::upload_from).
pub(crate) async fn upload_one(
    sandbox: &(impl Files + ?Sized),
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    match check_path(path) {
        Ok(()) => sandbox.upload_from(path, content).await,
        Err(error) => Ok(Err(error)),
    }
}

/// [`Sandbox::download_to`](crate::Sandbox::download_to).
pub(crate) async fn download_one(
    sandbox: &(impl Files + ?Sized),
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    match check_path(path) {
        Ok(()) => sandbox.download_to(path, content).await,
        Err(error) => Ok(Err(error)),
    }
}
