//! File operations made of commands, for sandboxes without native ones.
//!
//! They need only `sh` with `[`, `find`, `stat -c`, `grep -F`, `rm` and `printf`, as in GNU, busybox and
//! sandshell's own utilities. Content is transferred with `upload_files` and `download_files`, and everything that
//! can be computed in this process is computed here ([`operations`]).

mod listing;
mod probe;
mod quote;
mod script;
mod search;
mod wrapper;

use bytes::Bytes;

pub use quote::quote;
pub use search::{glob, grep};
pub use wrapper::PosixFileOperations;

use crate::{
    EditOutcome, EditRequest, FailureReason, FileError, FileInfo, FileOperation, FileOperationError,
    FileResult, FileUpload, LineRange, ReadResult, Result, Sandbox, WriteMode, operations,
};
use probe::{Kind, probe};
use script::{run, unexpected};

/// [`FileOperations::read`](crate::FileOperations::read), with one download.
pub async fn read<S: Sandbox + ?Sized>(sandbox: &S, path: &str, range: LineRange) -> FileResult<ReadResult> {
    let failed = |reason| FileOperationError::failed(FileOperation::Read, path, reason);
    let clean = operations::clean_path(path).map_err(failed)?;
    let content = fetch_regular(sandbox, &clean).await?.map_err(failed)?;
    operations::page(path, content, range).map_err(failed)
}

/// [`FileOperations::write`](crate::FileOperations::write), with one upload.
pub async fn write<S: Sandbox + ?Sized>(
    sandbox: &S,
    path: &str,
    content: Bytes,
    mode: WriteMode,
) -> FileResult<()> {
    let failed = |reason| FileOperationError::failed(FileOperation::Write, path, reason);
    let clean = operations::clean_path(path).map_err(failed)?;
    if mode == WriteMode::CreateNew && probe(sandbox, &clean).await?.exists() {
        return Err(failed(FailureReason::AlreadyExists));
    }
    store(sandbox, &clean, content).await?.map_err(|error| failed(error.into()))
}

/// [`FileOperations::edit`](crate::FileOperations::edit), with a download and an upload.
pub async fn edit<S: Sandbox + ?Sized>(
    sandbox: &S,
    path: &str,
    edit: &EditRequest,
) -> FileResult<EditOutcome> {
    let failed = |reason| FileOperationError::failed(FileOperation::Edit, path, reason);
    let clean = operations::clean_path(path).map_err(failed)?;
    if edit.old.is_empty() {
        return Err(failed(FailureReason::EmptyOldText));
    }
    let content = fetch_regular(sandbox, &clean).await?.map_err(failed)?;
    let (content, occurrences) = operations::replace(&content, edit).map_err(failed)?;
    store(sandbox, &clean, content.into()).await?.map_err(|error| failed(error.into()))?;
    Ok(EditOutcome { occurrences })
}

/// [`FileOperations::ls`](crate::FileOperations::ls), with one command.
pub async fn ls<S: Sandbox + ?Sized>(sandbox: &S, path: &str) -> FileResult<Vec<FileInfo>> {
    let failed = |reason| FileOperationError::failed(FileOperation::Ls, path, reason);
    let clean = operations::clean_path(path).map_err(failed)?;
    let script = format!("{}{}", probe::script(&clean), listing::find(&clean, "-mindepth 1 -maxdepth 1", ""));
    let output = run(sandbox, script).await?;
    let (kind, output) = probe::split(&output)?;
    match kind {
        Kind::Directory => {}
        Kind::Missing => return Err(failed(FailureReason::FileNotFound)),
        Kind::Denied | Kind::ClosedDirectory => return Err(failed(FailureReason::PermissionDenied)),
        Kind::File | Kind::Special => return Err(failed(FailureReason::NotADirectory)),
    }
    let listing = listing::parse(&clean, output)?;
    let mut entries: Vec<FileInfo> = listing.entries.into_iter().map(|entry| entry.info(&clean)).collect();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

/// [`FileOperations::delete`](crate::FileOperations::delete), with one command.
pub async fn delete<S: Sandbox + ?Sized>(sandbox: &S, path: &str) -> FileResult<()> {
    let failed = |reason| FileOperationError::failed(FileOperation::Delete, path, reason);
    let clean = operations::clean_path(path).map_err(failed)?;
    if clean.is_empty() || clean.ends_with("/..") {
        return Err(failed(FailureReason::InvalidPath));
    }
    // A path that cannot be examined looks the same as a missing one, unless a directory above it turns out to be
    // inaccessible; `rm -f` itself reports neither.
    let script = format!(
        "{}if [ -e \"$p\" ] || [ -L \"$p\" ]; then rm -rf -- \"$p\" 2>&1; printf '\\n%s' \"$?\"; fi",
        probe::script(&clean)
    );
    let output = run(sandbox, script).await?;
    let (kind, output) = probe::split(&output)?;
    let Some((message, status)) = output.rsplit_once('\n') else {
        return Err(failed(match kind {
            Kind::Denied => FailureReason::PermissionDenied,
            _ => FailureReason::FileNotFound,
        }));
    };
    match status {
        "0" => Ok(()),
        _ if message.contains("ermission denied") => Err(failed(FailureReason::PermissionDenied)),
        // In "rm: cannot remove 'p': Read-only file system", the system's message comes last.
        _ => Err(failed(FailureReason::Other(
            message.trim().rsplit(": ").next().unwrap_or_default().to_owned(),
        ))),
    }
}

/// The content of a regular file. The kind is checked first, because reading a device or pipe might never end.
async fn fetch_regular<S: Sandbox + ?Sized>(
    sandbox: &S,
    clean: &str,
) -> Result<Result<Bytes, FailureReason>> {
    match probe(sandbox, clean).await? {
        Kind::File => {}
        Kind::Missing => return Ok(Err(FailureReason::FileNotFound)),
        Kind::Denied => return Ok(Err(FailureReason::PermissionDenied)),
        Kind::Directory | Kind::ClosedDirectory | Kind::Special => {
            return Ok(Err(FailureReason::NotARegularFile));
        }
    }
    let mut responses = sandbox.download_files(vec![clean.to_owned()]).await?;
    let response = responses.pop().ok_or_else(|| unexpected("a download without an answer"))?;
    Ok(response.result.map_err(FailureReason::from))
}

async fn store<S: Sandbox + ?Sized>(
    sandbox: &S,
    clean: &str,
    content: Bytes,
) -> Result<std::result::Result<(), FileError>> {
    let path = operations::join_path(clean, "");
    let mut responses = sandbox.upload_files(vec![FileUpload::new(path, content)]).await?;
    Ok(responses.pop().ok_or_else(|| unexpected("an upload without an answer"))?.result)
}
