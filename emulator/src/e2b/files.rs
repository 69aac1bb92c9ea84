//! Whole files, over plain HTTP.

use std::io::Write as _;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue};
use bytes::Buf as _;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use sandshell_providers::{FileError, FileUpload};
use serde_json::{Value, json};

use super::{E2b, absolute, access_token, error, signature};
use crate::http::{HttpAnswer, Query, Unread, answer, empty, inflated, json, multipart, read, text};
use crate::room::held;
use crate::world::{Machine, status};

/// The largest file that is accepted.
const LARGEST_FILE: usize = 1 << 30;

pub(super) async fn health(State(e2b): State<Arc<E2b>>, headers: HeaderMap) -> HttpAnswer {
    match e2b.reach(&headers) {
        Ok(_) => empty(204),
        Err(unreachable) => unreachable.answer(),
    }
}

pub(super) async fn download(
    State(e2b): State<Arc<E2b>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> HttpAnswer {
    let machine = match reach(&e2b, query.as_deref(), &headers, "read") {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let path = absolute(Query::new(query.as_deref()).get("path").unwrap_or_default());
    let mut files = match machine.download(vec![path.clone()]).await {
        Ok(files) => files,
        Err(failed) => return error(status(&failed), &failed.to_string()),
    };
    match files.pop().map(|file| file.result) {
        // Compress only if the client accepts nothing else: one that also accepts other encodings does not need it.
        Some(Ok(content)) if text(&headers, "accept-encoding") == Some("gzip") => {
            // A large file takes long.
            let work = move || held(compressed(&content).into());
            let content = match tokio::task::spawn_blocking(work).await {
                Ok(Ok(content)) => content,
                Ok(Err(full)) => return error(503, &full.to_string()),
                Err(stopped) => return error(500, &stopped.to_string()),
            };
            let mut answer = answer(200, "application/octet-stream", content);
            answer.headers_mut().insert("content-encoding", HeaderValue::from_static("gzip"));
            answer
        }
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
) -> HttpAnswer {
    let machine = match reach(&e2b, query.as_deref(), &headers, "write") {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let encoding = text(&headers, "content-encoding").unwrap_or("identity");
    if !matches!(encoding, "identity" | "gzip") {
        return error(415, &format!("uploads in {encoding}: not emulated by sandshell"));
    }
    if headers.keys().any(|name| name.as_str().starts_with("x-metadata-")) {
        return error(501, "metadata of files: not emulated by sandshell");
    }
    let Some(mut body) = read(body).await else { return error(400, "the body cannot be read") };
    if encoding == "gzip" {
        body = match inflated(MultiGzDecoder::new(body.reader()), LARGEST_FILE).await {
            Ok(body) => body,
            Err(Unread::Full(full)) => return error(503, &full.to_string()),
            Err(_) => return error(400, "the body is not gzip, or holds more than 1 GiB"),
        };
    }
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

/// The sandbox of a call: the one in the header, or the one that the URL is signed for.
fn reach(
    e2b: &E2b,
    query: Option<&str>,
    headers: &HeaderMap,
    operation: &str,
) -> Result<Arc<Machine>, HttpAnswer> {
    let query = Query::new(query);
    match query.get("username") {
        Some(user) if !user.is_empty() && user != "user" => {
            return Err(error(401, &format!("error looking up user '{user}': user: unknown user {user}")));
        }
        _ => {}
    }
    if query.get("signature").is_none() || headers.contains_key("x-access-token") {
        return e2b.reach(headers).map_err(super::Unreachable::answer);
    }
    let candidates = if headers.contains_key("e2b-sandbox-id") {
        vec![e2b.named(headers).map_err(super::Unreachable::answer)?]
    } else {
        e2b.world.list(0, usize::MAX - 1, |machine| !machine.status().paused).0
    };
    let mut why = "invalid signature";
    for machine in candidates {
        match signature::verify(&query, operation, &access_token(&machine)) {
            Ok(()) => return Ok(machine),
            Err(other) if other != why => why = other,
            Err(_) => {}
        }
    }
    Err(error(401, why))
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    drop(encoder.write_all(content));
    encoder.finish().unwrap_or_default()
}

fn refused(path: &str, why: &FileError) -> HttpAnswer {
    match why {
        FileError::FileNotFound => error(404, &format!("path '{path}' does not exist")),
        FileError::IsDirectory => error(400, &format!("path '{path}' is a directory")),
        FileError::PermissionDenied => error(500, &format!("error opening file '{path}': permission denied")),
        FileError::InvalidPath => error(400, &format!("path '{path}' is not a file's: not a directory")),
        other => error(500, &other.to_string()),
    }
}
