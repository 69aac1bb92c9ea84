//! Files.

use std::fmt::Write as _;

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use super::archive::pack;
use super::sandbox::VercelSandbox;
use crate::cloud::{check_path, download_failure, unique, upload_failure};
use crate::posix::quote;
use crate::{ErrorKind, ExecuteRequest, FileError, FileUpload, FileUploadResponse, Result, Sandbox};

/// An archive holds at most so many files, and no second one that makes it longer than this.
const MOST_FILES: usize = 200;
const MOST_BYTES: usize = 32 << 20;

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

/// Sends files to where nothing is, and writes them from there to where they belong.
async fn upload_group(sandbox: &VercelSandbox, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
    let place = format!("tmp/.sandshell-upload-{}", unique());
    let checked: Vec<_> = files.iter().map(|file| check_path(&file.path)).collect();
    let fine = || files.iter().zip(&checked).enumerate().filter(|(_, (_, checked))| checked.is_ok());
    let mut told = Vec::new();
    if fine().next().is_some() {
        let packed = pack(fine().map(|(at, (file, _))| (format!("{place}/{at}"), file.content.as_ref())));
        let packed = packed.map_err(|error| {
            sandbox.api.http.error(ErrorKind::Unexpected, "the archive could not be made").with_source(error)
        })?;
        let send = |session: String| {
            let packed = packed.clone();
            async move {
                // The same bytes twice are the same file.
                let call = sandbox.api.within(Method::POST, &session, "/fs/write")?.header("x-cwd", "/");
                let call = call.body("application/gzip", packed).repeatable().deadline(None);
                sandbox.api.http.send(call).await
            }
        };
        sandbox.awake(send).await?;
        let mut script = String::new();
        for (at, (file, _)) in fine() {
            // Writing to a string does not fail.
            let _ = writeln!(
                script,
                "p={}; d=${{p%/*}}; mkdir -p -- \"$d/\" && cat < /{place}/{at} > \"$p\" && printf ok; echo",
                quote(&file.path)
            );
        }
        let _ = writeln!(script, "rm -rf /{place}");
        let done = sandbox.execute(ExecuteRequest::new(script).cwd("/")).await?;
        told = String::from_utf8_lossy(&done.stdout).lines().map(|line| line == "ok").collect();
    }
    let mut told = told.into_iter();
    let mut responses = Vec::with_capacity(files.len());
    for (file, checked) in files.into_iter().zip(checked) {
        let result = match checked {
            Err(error) => Err(error),
            Ok(()) if told.next() == Some(true) => Ok(()),
            Ok(()) => {
                let why = "the file could not be written".to_owned();
                Err(upload_failure(sandbox, &file.path, why).await)
            }
        };
        responses.push(FileUploadResponse { path: file.path, result });
    }
    Ok(responses)
}

pub(super) async fn download(sandbox: &VercelSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let http = &sandbox.api.http;
    let read = |session: String| async move {
        let call = sandbox.api.within(Method::POST, &session, "/fs/read")?.json(&json!({"path": path}));
        let answer = http.answer(call.repeatable().deadline(None)).await?;
        let of_the_file =
            matches!(answer.status, 400 | 403 | 404 | 500) && !http.message(&answer).contains("andbox");
        if of_the_file { Ok(answer) } else { http.success(answer) }
    };
    let answer = sandbox.awake(read).await?;
    match answer.status {
        200..300 => Ok(Ok(answer.body)),
        _ => Ok(Err(download_failure(sandbox, path, http.message(&answer)).await)),
    }
}
