//! Whole files, over plain HTTP.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use sandshell_providers::{FileError, FileUpload};
use serde_json::{Value, json};

use super::{E2b, absolute, error};
use crate::http::{Answer, Query, answer, empty, json, multipart, read, text};
use crate::world::{Machine, status};

pub(super) async fn health(State(e2b): State<Arc<E2b>>, headers: HeaderMap) -> Answer {
    match e2b.reach(&headers) {
        Ok(_) => empty(204),
        Err(unreachable) => unreachable.answer(),
    }
}

pub(super) async fn download(
    State(e2b): State<Arc<E2b>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Answer {
    let machine = match reach(&e2b, query.as_deref(), &headers) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let path = absolute(Query::new(query.as_deref()).get("path").unwrap_or_default());
    let mut files = match machine.sandbox.download_files(vec![path.clone()]).await {
        Ok(files) => files,
        Err(failed) => return error(status(&failed), &failed.to_string()),
    };
    match files.pop().map(|file| file.result) {
        Some(Ok(content)) => answer(200, "application/octet-stream", content),
        Some(Err(why)) => refused(&path, &why),
        None => error(500, "no answer"),
    }
}

pub(super) async fn upload(
    State(e2b): State<Arc<E2b>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Answer {
    let machine = match reach(&e2b, query.as_deref(), &headers) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    if text(&headers, "content-encoding").is_some_and(|encoding| encoding != "identity") {
        return error(415, "compressed uploads are not emulated");
    }
    if headers.keys().any(|name| name.as_str().starts_with("x-metadata-")) {
        return error(501, "metadata of files is not emulated");
    }
    let Some(body) = read(body).await else { return error(400, "the body cannot be read") };
    let query = Query::new(query.as_deref());
    let path = query.get("path").filter(|path| !path.is_empty());
    let files = if text(&headers, "content-type").is_some_and(|kind| kind.starts_with("multipart/")) {
        let Some(parts) = multipart(&headers, &body) else {
            return error(400, "the form cannot be read, or is larger than 1 GiB");
        };
        // The query names the only file; without it, each part has its own name.
        let parts = parts.into_iter().filter(|part| part.name == "file");
        parts
            .map(|part| {
                FileUpload::new(
                    absolute(path.or(part.file_name.as_deref()).unwrap_or_default()),
                    part.content,
                )
            })
            .collect()
    } else {
        match path {
            Some(path) => vec![FileUpload::new(absolute(path), body)],
            None => return error(400, "path is required"),
        }
    };
    if path.is_some() && files.len() > 1 {
        return error(400, "a path can only be given for a single file");
    }
    let done = match machine.sandbox.upload_files(files).await {
        Ok(done) => done,
        Err(failed) => return error(status(&failed), &failed.to_string()),
    };
    let mut written: Vec<Value> = Vec::new();
    for file in done {
        if let Err(why) = file.result {
            return refused(&file.path, &why);
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        written.push(json!({"path": file.path, "name": name, "type": "file"}));
    }
    json(200, &Value::Array(written))
}

fn reach(e2b: &E2b, query: Option<&str>, headers: &HeaderMap) -> Result<Arc<Machine>, Answer> {
    let query = Query::new(query);
    match query.get("username") {
        Some(user) if !user.is_empty() && user != "user" => {
            Err(error(401, &format!("error looking up user '{user}': user: unknown user {user}")))
        }
        _ => e2b.reach(headers).map_err(super::Unreachable::answer),
    }
}

fn refused(path: &str, why: &FileError) -> Answer {
    match why {
        FileError::FileNotFound => error(404, &format!("path '{path}' does not exist")),
        FileError::IsDirectory => error(400, &format!("path '{path}' is a directory")),
        FileError::PermissionDenied => error(500, &format!("error opening file '{path}': permission denied")),
        FileError::InvalidPath => error(400, &format!("path '{path}' is not a file's: not a directory")),
        other => error(500, &other.to_string()),
    }
}
