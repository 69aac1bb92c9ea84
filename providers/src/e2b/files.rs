//! Files: plain HTTP beside the procedures.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::E2bSandbox;
use crate::cloud::{Answer, Call, Multipart, check_path, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, FileUpload, Result};

pub(super) async fn upload(sandbox: &E2bSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().file("file", "file", &file.content).finish();
    // The same bytes twice are the same file.
    let call = call(sandbox, Method::POST, &file.path).body(&kind, body).repeatable().deadline(None);
    let answer = sandbox.envd.api.http.answer(call).await?;
    uploaded(sandbox, &file.path, &answer).await
}

pub(super) async fn upload_from(
    sandbox: &E2bSandbox,
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().finish_with("file", "file", content);
    let call = call(sandbox, Method::POST, path).header("content-type", &kind);
    let answer = sandbox.envd.api.http.send_pieces(call, body).await?;
    uploaded(sandbox, path, &answer).await
}

pub(super) async fn download(sandbox: &E2bSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let answer = sandbox.envd.api.http.answer(call(sandbox, Method::GET, path).deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

pub(super) async fn download_to(
    sandbox: &E2bSandbox,
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    match sandbox.envd.api.http.fetch(call(sandbox, Method::GET, path), content).await? {
        None => Ok(Ok(())),
        Some(answer) => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

fn call(sandbox: &E2bSandbox, method: Method, path: &str) -> Call {
    sandbox.envd.call(method, &format!("/files{}", query(&[("path", path.to_owned())])))
}

async fn uploaded(sandbox: &E2bSandbox, path: &str, answer: &Answer) -> Result<Result<(), FileError>> {
    let http = &sandbox.envd.api.http;
    match answer.status {
        200..300 => Ok(Ok(())),
        400 | 403 | 404 | 500 => Ok(Err(upload_failure(sandbox, path, http.message(answer)).await)),
        507 => Ok(Err(FileError::Other(http.message(answer)))),
        _ => Err(http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &E2bSandbox, path: &str, answer: &Answer) -> Result<FileError> {
    let http = &sandbox.envd.api.http;
    match answer.status {
        404 => Ok(FileError::FileNotFound),
        400 | 403 | 500 => Ok(download_failure(sandbox, path, http.message(answer)).await),
        _ => Err(http.refused(answer)),
    }
}
