//! Files.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use sandshell_providers::{FileError, FileUpload};
use serde_json::{Value, json};

use super::{HOME, Reply, RunloopState, error, failed, object};
use crate::http::{HttpAnswer, answer, json, multipart, read};
use crate::world::Machine;

pub(super) async fn upload(
    State(runloop): RunloopState,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Reply {
    let machine = runloop.reach(&id)?;
    let parts = read(body).await.and_then(|body| multipart(&headers, &body)).unwrap_or_default();
    let part = |name| parts.iter().find(|part| part.name == name).map(|part| part.content.clone());
    let (Some(path), Some(content)) = (part("path"), part("file")) else {
        return Err(error(400, "the form needs path and file"));
    };
    store(&machine, &String::from_utf8_lossy(&path), content).await?;
    Ok(json(200, &json!({})))
}

pub(super) async fn download(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let machine = runloop.reach(&id)?;
    let content = load(&machine, &object(&body)?["path"]).await?;
    Ok(answer(200, "application/octet-stream", content))
}

pub(super) async fn read_text(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let machine = runloop.reach(&id)?;
    let content = load(&machine, &object(&body)?["file_path"]).await?;
    Ok(answer(200, "text/plain; charset=utf-8", String::from_utf8_lossy(&content).into_owned()))
}

pub(super) async fn write_text(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (runloop.reach(&id)?, object(&body)?);
    let (Some(path), Some(contents)) = (body["file_path"].as_str(), body["contents"].as_str()) else {
        return Err(error(400, "file_path and contents are required"));
    };
    store(&machine, path, contents.to_owned().into()).await?;
    Ok(json(200, &json!({"devbox_id": id, "exit_status": 0, "stdout": "", "stderr": ""})))
}

async fn store(machine: &Machine, path: &str, content: Bytes) -> Result<(), HttpAnswer> {
    let files = vec![FileUpload::new(absolute(path), content)];
    let done = machine.sandbox.upload_files(files).await.map_err(|error| failed(&error))?;
    match done.into_iter().find_map(|file| file.result.err()) {
        None => Ok(()),
        Some(why) => Err(refused(path, &why)),
    }
}

async fn load(machine: &Machine, path: &Value) -> Result<Bytes, HttpAnswer> {
    let path = path.as_str().ok_or_else(|| error(400, "a path is required"))?;
    let done = machine.download(vec![absolute(path)]).await.map_err(|error| failed(&error))?;
    let result = done.into_iter().next().map_or(Err(FileError::FileNotFound), |file| file.result);
    result.map_err(|why| refused(path, &why))
}

/// Makes a path absolute. Relative ones are in the user's home.
pub(super) fn absolute(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{HOME}/{path}") }
}

fn refused(path: &str, why: &FileError) -> HttpAnswer {
    let (status, what) = match why {
        FileError::FileNotFound => (404, "File not found"),
        FileError::PermissionDenied => (403, "Permission denied"),
        FileError::IsDirectory => (400, "Path is a directory"),
        FileError::InvalidPath => (400, "Invalid path"),
        _ => (500, "The file cannot be moved"),
    };
    error(status, &format!("{what}: {path}"))
}
