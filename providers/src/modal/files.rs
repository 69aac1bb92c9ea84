//! Files: commands of the service's own tool.

use bytes::Bytes;
use sandshell_modal::router::{FILE_TOOL, TaskExecStartRequest};
use serde_json::{Value, json};

use super::execute::Exec;
use super::sandbox::ModalSandbox;
use crate::cloud::{OutputBuffer, check_path, download_failure, upload_failure};
use crate::{ExecuteRequest, ExecuteResponse, FileError, FileUpload, Result};

pub(super) async fn upload(sandbox: &ModalSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let done = tool(sandbox, &json!({"WriteFile": {"path": file.path}}), file.content.clone()).await?;
    if done.success() {
        return Ok(Ok(()));
    }
    let (kind, message) = told(&done);
    Ok(Err(match kind.as_str() {
        "IsDirectory" => FileError::IsDirectory,
        "NotDirectory" | "AlreadyExists" => FileError::InvalidPath,
        "PermissionDenied" => FileError::PermissionDenied,
        _ => upload_failure(sandbox, &file.path, message).await,
    }))
}

pub(super) async fn download(sandbox: &ModalSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let done = tool(sandbox, &json!({"ReadFile": {"path": path}}), Bytes::new()).await?;
    if done.success() {
        return Ok(Ok(done.stdout));
    }
    let (kind, message) = told(&done);
    Ok(Err(match kind.as_str() {
        "NotFound" | "NotDirectory" => FileError::FileNotFound,
        "IsDirectory" => FileError::IsDirectory,
        "PermissionDenied" => FileError::PermissionDenied,
        _ => download_failure(sandbox, path, message).await,
    }))
}

async fn tool(sandbox: &ModalSandbox, command: &Value, stdin: Bytes) -> Result<ExecuteResponse> {
    let words = vec![FILE_TOOL.to_owned(), command.to_string()];
    let start = TaskExecStartRequest { command_args: words, ..TaskExecStartRequest::default() };
    // A file is as long as it is.
    let mut output = OutputBuffer::new(&ExecuteRequest::new("").max_output(u64::MAX), None);
    let status = Exec::run(sandbox, start).await?.follow(stdin, &mut output).await?;
    Ok(output.ended(status))
}

/// The kind of the tool's error, and what it says.
fn told(done: &ExecuteResponse) -> (String, String) {
    let error: Value = serde_json::from_slice(&done.stderr).unwrap_or_default();
    let text = |name: &str| error[name].as_str().map(str::to_owned);
    let message = text("message").unwrap_or_else(|| String::from_utf8_lossy(&done.stderr).into_owned());
    (text("error_kind").unwrap_or_default(), message)
}
