//! Files.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::LangSmithSandbox;
use crate::cloud::{Answer, Multipart, check_path, download_failure, query, upload_failure};
use crate::{FileError, FileUpload, Result};

pub(super) async fn upload(sandbox: &LangSmithSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().file("file", "file", &file.content).finish();
    let place = format!("/upload{}", query(&[("path", file.path.clone())]));
    let http = &sandbox.data.api.http;
    // The same bytes twice are the same file.
    let call = sandbox.data.call(Method::POST, &place)?.body(&kind, body).repeatable().deadline(None);
    let answer = http.answer(call).await?;
    match answer.status {
        200..300 => Ok(Ok(())),
        _ if is_of_the_file(sandbox, &answer) => {
            Ok(Err(upload_failure(sandbox, &file.path, http.message(&answer)).await))
        }
        _ => Err(http.refused(&answer)),
    }
}

pub(super) async fn download(sandbox: &LangSmithSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let place = format!("/download{}", query(&[("path", path.to_owned())]));
    let http = &sandbox.data.api.http;
    let answer = http.answer(sandbox.data.call(Method::GET, &place)?.deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ if is_of_the_file(sandbox, &answer) => {
            Ok(Err(download_failure(sandbox, path, http.message(&answer)).await))
        }
        _ => Err(http.refused(&answer)),
    }
}

/// Whether it is the file that is wrong, and not the sandbox.
fn is_of_the_file(sandbox: &LangSmithSandbox, answer: &Answer) -> bool {
    let message = sandbox.data.api.http.message(answer);
    matches!(answer.status, 400 | 403 | 404 | 500)
        && ["FileNotFound", "ReadError", "WriteError"].iter().any(|kind| message.starts_with(kind))
}
