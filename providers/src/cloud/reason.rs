//! Finds out why a file transfer failed, if the service's answer cannot be expressed in the trait's errors.

use crate::posix::quote;
use crate::{ExecuteRequest, FileError, Sandbox};

/// Looks at `path` inside the sandbox after an upload failed with `message`.
pub(crate) async fn upload_failure(sandbox: &dyn Sandbox, path: &str, message: String) -> FileError {
    match look(sandbox, path).await {
        Some(Look::Directory) => FileError::IsDirectory,
        Some(Look::ThroughFile) => FileError::InvalidPath,
        Some(Look::Closed | Look::ClosedParent) => FileError::PermissionDenied,
        Some(Look::Missing | Look::Open) | None => FileError::Other(message),
    }
}

/// Looks at `path` inside the sandbox after a download failed with `message`.
pub(crate) async fn download_failure(sandbox: &dyn Sandbox, path: &str, message: String) -> FileError {
    match look(sandbox, path).await {
        Some(Look::Directory) => FileError::IsDirectory,
        Some(Look::ThroughFile | Look::Missing | Look::ClosedParent) => FileError::FileNotFound,
        Some(Look::Closed) => FileError::PermissionDenied,
        Some(Look::Open) | None => FileError::Other(message),
    }
}

enum Look {
    Directory,
    ThroughFile,
    Missing,
    Closed,
    /// The path is missing and could not be created.
    ClosedParent,
    Open,
}

async fn look(sandbox: &dyn Sandbox, path: &str) -> Option<Look> {
    let script = format!(
        "p={}
if [ -d \"$p\" ]; then exit 21; fi
if [ -e \"$p\" ]; then [ -r \"$p\" ] && [ -w \"$p\" ] && exit 25; exit 24; fi
d=$p
while d=${{d%/*}}; [ -n \"$d\" ] && [ ! -e \"$d\" ]; do :; done
[ -d \"${{d:-/}}\" ] || exit 22
[ -x \"${{d:-/}}\" ] || exit 24
[ -w \"${{d:-/}}\" ] || exit 26
exit 23",
        quote(path)
    );
    match sandbox.execute(ExecuteRequest::new(script)).await.ok()?.exit_code? {
        21 => Some(Look::Directory),
        22 => Some(Look::ThroughFile),
        23 => Some(Look::Missing),
        24 => Some(Look::Closed),
        26 => Some(Look::ClosedParent),
        25 => Some(Look::Open),
        _ => None,
    }
}
