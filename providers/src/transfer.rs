//! Transfers of whole files, in batches with an answer for each file.

use bytes::Bytes;

/// A file to write into a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileUpload {
    /// Absolute path.
    pub path: String,
    /// The whole content.
    pub content: Bytes,
}

/// The result of one upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUploadResponse {
    /// The path as it was given.
    pub path: String,
    /// Success, or why the file was not written. An existing file is then unchanged, except after
    /// [`FileError::Other`], when its content is undefined.
    pub result: Result<(), FileError>,
}

/// One downloaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDownloadResponse {
    /// The path as it was given.
    pub path: String,
    /// The whole content, or the reason why there is none.
    pub result: Result<Bytes, FileError>,
}

/// Sends the content of a file for an upload, in pieces. The content ends when the channel is closed. An error ends
/// the transfer, and the content of the target is then undefined.
pub type FileSource = tokio::sync::mpsc::Receiver<std::io::Result<Bytes>>;

/// Receives the content of a file from a download, in pieces. The channel is bounded, so that a slow reader slows
/// the transfer down. If the reader goes away, the transfer ends.
pub type FileSink = tokio::sync::mpsc::Sender<Bytes>;

/// Why one file of a batch could not be transferred.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file does not exist. Also, in a download: the path leads through a file.
    #[error("file_not_found")]
    FileNotFound,
    /// The sandbox's user lacks permission to read or write it.
    #[error("permission_denied")]
    PermissionDenied,
    /// The path names a directory.
    #[error("is_directory")]
    IsDirectory,
    /// The path is relative, empty, contains NUL, or (when uploading) leads through a file.
    #[error("invalid_path")]
    InvalidPath,
    /// Another reason, in the backend's own words.
    #[error("{0}")]
    Other(String),
}

impl FileUpload {
    /// A file with this path and content.
    pub fn new(path: impl Into<String>, content: impl Into<Bytes>) -> Self {
        Self { path: path.into(), content: content.into() }
    }
}

/// The whole content of a source. An error of the source is that of the file.
pub(crate) async fn collect(mut source: FileSource) -> Result<Bytes, FileError> {
    let mut whole = Vec::new();
    while let Some(piece) = source.recv().await {
        whole.extend_from_slice(&piece.map_err(|error| FileError::Other(error.to_string()))?);
    }
    Ok(whole.into())
}

/// The result of a batch of one upload.
pub(crate) fn uploaded(mut batch: Vec<FileUploadResponse>) -> Result<(), FileError> {
    batch.pop().ok_or_else(no_answer)?.result
}

/// Sends the file of a batch of one download.
pub(crate) async fn delivered(mut batch: Vec<FileDownloadResponse>, sink: FileSink) -> Result<(), FileError> {
    let whole = batch.pop().ok_or_else(no_answer)?.result?;
    // A reader that goes away needs no more.
    drop(sink.send(whole).await);
    Ok(())
}

fn no_answer() -> FileError {
    FileError::Other("there was no answer".to_owned())
}
