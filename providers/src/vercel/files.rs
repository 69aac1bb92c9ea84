//! Files.

use std::fmt::Write as _;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use super::archive::pack;
use super::sandbox::VercelSandbox;
use crate::cloud::{
    Call, EqualPieces, Files, HttpResponse, Id, Staging, check_path, download_failure, unique,
    upload_failure, upload_in_pieces,
};
use crate::posix::quote;
use crate::{
    ErrorKind, ExecuteRequest, FileError, FileSink, FileSource, FileUpload, FileUploadResponse, Result,
    Sandbox,
};

/// The most files in an archive, and the most bytes if there is more than one.
const MOST_FILES: usize = 200;
const MOST_BYTES: usize = 32 << 20;

/// The size of the pieces of a file that is not held in memory.
const PIECE: usize = 8 << 20;

pub(super) async fn upload(
    sandbox: &VercelSandbox,
    files: Vec<FileUpload>,
) -> Result<Vec<FileUploadResponse>> {
    let mut responses = Vec::with_capacity(files.len());
    let mut rest = files.into_iter().peekable();
    while rest.peek().is_some() {
        let (mut group, mut bytes) = (Vec::new(), 0);
        while let Some(file) = rest.next_if(|file| {
            group.is_empty() || group.len() < MOST_FILES && bytes + file.content.len() <= MOST_BYTES
        }) {
            bytes += file.content.len();
            group.push(file);
        }
        responses.extend(upload_group(sandbox, group).await?);
    }
    Ok(responses)
}

/// Uploads files to temporary paths; then a command writes them to their own paths.
async fn upload_group(sandbox: &VercelSandbox, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
    let place = format!("tmp/.sandshell-upload-{}", unique());
    let checked: Vec<_> = files.iter().map(|file| check_path(&file.path)).collect();
    let fine = || files.iter().zip(&checked).enumerate().filter(|(_, (_, checked))| checked.is_ok());
    let mut succeeded = Vec::new();
    if fine().next().is_some() {
        let named = fine().map(|(at, (file, _))| (format!("{place}/{at}"), file.content.as_ref()));
        send(sandbox, named.collect::<Vec<_>>()).await?;
        let mut script = String::new();
        for (at, (file, _)) in fine() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                script,
                "p={}; d=${{p%/*}}; mkdir -p -- \"$d/\" && cat < /{place}/{at} > \"$p\" && printf ok; echo",
                quote(&file.path)
            );
        }
        let _ = writeln!(script, "rm -rf /{place}");
        let done = sandbox.execute(ExecuteRequest::new(script).cwd("/")).await?;
        succeeded = String::from_utf8_lossy(&done.stdout).lines().map(|line| line == "ok").collect();
    }
    let mut succeeded = succeeded.into_iter();
    let mut responses = Vec::with_capacity(files.len());
    for (file, checked) in files.into_iter().zip(checked) {
        let result = match checked {
            Err(error) => Err(error),
            Ok(()) if succeeded.next() == Some(true) => Ok(()),
            Ok(()) => {
                let why = "the file could not be written".to_owned();
                Err(upload_failure(sandbox, &file.path, why).await)
            }
        };
        responses.push(FileUploadResponse { path: file.path, result });
    }
    Ok(responses)
}

#[async_trait]
impl Files for VercelSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        let done = upload(self, vec![FileUpload::new(path, content)]).await?.pop();
        Ok(done.map_or(Ok(()), |done| done.result))
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        upload_in_pieces(self, path, EqualPieces::of(content, PIECE)).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        let http = &self.api.http;
        let read = |session: Id| async move {
            let answer =
                http.answer(wanted(self, &session, path)?.repeatable().deadline(None).large()).await?;
            of_the_file(self, answer)
        };
        let answer = self.awake(read).await?;
        match answer.status {
            200..300 => Ok(Ok(answer.body)),
            _ => Ok(Err(download_failure(self, path, http.message(&answer)).await)),
        }
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        let http = &self.api.http;
        let read = |session: Id| {
            let content = content.clone();
            async move {
                match http.fetch(wanted(self, &session, path)?, content).await? {
                    None => Ok(None),
                    Some(answer) => of_the_file(self, answer).map(Some),
                }
            }
        };
        match self.awake(read).await? {
            None => Ok(Ok(())),
            Some(answer) => Ok(Err(download_failure(self, path, http.message(&answer)).await)),
        }
    }
}

#[async_trait]
impl Staging for VercelSandbox {
    const PREFIX: &str = "/tmp/.sandshell-upload-";

    async fn put(&self, name: &str, piece: Bytes) -> Result<Result<(), FileError>> {
        send(self, [(name.trim_start_matches('/').to_owned(), piece.as_ref())]).await?;
        Ok(Ok(()))
    }

    async fn run(&self, script: String) -> Result<(bool, String)> {
        let done = self.execute(ExecuteRequest::new(script).cwd("/").timeout(Duration::ZERO)).await?;
        Ok((done.success(), done.text().trim().to_owned()))
    }

    fn run_detached(&self, script: String) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let (api, session) = (self.api.clone(), self.session());
        let body = json!({"command": "sh", "args": ["-c", script], "cwd": "/", "sudo": false});
        // It does not matter if the session has stopped.
        Box::pin(async move { drop(api.act(&session, "/cmd", &body).await) })
    }
}

/// Sends files in one archive. Their names are relative to the root.
async fn send<'a>(
    sandbox: &VercelSandbox,
    files: impl IntoIterator<Item = (String, &'a [u8])>,
) -> Result<()> {
    let packed = pack(files).map_err(|error| {
        sandbox.api.http.error(ErrorKind::Unexpected, "the archive could not be made").with_source(error)
    })?;
    let send = |session: Id| {
        let packed = packed.clone();
        async move {
            // Writing the same bytes twice gives the same file, so a retry is safe.
            let call = sandbox.api.within(Method::POST, &session, "/fs/write")?.header("x-cwd", "/");
            let call = call.body("application/gzip", packed).repeatable().deadline(None);
            sandbox.api.http.send(call).await
        }
    };
    sandbox.awake(send).await.map(drop)
}

fn wanted(sandbox: &VercelSandbox, session: &Id, path: &str) -> Result<Call> {
    Ok(sandbox.api.within(Method::POST, session, "/fs/read")?.json(&json!({"path": path})))
}

/// Returns the answer if it is a success or an error about the file; other errors are returned as errors.
fn of_the_file(sandbox: &VercelSandbox, answer: HttpResponse) -> Result<HttpResponse> {
    let http = &sandbox.api.http;
    let known = matches!(answer.status, 400 | 403 | 404 | 500) && !http.message(&answer).contains("andbox");
    if known { Ok(answer) } else { http.success(answer) }
}
