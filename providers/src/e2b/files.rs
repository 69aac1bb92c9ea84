//! Files: plain HTTP beside the procedures.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::E2bSandbox;
use crate::cloud::{Multipart, check_path, download_failure, query, upload_failure};
use crate::{FileError, FileUpload, Result};

pub(super) async fn upload(sandbox: &E2bSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().file("file", "file", &file.content).finish();
    let path = format!("/files{}", query(&[("path", file.path.clone())]));
    // The same bytes twice are the same file.
    let call = sandbox.envd.call(Method::POST, &path).body(&kind, body).repeatable().deadline(None);
    let http = &sandbox.envd.api.http;
    let answer = http.answer(call).await?;
    match answer.status {
        200..300 => Ok(Ok(())),
        400 | 403 | 404 | 500 => Ok(Err(upload_failure(sandbox, &file.path, http.message(&answer)).await)),
        507 => Ok(Err(FileError::Other(http.message(&answer)))),
        _ => Err(http.refused(&answer)),
    }
}

pub(super) async fn download(sandbox: &E2bSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let call = sandbox.envd.call(Method::GET, &format!("/files{}", query(&[("path", path.to_owned())])));
    let http = &sandbox.envd.api.http;
    let answer = http.answer(call.deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        404 => Ok(Err(FileError::FileNotFound)),
        400 | 403 | 500 => Ok(Err(download_failure(sandbox, path, http.message(&answer)).await)),
        _ => Err(http.refused(&answer)),
    }
}
