//! Files.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use super::rpc::{Failure, Rpc};
use super::sandbox::DenoSandbox;
use crate::cloud::{check_path, download_failure, upload_failure};
use crate::{FileError, FileUpload, Result};

/// What is longer is sent as a stream of such pieces.
const PIECE: usize = 192 * 1024;

pub(super) async fn upload(sandbox: &DenoSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let rpc = sandbox.rpc().await?;
    let mut written = write(&rpc, file).await;
    // Directories on the way are not made by the service.
    if let Err(Failure::Thrown(thrown)) = &written
        && thrown["code"] == json!("ENOENT")
        && let Some((parent, _)) = file.path.rsplit_once('/')
    {
        let deadline = Some(sandbox.api.options.client.deadline);
        let made = rpc.call("mkdir", json!({"path": parent, "options": {"recursive": true}}), deadline).await;
        written = match made {
            Ok(_) => write(&rpc, file).await,
            Err(failure) => Err(failure),
        };
    }
    match written {
        Ok(()) => Ok(Ok(())),
        Err(Failure::Other(error)) => Err(error),
        Err(Failure::Thrown(thrown)) => Ok(Err(upload_failure(sandbox, &file.path, told(&thrown)).await)),
    }
}

async fn write(rpc: &Rpc, file: &FileUpload) -> Result<(), Failure> {
    if file.content.len() <= PIECE {
        let content = BASE64_STANDARD.encode(&file.content);
        let written = rpc.call("writeFile", json!({"path": file.path, "content": content}), None);
        return written.await.map(drop);
    }
    let id = rpc.begin().await;
    let written = rpc.call("writeFile", json!({"path": file.path, "contentStreamId": id}), None);
    let sent = async {
        for piece in file.content.chunks(PIECE) {
            rpc.enqueue(id, piece).await;
        }
        rpc.end(id).await;
    };
    // The answer comes when the stream has ended, or before if the file cannot be written.
    tokio::join!(written, sent).0.map(drop)
}

pub(super) async fn download(sandbox: &DenoSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let rpc = sandbox.rpc().await?;
    match rpc.call("readFile", json!({"path": path}), None).await {
        Ok(content) => {
            let content = content.as_str().and_then(|content| BASE64_STANDARD.decode(content).ok());
            let content = content.ok_or_else(|| sandbox.api.http.malformed("a file that is not base64"))?;
            Ok(Ok(content.into()))
        }
        Err(Failure::Other(error)) => Err(error),
        Err(Failure::Thrown(thrown)) => Ok(Err(match thrown["code"].as_str() {
            Some("ENOENT" | "ENOTDIR") => FileError::FileNotFound,
            Some("EISDIR") => FileError::IsDirectory,
            Some("EACCES") => FileError::PermissionDenied,
            _ => download_failure(sandbox, path, told(&thrown)).await,
        })),
    }
}

fn told(thrown: &Value) -> String {
    thrown["message"].as_str().unwrap_or_default().to_owned()
}
