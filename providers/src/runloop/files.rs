//! Files.

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use super::sandbox::RunloopSandbox;
use crate::cloud::{Answer, Call, Multipart, check_path, download_failure, encode, upload_failure};
use crate::{FileError, FileSink, FileSource, FileUpload, Result};

pub(super) async fn upload(sandbox: &RunloopSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let form = Multipart::new().text("path", &file.path).file("file", "file", &file.content);
    let (kind, body) = form.finish();
    // The same bytes twice are the same file.
    let call = call(sandbox, "upload_file")?.body(&kind, body).repeatable().deadline(None);
    let answer = sandbox.api.http.answer(call).await?;
    uploaded(sandbox, &file.path, &answer).await
}

pub(super) async fn upload_from(
    sandbox: &RunloopSandbox,
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().text("path", path).finish_with("file", "file", content);
    let call = call(sandbox, "upload_file")?.header("content-type", &kind);
    let answer = sandbox.api.http.send_pieces(call, body).await?;
    uploaded(sandbox, path, &answer).await
}

pub(super) async fn download(sandbox: &RunloopSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let call = call(sandbox, "download_file")?.json(&json!({"path": path})).repeatable().deadline(None);
    let answer = sandbox.api.http.answer(call).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

pub(super) async fn download_to(
    sandbox: &RunloopSandbox,
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let call = call(sandbox, "download_file")?.json(&json!({"path": path}));
    match sandbox.api.http.fetch(call, content).await? {
        None => Ok(Ok(())),
        Some(answer) => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

fn call(sandbox: &RunloopSandbox, action: &str) -> Result<Call> {
    sandbox.api.call(Method::POST, &format!("/{}/{action}", encode(&sandbox.id)))
}

async fn uploaded(sandbox: &RunloopSandbox, path: &str, answer: &Answer) -> Result<Result<(), FileError>> {
    match answer.status {
        200..300 => Ok(Ok(())),
        _ if is_of_the_file(sandbox, answer) => {
            Ok(Err(upload_failure(sandbox, path, sandbox.api.http.message(answer)).await))
        }
        _ => Err(sandbox.api.refused(&sandbox.id, answer).await),
    }
}

async fn not_downloaded(sandbox: &RunloopSandbox, path: &str, answer: &Answer) -> Result<FileError> {
    if is_of_the_file(sandbox, answer) {
        return Ok(download_failure(sandbox, path, sandbox.api.http.message(answer)).await);
    }
    Err(sandbox.api.refused(&sandbox.id, answer).await)
}

/// Whether it is the file that is wrong, and not the devbox.
fn is_of_the_file(sandbox: &RunloopSandbox, answer: &Answer) -> bool {
    matches!(answer.status, 400 | 403 | 404 | 500) && !sandbox.api.http.message(answer).starts_with("Devbox")
}
