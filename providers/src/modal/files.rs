//! Files: each operation is a command of the service's own tool.

use async_trait::async_trait;
use bytes::Bytes;
use sandshell_modal::router::{FILE_TOOL, TaskExecStartRequest};
use serde_json::{Value, json};

use super::execute::{Exec, Input, Output};
use super::sandbox::ModalSandbox;
use crate::cloud::{Files, OutputBuffer, download_failure, too_long, upload_failure};
use crate::{ExecuteRequest, FileError, FileSink, FileSource, OutputStream, Result};

/// The most bytes of the tool's error message.
const LONGEST_ERROR: usize = 64 << 10;

#[async_trait]
impl Files for ModalSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        write(self, path, Input::Whole(content)).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        write(self, path, Input::Pieces(content)).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let limit = self.api.options.client.max_download;
        let mut output = OutputBuffer::new(&ExecuteRequest::new("").max_output(limit), None);
        let status = read(self, path).await?.follow(Input::NONE, &mut output).await?;
        let done = output.ended(status);
        if done.truncated {
            return Ok(Err(too_long(limit)));
        }
        Ok(if done.success() { Ok(done.stdout) } else { Err(not_read(self, path, &done.stderr).await) })
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        let mut output = Passed { content, errors: Vec::new(), is_wanted: true };
        let status = read(self, path).await?.follow(Input::NONE, &mut output).await?;
        Ok(if status == Some(0) || !output.is_wanted {
            Ok(())
        } else {
            Err(not_read(self, path, &output.errors).await)
        })
    }
}

async fn write(sandbox: &ModalSandbox, path: &str, content: Input) -> Result<Result<(), FileError>> {
    let mut output = OutputBuffer::new(&ExecuteRequest::new(""), None);
    let tool = tool(sandbox, &json!({"WriteFile": {"path": path}})).await?;
    let status = tool.follow(content, &mut output).await?;
    let done = output.ended(status);
    if done.success() {
        return Ok(Ok(()));
    }
    let (kind, message) = parse_error(&done.stderr);
    Ok(Err(match kind.as_str() {
        "IsDirectory" => FileError::IsDirectory,
        "NotDirectory" | "AlreadyExists" => FileError::InvalidPath,
        "PermissionDenied" => FileError::PermissionDenied,
        _ => upload_failure(sandbox, path, message).await,
    }))
}

async fn read<'a>(sandbox: &'a ModalSandbox, path: &str) -> Result<Exec<'a>> {
    tool(sandbox, &json!({"ReadFile": {"path": path}})).await
}

async fn not_read(sandbox: &ModalSandbox, path: &str, stderr: &[u8]) -> FileError {
    let (kind, message) = parse_error(stderr);
    match kind.as_str() {
        "NotFound" | "NotDirectory" => FileError::FileNotFound,
        "IsDirectory" => FileError::IsDirectory,
        "PermissionDenied" => FileError::PermissionDenied,
        _ => download_failure(sandbox, path, message).await,
    }
}

async fn tool<'a>(sandbox: &'a ModalSandbox, command: &Value) -> Result<Exec<'a>> {
    let words = vec![FILE_TOOL.to_owned(), command.to_string()];
    Exec::run(sandbox, TaskExecStartRequest { command_args: words, ..TaskExecStartRequest::default() }).await
}

/// A file that is passed on as it arrives.
struct Passed {
    content: FileSink,
    errors: Vec<u8>,
    /// Becomes false when the reader goes away.
    is_wanted: bool,
}

impl Output for Passed {
    async fn push(&mut self, stream: OutputStream, data: Bytes) -> bool {
        match stream {
            OutputStream::Stdout => self.is_wanted = self.content.send(data).await.is_ok(),
            OutputStream::Stderr => {
                let room = LONGEST_ERROR.saturating_sub(self.errors.len()).min(data.len());
                self.errors.extend_from_slice(data.get(..room).unwrap_or_default());
            }
        }
        self.is_wanted
    }
}

/// The kind and the message of the tool's error.
fn parse_error(stderr: &[u8]) -> (String, String) {
    let error: Value = serde_json::from_slice(stderr).unwrap_or_default();
    let text = |name: &str| error[name].as_str().map(str::to_owned);
    let message = text("message").unwrap_or_else(|| String::from_utf8_lossy(stderr).into_owned());
    (text("error_kind").unwrap_or_default(), message)
}
