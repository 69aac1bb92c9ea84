//! Files: raw bodies.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::Sandbox0Sandbox;
use crate::cloud::{Answer, Call, check_path, download_failure, encode, query, upload_failure};
use crate::{FileError, FileUpload, Result};

pub(super) async fn upload(sandbox: &Sandbox0Sandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    // The same bytes twice are the same file.
    let call = call(sandbox, Method::POST, &file.path)?.repeatable();
    let call = call.body("application/octet-stream", file.content.clone()).deadline(None);
    let answer = sandbox.api.awake(call).await?;
    match answer.status {
        200..300 => Ok(Ok(())),
        413 => Ok(Err(FileError::Other(sandbox.api.http.message(&answer)))),
        _ if is_of_the_file(sandbox, &answer) => {
            Ok(Err(upload_failure(sandbox, &file.path, sandbox.api.http.message(&answer)).await))
        }
        _ => Err(sandbox.api.http.refused(&answer)),
    }
}

pub(super) async fn download(sandbox: &Sandbox0Sandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let call = call(sandbox, Method::GET, path)?.header("accept", "application/octet-stream");
    let answer = sandbox.api.awake(call.deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ if is_of_the_file(sandbox, &answer) => {
            Ok(Err(download_failure(sandbox, path, sandbox.api.http.message(&answer)).await))
        }
        _ => Err(sandbox.api.http.refused(&answer)),
    }
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
