//! Files: transferred over plain HTTP instead of the procedures.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Method;

use super::sandbox::E2bSandbox;
use crate::cloud::{Call, Files, HttpResponse, Multipart, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, Result};

#[async_trait]
impl Files for E2bSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        let (kind, body) = Multipart::new().file("file", "file", &content).finish();
        // Writing the same bytes twice gives the same file, so a retry is safe.
        let call = call(self, Method::POST, path).body(&kind, body).repeatable().deadline(None);
        let answer = self.envd.api.http.answer(call).await?;
        uploaded(self, path, &answer).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        let (kind, body) = Multipart::new().finish_with("file", "file", content);
        let call = call(self, Method::POST, path).header("content-type", &kind);
        let answer = self.envd.api.http.send_pieces(call, body).await?;
        uploaded(self, path, &answer).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let answer = self.envd.api.http.answer(call(self, Method::GET, path).deadline(None).large()).await?;
        match answer.status {
            200..300 => Ok(Ok(answer.body)),
            _ => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        match self.envd.api.http.fetch(call(self, Method::GET, path), content).await? {
            None => Ok(Ok(())),
            Some(answer) => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }
}

fn call(sandbox: &E2bSandbox, method: Method, path: &str) -> Call {
    sandbox.envd.call(method, &format!("/files{}", query(&[("path", path.to_owned())])))
}

async fn uploaded(sandbox: &E2bSandbox, path: &str, answer: &HttpResponse) -> Result<Result<(), FileError>> {
    let http = &sandbox.envd.api.http;
    match answer.status {
        200..300 => Ok(Ok(())),
        400 | 403 | 404 | 500 => Ok(Err(upload_failure(sandbox, path, http.message(answer)).await)),
        507 => Ok(Err(FileError::Other(http.message(answer)))),
        _ => Err(http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &E2bSandbox, path: &str, answer: &HttpResponse) -> Result<FileError> {
    let http = &sandbox.envd.api.http;
    match answer.status {
        404 => Ok(FileError::FileNotFound),
        400 | 403 | 500 => Ok(download_failure(sandbox, path, http.message(answer)).await),
        _ => Err(http.refused(answer)),
    }
}
