//! Files.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::DaytonaSandbox;
use crate::cloud::{Multipart, check_path, download_failure, query, upload_failure};
use crate::{FileError, FileUpload, Result};

pub(super) async fn upload(sandbox: &DaytonaSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let form =
        Multipart::new().text("files[0].path", &file.path).file("files[0].file", "file", &file.content);
    let (kind, body) = form.finish();
    // The same bytes twice are the same file.
    let call = sandbox.toolbox.call(Method::POST, "/files/bulk-upload")?;
    let http = sandbox.toolbox.http();
    let answer = http.answer(call.body(&kind, body).repeatable().deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(())),
        400 | 403 | 500 => Ok(Err(upload_failure(sandbox, &file.path, http.message(&answer)).await)),
        _ => Err(http.refused(&answer)),
    }
}

pub(super) async fn download(sandbox: &DaytonaSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let wanted = format!("/files/download{}", query(&[("path", path.to_owned())]));
    let http = sandbox.toolbox.http();
    let answer = http.answer(sandbox.toolbox.call(Method::GET, &wanted)?.deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        // It may be the file that is missing, or the sandbox.
        404 if http.message(&answer).contains("andbox") => Err(http.refused(&answer)),
        400 | 403 | 404 | 500 => Ok(Err(download_failure(sandbox, path, http.message(&answer)).await)),
        _ => Err(http.refused(&answer)),
    }
}
