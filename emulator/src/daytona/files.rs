//! Files.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileError, FileUpload};
use serde_json::{Value, json};

use super::{Daytona, HOME, absolute, error, failed};
use crate::entry::{self, Entry, Kind};
use crate::http::{HttpAnswer, Part, Query, answer, crowded, empty, json, multipart, object, read};
use crate::room::held;
use crate::time::rfc3339;
use crate::world::Machine;

type DaytonaState = State<Arc<Daytona>>;

/// The sandbox that a request is about, and the request's query.
pub(super) struct Asked {
    machine: Arc<Machine>,
    query: Query,
}

impl FromRequestParts<Arc<Daytona>> for Asked {
    type Rejection = HttpAnswer;

    async fn from_request_parts(parts: &mut Parts, daytona: &Arc<Daytona>) -> Result<Self, HttpAnswer> {
        let id = Path::<String>::from_request_parts(parts, daytona).await;
        let Path(id) = id.map_err(IntoResponse::into_response)?;
        Ok(Self { machine: daytona.reach(&id)?, query: Query::new(parts.uri.query()) })
    }
}

pub(super) async fn home(State(daytona): DaytonaState, Path(id): Path<String>) -> HttpAnswer {
    match daytona.reach(&id) {
        Ok(_) => json(200, &json!({"dir": HOME})),
        Err(answer) => answer,
    }
}

pub(super) async fn list(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = absolute(query.get("path").unwrap_or_default());
    match entry::entry(&*machine.sandbox, &path).await {
        Ok(Some(entry)) if entry.kind == Kind::File => return refused(&path, &FileError::InvalidPath),
        Ok(Some(_)) => {}
        Ok(None) => return refused(&path, &FileError::FileNotFound),
        Err(error) => return failed(&error),
    }
    let depth = query.number("depth").unwrap_or(1).max(1) as u64;
    match entry::below(&*machine.sandbox, &path, depth).await {
        Ok(entries) => json(200, &Value::Array(entries.iter().map(shown).collect())),
        Err(error) => failed(&error),
    }
}

pub(super) async fn info(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = absolute(query.get("path").unwrap_or_default());
    match entry::entry(&*machine.sandbox, &path).await {
        Ok(Some(entry)) => json(200, &shown(&entry)),
        Ok(None) => refused(&path, &FileError::FileNotFound),
        Err(error) => failed(&error),
    }
}

pub(super) async fn delete(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = absolute(query.get("path").unwrap_or_default());
    let entry = match entry::entry(&*machine.sandbox, &path).await {
        Ok(Some(entry)) => entry,
        Ok(None) => return refused(&path, &FileError::FileNotFound),
        Err(error) => return failed(&error),
    };
    if entry.kind == Kind::Directory && query.get("recursive") != Some("true") {
        return error(400, "FILE_IS_DIRECTORY", "cannot delete directory without recursive flag");
    }
    run(&machine, &format!("rm -rf -- {}", quote(&path)), 204).await
}

pub(super) async fn folder(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = quote(&absolute(query.get("path").unwrap_or_default()));
    let mode = query.get("mode").filter(|mode| !mode.is_empty()).unwrap_or("755");
    run(&machine, &format!("mkdir -p -- {path} && chmod -- {} {path}", quote(mode)), 201).await
}

pub(super) async fn rename(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = |name| quote(&absolute(query.get(name).unwrap_or_default()));
    run(&machine, &format!("mv -T -- {} {}", path("source"), path("destination")), 200).await
}

pub(super) async fn permissions(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = quote(&absolute(query.get("path").unwrap_or_default()));
    let mut script = String::from("true");
    for (name, command) in [("mode", "chmod"), ("owner", "chown"), ("group", "chgrp")] {
        if let Some(value) = query.get(name).filter(|value| !value.is_empty()) {
            // Writing to a string cannot fail.
            let _ = write!(script, " && {command} -- {} {path}", quote(value));
        }
    }
    run(&machine, &script, 200).await
}

pub(super) async fn download(Asked { machine, query }: Asked) -> HttpAnswer {
    let path = absolute(query.get("path").unwrap_or_default());
    match machine.download(vec![path.clone()]).await.map(|mut files| files.pop()) {
        Ok(Some(file)) => match file.result {
            Ok(content) => answer(200, "application/octet-stream", content),
            Err(why) => refused(&path, &why),
        },
        Ok(None) => refused(&path, &FileError::FileNotFound),
        Err(error) => failed(&error),
    }
}

pub(super) async fn upload(Asked { machine, query }: Asked, headers: HeaderMap, body: Body) -> HttpAnswer {
    let form = read(body).await.and_then(|body| multipart(&headers, &body));
    let Some(file) = form.and_then(|parts| parts.into_iter().find(|part| part.name == "file")) else {
        return error(400, "FILE_BAD_REQUEST", "the form has no file");
    };
    let path = absolute(query.get("path").unwrap_or_default());
    store(&machine, vec![FileUpload::new(path, file.content)]).await
}

pub(super) async fn bulk_upload(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(parts) = read(body).await.and_then(|body| multipart(&headers, &body)) else {
        return error(400, "FILE_BAD_REQUEST", "the form cannot be read, or is larger than 1 GiB");
    };
    let paths: HashMap<&str, &Part> =
        parts.iter().rev().filter_map(|part| Some((part.name.strip_suffix(".path")?, part))).collect();
    let mut files = Vec::new();
    for part in &parts {
        let Some(number) = part.name.strip_suffix(".file") else { continue };
        let Some(path) = paths.get(number).map(|path| String::from_utf8_lossy(&path.content).into_owned())
        else {
            return error(400, "FILE_BAD_REQUEST", &format!("{number} has no path"));
        };
        files.push(FileUpload::new(absolute(&path), part.content.clone()));
    }
    store(&machine, files).await
}

pub(super) async fn bulk_download(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    body: Bytes,
) -> HttpAnswer {
    const BOUNDARY: &str = "DAYTONA-FILE-BOUNDARY";
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "FILE_BAD_REQUEST", "the body is not JSON") };
    let paths: Vec<String> =
        body["paths"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    if paths.is_empty() {
        return error(400, "FILE_BAD_REQUEST", "request body must be {\"paths\": [ ... ]} and non-empty");
    }
    let files = match machine.download(paths.iter().map(|path| absolute(path)).collect()).await {
        Ok(files) => files,
        Err(error) => return failed(&error),
    };
    let mut form = Vec::new();
    for (asked, file) in paths.iter().zip(files) {
        let (name, kind, content) = match file.result {
            Ok(content) => ("file", "application/octet-stream", content),
            Err(why) => ("error", "application/json", Bytes::from(reason(asked, &why).1.to_string())),
        };
        let asked = asked.replace('\\', "\\\\").replace('"', "\\\"");
        form.extend_from_slice(
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{asked}\"\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", content.len()).as_bytes(),
        );
        form.extend_from_slice(&content);
        form.extend_from_slice(b"\r\n");
    }
    form.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    match held(form.into()) {
        Ok(form) => answer(200, "multipart/form-data; boundary=DAYTONA-FILE-BOUNDARY", form),
        Err(full) => crowded(full),
    }
}

async fn store(machine: &Machine, files: Vec<FileUpload>) -> HttpAnswer {
    let done = match machine.sandbox.upload_files(files).await {
        Ok(done) => done,
        Err(error) => return failed(&error),
    };
    let errors: Vec<String> = done
        .iter()
        .filter_map(|file| Some(format!("{}: {}", file.path, file.result.as_ref().err()?)))
        .collect();
    if errors.is_empty() { empty(200) } else { json(400, &json!({"errors": errors})) }
}

async fn run(machine: &Machine, script: &str, done: u16) -> HttpAnswer {
    match machine.sandbox.execute(ExecuteRequest::new(script)).await {
        Ok(answer) if answer.success() => empty(done),
        Ok(answer) if answer.text().contains("No such file") => {
            error(404, "FILE_NOT_FOUND", answer.text().trim())
        }
        Ok(answer) if answer.text().contains("ermission denied") => {
            error(403, "FILE_ACCESS_DENIED", answer.text().trim())
        }
        Ok(answer) => error(400, "FILE_BAD_REQUEST", answer.text().trim()),
        Err(error) => failed(&error),
    }
}

fn refused(path: &str, why: &FileError) -> HttpAnswer {
    let (status, body) = reason(path, why);
    error(status, body["code"].as_str().unwrap_or_default(), body["message"].as_str().unwrap_or_default())
}

fn reason(path: &str, why: &FileError) -> (u16, Value) {
    let (status, code, what) = match why {
        FileError::FileNotFound => (404, "FILE_NOT_FOUND", "file not found"),
        FileError::PermissionDenied => (403, "FILE_ACCESS_DENIED", "permission denied"),
        FileError::IsDirectory => (400, "FILE_INVALID_PATH", "path points to a directory"),
        FileError::InvalidPath => (400, "FILE_INVALID_PATH", "invalid path"),
        _ => (500, "FILE_READ_FAILED", "the file cannot be moved"),
    };
    (status, json!({"message": format!("{what}: {path}"), "statusCode": status, "code": code}))
}

fn shown(entry: &Entry) -> Value {
    let modified = rfc3339(entry.modified);
    json!({
        "name": entry.name(),
        "path": entry.path,
        "isDir": entry.kind == Kind::Directory,
        "size": entry.size,
        "mode": entry.permissions,
        "permissions": format!("{:04o}", entry.mode),
        "owner": entry.owner,
        "group": entry.group,
        "modTime": modified,
        "modifiedAt": modified,
    })
}
