//! Files: raw bodies.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Method;

use super::sandbox::Sandbox0Sandbox;
use crate::cloud::{Call, Files, HttpResponse, Pieces, download_failure, query, upload_failure};
use crate::{FileError, FileSink, FileSource, Result};

#[async_trait]
impl Files for Sandbox0Sandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        // Writing the same bytes twice gives the same file, so a retry is safe.
        let call = call(self, Method::POST, path)?.repeatable();
        let call = call.body("application/octet-stream", content).deadline(None);
        let answer = self.api.awake(call).await?;
        uploaded(self, path, &answer).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        // A body that is sent in pieces cannot be sent again, so wake up the sandbox first.
        let contexts = format!("/sandboxes/{}/contexts", self.id);
        self.api.http.success(self.api.awake(self.api.call(Method::GET, &contexts)?.large()).await?)?;
        let call = call(self, Method::POST, path)?.header("content-type", "application/octet-stream");
        let answer = self.api.http.send_pieces(call, Pieces::new(content)).await?;
        uploaded(self, path, &answer).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let answer = self.api.awake(wanted(self, path)?.deadline(None).large()).await?;
        match answer.status {
            200..300 => Ok(Ok(answer.body)),
            _ => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        let fetched = self.api.awake_for(|| {
            let content = content.clone();
            async move { self.api.http.fetch(wanted(self, path)?, content).await }
        });
        match fetched.await? {
            None => Ok(Ok(())),
            Some(answer) => Ok(Err(not_downloaded(self, path, &answer).await?)),
        }
    }
}

fn wanted(sandbox: &Sandbox0Sandbox, path: &str) -> Result<Call> {
    Ok(call(sandbox, Method::GET, path)?.header("accept", "application/octet-stream"))
}

async fn uploaded(
    sandbox: &Sandbox0Sandbox,
    path: &str,
    answer: &HttpResponse,
) -> Result<Result<(), FileError>> {
    match answer.status {
        200..300 => Ok(Ok(())),
        413 => Ok(Err(FileError::Other(sandbox.api.http.message(answer)))),
        _ if is_of_the_file(sandbox, answer) => {
            Ok(Err(upload_failure(sandbox, path, sandbox.api.http.message(answer)).await))
        }
        _ => Err(sandbox.api.http.refused(answer)),
    }
}

async fn not_downloaded(sandbox: &Sandbox0Sandbox, path: &str, answer: &HttpResponse) -> Result<FileError> {
    if is_of_the_file(sandbox, answer) {
        return Ok(download_failure(sandbox, path, sandbox.api.http.message(answer)).await);
    }
    Err(sandbox.api.http.refused(answer))
}

fn call(sandbox: &Sandbox0Sandbox, method: Method, path: &str) -> Result<Call> {
    let place = format!("/sandboxes/{}/files{}", sandbox.id, query(&[("path", path.to_owned())]));
    sandbox.api.call(method, &place)
}

/// Whether the error is about the file and not about the sandbox.
fn is_of_the_file(sandbox: &Sandbox0Sandbox, answer: &HttpResponse) -> bool {
    matches!(answer.status, 400 | 403 | 404 | 409 | 500)
        && !sandbox.api.http.message(answer).starts_with("sandbox")
}
