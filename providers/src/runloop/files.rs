//! Files.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use super::sandbox::RunloopSandbox;
use crate::cloud::{Call, Files, HttpResponse, Multipart, download_failure, upload_failure};
use crate::{FileError, FileSink, FileSource, Result};

#[async_trait]
impl Files for RunloopSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        let form = Multipart::new().text("path", path).file("file", "file", &content);
        let (kind, body) = form.finish();
        // Writing the same bytes twice gives the same file, so a retry is safe.
        let call = call(self, "upload_file")?.body(&kind, body).repeatable().deadline(None);
        let answer = self.api.http.answer(call).await?;
        uploaded(self, path, &answer).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        let (kind, body) = Multipart::new().text("path", path).finish_with("file", "file", content);
        let call = call(self, "upload_file")?.header("content-type", &kind);
        let answer = self.api.http.send_pieces(call, body).await?;
        uploaded(self, path, &answer).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let call = call(self, "download_file")?.json(&json!({"path": path})).repeatable();
        let call = call.deadline(None).large();
        let answer = self.api.http.answer(call).await?;
        match answer.status {
            200..300 => Ok(Ok(answer.body)),
            _ => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        let call = call(self, "download_file")?.json(&json!({"path": path}));
        match self.api.http.fetch(call, content).await? {
            None => Ok(Ok(())),
            Some(answer) => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }
}

fn call(sandbox: &RunloopSandbox, action: &str) -> Result<Call> {
    sandbox.api.call(Method::POST, &format!("/{}/{action}", sandbox.id))
}

async fn uploaded(
    sandbox: &RunloopSandbox,
    path: &str,
    answer: &HttpResponse,
) -> Result<Result<(), FileError>> {
    match answer.status {
        200..300 => Ok(Ok(())),
        _ if is_of_the_file(sandbox, answer) => {
            Ok(Err(upload_failure(sandbox, path, sandbox.api.http.message(answer)).await))
        }
        _ => Err(sandbox.api.refused(&sandbox.id, answer).await),
    }
}

async fn not_downloaded(sandbox: &RunloopSandbox, path: &str, answer: &HttpResponse) -> Result<FileError> {
    if is_of_the_file(sandbox, answer) {
        return Ok(download_failure(sandbox, path, sandbox.api.http.message(answer)).await);
    }
    Err(sandbox.api.refused(&sandbox.id, answer).await)
}

/// Whether the error is about the file and not about the devbox.
fn is_of_the_file(sandbox: &RunloopSandbox, answer: &HttpResponse) -> bool {
    matches!(answer.status, 400 | 403 | 404 | 500) && !sandbox.api.http.message(answer).starts_with("Devbox")
}
