//! Files.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Method;

use super::sandbox::DaytonaSandbox;
use crate::cloud::{Call, Files, HttpResponse, Multipart, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, Result};

const UPLOAD: &str = "/files/bulk-upload";
const FILE: &str = "files[0].file";

#[async_trait]
impl Files for DaytonaSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        let (kind, body) = form(path).file(FILE, "file", &content).finish();
        // Writing the same bytes twice gives the same file, so a retry is safe.
        let call = self.toolbox.call(Method::POST, UPLOAD)?.body(&kind, body).repeatable().deadline(None);
        let answer = self.toolbox.http().answer(call).await?;
        uploaded(self, path, &answer).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        let (kind, body) = form(path).finish_with(FILE, "file", content);
        let call = self.toolbox.call(Method::POST, UPLOAD)?.header("content-type", &kind);
        let answer = self.toolbox.http().send_pieces(call, body).await?;
        uploaded(self, path, &answer).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let answer = self.toolbox.http().answer(wanted(self, path)?.deadline(None).large()).await?;
        match answer.status {
            200..300 => Ok(Ok(answer.body)),
            _ => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        match self.toolbox.http().fetch(wanted(self, path)?, content).await? {
            None => Ok(Ok(())),
            Some(answer) => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }
}

fn form(path: &str) -> Multipart {
    Multipart::new().text("files[0].path", path)
}

fn wanted(sandbox: &DaytonaSandbox, path: &str) -> Result<Call> {
    let path = query(&[("path", path.to_owned())]);
    sandbox.toolbox.call(Method::GET, &format!("/files/download{path}"))
}

async fn uploaded(
    sandbox: &DaytonaSandbox,
    path: &str,
    answer: &HttpResponse,
) -> Result<Result<(), FileError>> {
    let http = sandbox.toolbox.http();
    match answer.status {
        200..300 => Ok(Ok(())),
        400 | 403 | 500 => Ok(Err(upload_failure(sandbox, path, http.message(answer)).await)),
        _ => Err(http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &DaytonaSandbox, path: &str, answer: &HttpResponse) -> Result<FileError> {
    let http = sandbox.toolbox.http();
    match answer.status {
        // Either the file or the sandbox is missing.
        404 if http.message(answer).contains("andbox") => Err(http.refused(answer)),
        400 | 403 | 404 | 500 => Ok(download_failure(sandbox, path, http.message(answer)).await),
        _ => Err(http.refused(answer)),
    }
}
