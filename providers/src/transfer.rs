//! Moving whole files in and out, in batches with an answer for each file.

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

/// What became of one uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUploadResponse {
    /// The path as it was given.
    pub path: String,
    /// The reason why the file was not written; what was there before is then undefined only for
    /// [`FileError::Other`].
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

/// The content of a file on its way in, in pieces; its end is the end of the channel. An error ends the transfer, and what is
/// then in the file is undefined.
pub type FileSource = tokio::sync::mpsc::Receiver<std::io::Result<Bytes>>;

/// Where the content of a file goes on its way out, in pieces. The channel is bounded, so that a slow reader slows the
/// transfer down; a reader that goes away ends it.
pub type FileSink = tokio::sync::mpsc::Sender<Bytes>;

/// Why one file of a batch could not be moved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Nothing is there (also: a path that leads through a file, when downloading).
    #[error("file_not_found")]
    FileNotFound,
    /// The sandbox's user may not read or write it.
    #[error("permission_denied")]
    PermissionDenied,
    /// The path names a directory.
    #[error("is_directory")]
    IsDirectory,
    /// The path is relative, empty, contains NUL, or (when uploading) leads through a file.
    #[error("invalid_path")]
    InvalidPath,
    /// Something only this backend knows, in its own words.
    #[error("{0}")]
    Other(String),
}

impl FileUpload {
    /// A file with this path and content.
    pub fn new(path: impl Into<String>, content: impl Into<Bytes>) -> Self {
        Self { path: path.into(), content: content.into() }
    }
}
