//! Files. The service reads and writes only whole files. Large files are downloaded in pieces as the output of
//! commands, and uploaded in pieces that a command joins.

use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

use super::rpc::{Failure, Rpc};
use super::sandbox::DenoSandbox;
use crate::cloud::{EqualPieces, Files, Staging, download_failure, upload_failure, upload_in_pieces};
use crate::posix::quote;
use crate::{ExecuteRequest, FileError, FileSink, FileSource, Result, Sandbox};

/// Longer content is sent as a stream of parts of this size.
const PART: usize = 192 * 1024;

/// The size of the pieces of a file that is not held in memory.
const PIECE: usize = 4 << 20;

#[async_trait]
impl Files for DenoSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        let rpc = self.rpc().await?;
        let mut written = write(&rpc, path, &content).await;
        // The service does not create missing parent directories.
        if let Err(Failure::Thrown(thrown)) = &written
            && thrown["code"] == json!("ENOENT")
            && let Some((parent, _)) = path.rsplit_once('/')
        {
            let deadline = Some(self.api.options.client.deadline);
            let parameters = json!({"path": parent, "options": {"recursive": true}});
            written = match rpc.call("mkdir", parameters, deadline).await {
                Ok(_) => write(&rpc, path, &content).await,
                Err(failure) => Err(failure),
            };
        }
        match written {
            Ok(()) => Ok(Ok(())),
            Err(Failure::Other(error)) => Err(error),
            Err(Failure::Thrown(thrown)) => Ok(Err(upload_failure(self, path, message_of(&thrown)).await)),
        }
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        upload_in_pieces(self, path, EqualPieces::of(content, PIECE)).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let rpc = self.rpc().await?;
        match rpc.call("readFile", json!({"path": path}), None).await {
            Ok(content) => {
                let content = content.as_str().and_then(|content| BASE64_STANDARD.decode(content).ok());
                let content = content.ok_or_else(|| self.api.http.malformed("a file that is not base64"))?;
                Ok(Ok(content.into()))
            }
            Err(Failure::Other(error)) => Err(error),
            Err(Failure::Thrown(thrown)) => Ok(Err(match thrown["code"].as_str() {
                Some("ENOENT" | "ENOTDIR") => FileError::FileNotFound,
                Some("EISDIR") => FileError::IsDirectory,
                Some("EACCES") => FileError::PermissionDenied,
                _ => download_failure(self, path, message_of(&thrown)).await,
            })),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        let quoted = quote(path);
        for number in 0u64.. {
            let script = format!(
                "[ ! -d {quoted} ] && exec dd if={quoted} bs={PIECE} skip={number} count=1 iflag=fullblock status=none"
            );
            let request = ExecuteRequest::new(script).cwd("/").timeout(Duration::ZERO);
            let done = self.execute(request.max_output(2 * PIECE as u64)).await?;
            if !done.success() {
                let why = String::from_utf8_lossy(&done.stderr).into_owned();
                return Ok(Err(download_failure(self, path, why).await));
            }
            let last = done.stdout.len() < PIECE;
            // A reader that goes away needs no more.
            if content.send(done.stdout).await.is_err() || last {
                break;
            }
        }
        Ok(Ok(()))
    }
}

#[async_trait]
impl Staging for DenoSandbox {
    const PREFIX: &str = "/tmp/.sandshell-upload-";

    async fn put(&self, name: &str, piece: Bytes) -> Result<Result<(), FileError>> {
        Files::upload(self, name, piece).await
    }

    async fn run(&self, script: String) -> Result<(bool, String)> {
        let done = self.execute(ExecuteRequest::new(script).cwd("/").timeout(Duration::ZERO)).await?;
        Ok((done.success(), done.text().trim().to_owned()))
    }

    fn run_detached(&self, script: String) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let other = self.another();
        Box::pin(async move { drop(other.execute(ExecuteRequest::new(script).cwd("/")).await) })
    }
}

async fn write(rpc: &Rpc, path: &str, content: &Bytes) -> Result<(), Failure> {
    if content.len() <= PART {
        let content = BASE64_STANDARD.encode(content);
        let written = rpc.call("writeFile", json!({"path": path, "content": content}), None);
        return written.await.map(drop);
    }
    let id = rpc.begin().await;
    let written = rpc.call("writeFile", json!({"path": path, "contentStreamId": id}), None);
    let sent = async {
        for part in content.chunks(PART) {
            rpc.enqueue(id, part).await;
        }
        rpc.end(id).await;
    };
    // The answer comes when the stream has ended, or earlier if the file cannot be written.
    tokio::join!(written, sent).0.map(drop)
}

fn message_of(thrown: &Value) -> String {
    thrown["message"].as_str().unwrap_or_default().to_owned()
}
