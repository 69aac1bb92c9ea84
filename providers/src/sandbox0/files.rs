//! Files: raw bodies.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::Sandbox0Sandbox;
use crate::cloud::{Answer, Call, Pieces, check_path, download_failure, encode, query, upload_failure};
use crate::{FileError, FileSink, FileSource, FileUpload, Result};

pub(super) async fn upload(sandbox: &Sandbox0Sandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    // The same bytes twice are the same file.
    let call = call(sandbox, Method::POST, &file.path)?.repeatable();
    let call = call.body("application/octet-stream", file.content.clone()).deadline(None);
    let answer = sandbox.api.awake(call).await?;
    uploaded(sandbox, &file.path, &answer).await
}

pub(super) async fn upload_from(
    sandbox: &Sandbox0Sandbox,
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    // What is sent piece by piece cannot be sent again if the sandbox has to wake up first.
    let contexts = format!("/sandboxes/{}/contexts", encode(&sandbox.id));
    sandbox.api.http.success(sandbox.api.awake(sandbox.api.call(Method::GET, &contexts)?).await?)?;
    let call = call(sandbox, Method::POST, path)?.header("content-type", "application/octet-stream");
    let answer = sandbox.api.http.send_pieces(call, Pieces::new(content)).await?;
    uploaded(sandbox, path, &answer).await
}

pub(super) async fn download(sandbox: &Sandbox0Sandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let answer = sandbox.api.awake(wanted(sandbox, path)?.deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

pub(super) async fn download_to(
    sandbox: &Sandbox0Sandbox,
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let fetched = sandbox.api.awake_for(|| {
        let content = content.clone();
        async move { sandbox.api.http.fetch(wanted(sandbox, path)?, content).await }
    });
    match fetched.await? {
        None => Ok(Ok(())),
        Some(answer) => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

fn wanted(sandbox: &Sandbox0Sandbox, path: &str) -> Result<Call> {
    Ok(call(sandbox, Method::GET, path)?.header("accept", "application/octet-stream"))
}

async fn uploaded(sandbox: &Sandbox0Sandbox, path: &str, answer: &Answer) -> Result<Result<(), FileError>> {
    match answer.status {
        200..300 => Ok(Ok(())),
        413 => Ok(Err(FileError::Other(sandbox.api.http.message(answer)))),
        _ if is_of_the_file(sandbox, answer) => {
            Ok(Err(upload_failure(sandbox, path, sandbox.api.http.message(answer)).await))
        }
        _ => Err(sandbox.api.http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &Sandbox0Sandbox, path: &str, answer: &Answer) -> Result<FileError> {
    if is_of_the_file(sandbox, answer) {
        return Ok(download_failure(sandbox, path, sandbox.api.http.message(answer)).await);
    }
    Err(sandbox.api.http.refused(answer))
}

fn call(sandbox: &Sandbox0Sandbox, method: Method, path: &str) -> Result<Call> {
    let place = format!("/sandboxes/{}/files{}", encode(&sandbox.id), query(&[("path", path.to_owned())]));
    sandbox.api.call(method, &place)
}

/// Whether it is the file that is wrong, and not the sandbox.
fn is_of_the_file(sandbox: &Sandbox0Sandbox, answer: &Answer) -> bool {
    matches!(answer.status, 400 | 403 | 404 | 409 | 500)
        && !sandbox.api.http.message(answer).starts_with("sandbox")
}
