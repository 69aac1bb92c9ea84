//! Files.

use bytes::Bytes;
use reqwest::Method;

use super::sandbox::DaytonaSandbox;
use crate::cloud::{Answer, Call, Multipart, check_path, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, FileUpload, Result};

const UPLOAD: &str = "/files/bulk-upload";
const FILE: &str = "files[0].file";

pub(super) async fn upload(sandbox: &DaytonaSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (kind, body) = form(&file.path).file(FILE, "file", &file.content).finish();
    // The same bytes twice are the same file.
    let call = sandbox.toolbox.call(Method::POST, UPLOAD)?.body(&kind, body).repeatable().deadline(None);
    let answer = sandbox.toolbox.http().answer(call).await?;
    uploaded(sandbox, &file.path, &answer).await
}

pub(super) async fn upload_from(
    sandbox: &DaytonaSandbox,
    path: &str,
    content: FileSource,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let (kind, body) = form(path).finish_with(FILE, "file", content);
    let call = sandbox.toolbox.call(Method::POST, UPLOAD)?.header("content-type", &kind);
    let answer = sandbox.toolbox.http().send_pieces(call, body).await?;
    uploaded(sandbox, path, &answer).await
}

pub(super) async fn download(sandbox: &DaytonaSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let answer = sandbox.toolbox.http().answer(wanted(sandbox, path)?.deadline(None)).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

pub(super) async fn download_to(
    sandbox: &DaytonaSandbox,
    path: &str,
    content: FileSink,
) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    match sandbox.toolbox.http().fetch(wanted(sandbox, path)?, content).await? {
        None => Ok(Ok(())),
        Some(answer) => Ok(Err(not_downloaded(sandbox, path, &answer).await?)),
    }
}

fn form(path: &str) -> Multipart {
    Multipart::new().text("files[0].path", path)
}

fn wanted(sandbox: &DaytonaSandbox, path: &str) -> Result<Call> {
    let path = query(&[("path", path.to_owned())]);
    sandbox.toolbox.call(Method::GET, &format!("/files/download{path}"))
}

async fn uploaded(sandbox: &DaytonaSandbox, path: &str, answer: &Answer) -> Result<Result<(), FileError>> {
    let http = sandbox.toolbox.http();
    match answer.status {
        200..300 => Ok(Ok(())),
        400 | 403 | 500 => Ok(Err(upload_failure(sandbox, path, http.message(answer)).await)),
        _ => Err(http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &DaytonaSandbox, path: &str, answer: &Answer) -> Result<FileError> {
    let http = sandbox.toolbox.http();
    match answer.status {
        // It may be the file that is missing, or the sandbox.
        404 if http.message(answer).contains("andbox") => Err(http.refused(answer)),
        400 | 403 | 404 | 500 => Ok(download_failure(sandbox, path, http.message(answer)).await),
        _ => Err(http.refused(answer)),
    }
}
