//! Files.

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use super::sandbox::RunloopSandbox;
use crate::cloud::{Answer, Multipart, check_path, download_failure, encode, upload_failure};
use crate::{FileError, FileUpload, Result};

pub(super) async fn upload(sandbox: &RunloopSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().text("path", &file.path).file("file", "file", &file.content).finish();
    let http = &sandbox.api.http;
    // The same bytes twice are the same file.
    let call = sandbox.api.call(Method::POST, &format!("/{}/upload_file", encode(&sandbox.id)))?;
    let answer = http.answer(call.body(&kind, body).repeatable().deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(())),
        _ if is_of_the_file(sandbox, &answer) => {
            Ok(Err(upload_failure(sandbox, &file.path, http.message(&answer)).await))
        }
        _ => Err(sandbox.api.refused(&sandbox.id, &answer).await),
    }
}

pub(super) async fn download(sandbox: &RunloopSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let http = &sandbox.api.http;
    let call = sandbox.api.call(Method::POST, &format!("/{}/download_file", encode(&sandbox.id)))?;
    let answer = http.answer(call.json(&json!({"path": path})).repeatable().deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ if is_of_the_file(sandbox, &answer) => {
            Ok(Err(download_failure(sandbox, path, http.message(&answer)).await))
        }
        _ => Err(sandbox.api.refused(&sandbox.id, &answer).await),
    }
}

/// Whether it is the file that is wrong, and not the devbox.
fn is_of_the_file(sandbox: &RunloopSandbox, answer: &Answer) -> bool {
    matches!(answer.status, 400 | 403 | 404 | 500) && !sandbox.api.http.message(answer).starts_with("Devbox")
}
