//! Files.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::LangSmithSandbox;
use crate::cloud::{Answer, Call, Multipart, check_path, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, FileUpload, Result};

pub(super) async fn upload(sandbox: &LangSmithSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().file("file", "file", &file.content).finish();
    // The same bytes twice are the same file.
    let call = call(sandbox, Method::POST, "upload", &file.path)?.body(&kind, body).repeatable();
    let answer = sandbox.data.api.http.answer(call.deadline(None)).await?;
    uploaded(sandbox, &file.path, &answer).await
}

pub(super) async fn upload_from(
    sandbox: &LangSmithSandbox,
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let (kind, body) = Multipart::new().finish_with("file", "file", content);
    let call = call(sandbox, Method::POST, "upload", path)?.header("content-type", &kind);
    let answer = sandbox.data.api.http.send_pieces(call, body).await?;
    uploaded(sandbox, path, &answer).await
}

pub(super) async fn download(sandbox: &LangSmithSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let wanted = call(sandbox, Method::GET, "download", path)?.deadline(None);
    let answer = sandbox.data.api.http.answer(wanted).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

pub(super) async fn download_to(
    sandbox: &LangSmithSandbox,
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let wanted = call(sandbox, Method::GET, "download", path)?;
    match sandbox.data.api.http.fetch(wanted, content).await? {
        None => Ok(Ok(())),
        Some(answer) => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

fn call(sandbox: &LangSmithSandbox, method: Method, what: &str, path: &str) -> Result<Call> {
    sandbox.data.call(method, &format!("/{what}{}", query(&[("path", path.to_owned())])))
}

async fn uploaded(sandbox: &LangSmithSandbox, path: &str, answer: &Answer) -> Result<Result<(), FileError>> {
    let http = &sandbox.data.api.http;
    match answer.status {
        200..300 => Ok(Ok(())),
        _ if is_of_the_file(sandbox, answer) => {
            Ok(Err(upload_failure(sandbox, path, http.message(answer)).await))
        }
        _ => Err(http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &LangSmithSandbox, path: &str, answer: &Answer) -> Result<FileError> {
    let http = &sandbox.data.api.http;
    if is_of_the_file(sandbox, answer) {
        return Ok(download_failure(sandbox, path, http.message(answer)).await);
    }
    Err(http.refused(answer))
}

/// Whether it is the file that is wrong, and not the sandbox.
fn is_of_the_file(sandbox: &LangSmithSandbox, answer: &Answer) -> bool {
    let message = sandbox.data.api.http.message(answer);
    matches!(answer.status, 400 | 403 | 404 | 500)
        && ["FileNotFound", "ReadError", "WriteError"].iter().any(|kind| message.starts_with(kind))
}
