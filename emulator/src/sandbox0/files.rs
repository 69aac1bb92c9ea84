//! Files.

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileError, FileUpload};
use serde_json::{Value, json};

use super::{Reply, Sandbox0State, WORKSPACE, data, error, failed, invalid, object};
use crate::entry::{self, Entry, Kind};
use crate::http::{HttpAnswer, Query, answer};
use crate::time::rfc3339;
use crate::world::Machine;

pub(super) async fn write(
    State(sandbox0): Sandbox0State,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    body: Body,
) -> Reply {
    let (machine, query) = (sandbox0.reach(&id)?, Query::new(query.as_deref()));
    let path = wanted(&query)?;
    if query.get("mkdir") == Some("true") {
        let parents = if query.get("recursive") == Some("true") { "-p " } else { "" };
        run(&machine, &format!("mkdir {parents}-- {}", quote(&path))).await?;
        return Ok(data(201, &json!({"created": true})));
    }
    let content =
        crate::http::read(body).await.ok_or_else(|| error(413, "file_too_large", "file too large"))?;
    let size = content.len();
    let files = vec![FileUpload::new(path.clone(), content)];
    let done = machine.sandbox.upload_files(files).await.map_err(|error| failed(&error))?;
    match done.into_iter().find_map(|file| file.result.err()) {
        None => Ok(data(200, &json!({"written": true, "bytes_written": size}))),
        Some(why) => Err(refused(&path, &why)),
    }
}

pub(super) async fn read(
    State(sandbox0): Sandbox0State,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let (machine, path) = (sandbox0.reach(&id)?, wanted(&Query::new(query.as_deref()))?);
    let done = machine.download(vec![path.clone()]).await.map_err(|error| failed(&error))?;
    let result = done.into_iter().next().map_or(Err(FileError::FileNotFound), |file| file.result);
    result.map(|content| answer(200, "application/octet-stream", content)).map_err(|why| refused(&path, &why))
}

pub(super) async fn delete(
    State(sandbox0): Sandbox0State,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let (machine, path) = (sandbox0.reach(&id)?, wanted(&Query::new(query.as_deref()))?);
    look(&machine, &path).await?;
    run(&machine, &format!("rm -rf -- {}", quote(&path))).await?;
    Ok(data(200, &json!({"deleted": true})))
}

pub(super) async fn rename(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.reach(&id)?, object(&body)?);
    let path =
        |name: &str| body[name].as_str().map(absolute).ok_or_else(|| invalid(&format!("{name} is required")));
    let (source, destination) = (path("source")?, path("destination")?);
    look(&machine, &source).await?;
    run(&machine, &format!("mv -T -- {} {}", quote(&source), quote(&destination))).await?;
    Ok(data(200, &json!({"moved": true})))
}

pub(super) async fn stat(
    State(sandbox0): Sandbox0State,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let (machine, path) = (sandbox0.reach(&id)?, wanted(&Query::new(query.as_deref()))?);
    Ok(data(200, &shown(&look(&machine, &path).await?)))
}

pub(super) async fn list(
    State(sandbox0): Sandbox0State,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let (machine, path) = (sandbox0.reach(&id)?, wanted(&Query::new(query.as_deref()))?);
    if look(&machine, &path).await?.kind == Kind::File {
        return Err(error(409, "path_not_directory", &format!("not a directory: {path}")));
    }
    let entries = entry::below(&*machine.sandbox, &path, 1).await.map_err(|error| failed(&error))?;
    Ok(data(200, &json!({"entries": entries.iter().map(shown).collect::<Vec<Value>>()})))
}

fn wanted(query: &Query) -> Result<String, HttpAnswer> {
    let path = query.get("path").filter(|path| !path.is_empty());
    path.map(absolute).ok_or_else(|| invalid("path is required"))
}

/// Makes a path absolute. Relative ones are in the workspace.
fn absolute(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{WORKSPACE}/{path}") }
}

async fn look(machine: &Machine, path: &str) -> Result<Entry, HttpAnswer> {
    let found = entry::entry(&*machine.sandbox, path).await.map_err(|error| failed(&error))?;
    found.ok_or_else(|| refused(path, &FileError::FileNotFound))
}

async fn run(machine: &Machine, script: &str) -> Result<(), HttpAnswer> {
    let done = machine.sandbox.execute(ExecuteRequest::new(script)).await.map_err(|error| failed(&error))?;
    let text = done.text();
    let message = text.trim();
    match () {
        () if done.success() => Ok(()),
        () if message.contains("No such file") => Err(error(404, "file_not_found", message)),
        () if message.contains("ermission denied") => Err(error(403, "permission_denied", message)),
        () if message.contains("File exists") => Err(error(409, "path_exists", message)),
        () => Err(invalid(message)),
    }
}

fn refused(path: &str, why: &FileError) -> HttpAnswer {
    let (status, code, what) = match why {
        FileError::FileNotFound => (404, "file_not_found", "file not found"),
        FileError::PermissionDenied => (403, "permission_denied", "permission denied"),
        FileError::IsDirectory => (409, "path_not_file", "not a file"),
        FileError::InvalidPath => (400, "invalid_request", "invalid path"),
        _ => (500, "internal_error", "the file cannot be moved"),
    };
    error(status, code, &format!("{what}: {path}"))
}

fn shown(entry: &Entry) -> Value {
    let kind = match entry.kind {
        Kind::Directory => "dir",
        Kind::Link => "symlink",
        Kind::File => "file",
    };
    json!({
        "name": entry.name(),
        "path": entry.path,
        "type": kind,
        "size": entry.size,
        "mode": entry.permissions,
        "mod_time": rfc3339(entry.modified),
        "is_link": entry.kind == Kind::Link,
    })
}
