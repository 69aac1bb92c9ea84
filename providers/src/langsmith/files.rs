//! Files.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Method;

use super::sandbox::LangSmithSandbox;
use crate::cloud::{Call, Files, HttpResponse, Multipart, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, Result};

#[async_trait]
impl Files for LangSmithSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        let (kind, body) = Multipart::new().file("file", "file", &content).finish();
        // Writing the same bytes twice gives the same file, so a retry is safe.
        let call = call(self, Method::POST, "upload", path)?.body(&kind, body).repeatable();
        let answer = self.data.api.http.answer(call.deadline(None)).await?;
        uploaded(self, path, &answer).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        let (kind, body) = Multipart::new().finish_with("file", "file", content);
        let call = call(self, Method::POST, "upload", path)?.header("content-type", &kind);
        let answer = self.data.api.http.send_pieces(call, body).await?;
        uploaded(self, path, &answer).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let wanted = call(self, Method::GET, "download", path)?.deadline(None).large();
        let answer = self.data.api.http.answer(wanted).await?;
        match answer.status {
            200..300 => Ok(Ok(answer.body)),
            _ => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        let wanted = call(self, Method::GET, "download", path)?;
        match self.data.api.http.fetch(wanted, content).await? {
            None => Ok(Ok(())),
            Some(answer) => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }
}

fn call(sandbox: &LangSmithSandbox, method: Method, what: &str, path: &str) -> Result<Call> {
    sandbox.data.call(method, &format!("/{what}{}", query(&[("path", path.to_owned())])))
}

async fn uploaded(
    sandbox: &LangSmithSandbox,
    path: &str,
    answer: &HttpResponse,
) -> Result<Result<(), FileError>> {
    let http = &sandbox.data.api.http;
    match answer.status {
        200..300 => Ok(Ok(())),
        _ if is_of_the_file(sandbox, answer) => {
            Ok(Err(upload_failure(sandbox, path, http.message(answer)).await))
        }
        _ => Err(http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &LangSmithSandbox, path: &str, answer: &HttpResponse) -> Result<FileError> {
    let http = &sandbox.data.api.http;
    if is_of_the_file(sandbox, answer) {
        return Ok(download_failure(sandbox, path, http.message(answer)).await);
    }
    Err(http.refused(answer))
}

/// Whether the error is about the file and not about the sandbox.
fn is_of_the_file(sandbox: &LangSmithSandbox, answer: &HttpResponse) -> bool {
    let message = sandbox.data.api.http.message(answer);
    matches!(answer.status, 400 | 403 | 404 | 500)
        && ["FileNotFound", "ReadError", "WriteError"].iter().any(|kind| message.starts_with(kind))
}
