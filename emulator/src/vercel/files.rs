//! Files.

use std::fmt::Write as _;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileError, FileUpload};
use serde_json::{Value, json};

use super::archive::unpack;
use super::{CWD, Reply, VercelState, error, failed, invalid, object};
use crate::http::{HttpAnswer, answer, json, text};
use crate::world::Machine;

/// The default mode of files; an archive can set another.
const PLAIN: u32 = 0o644;

pub(super) async fn mkdir(State(vercel): VercelState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (vercel.running(&id)?, object(&body)?);
    let parents = if body["recursive"] == json!(true) { "-p " } else { "" };
    run(&machine, &format!("mkdir {parents}-- {}", quote(&wanted(&body)?))).await?;
    Ok(json(200, &json!({})))
}

pub(super) async fn read(State(vercel): VercelState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (vercel.running(&id)?, object(&body)?);
    let path = wanted(&body)?;
    let done = machine.download(vec![path]).await.map_err(|error| failed(&error))?;
    let result = done.into_iter().next().map_or(Err(FileError::FileNotFound), |file| file.result);
    result.map(|content| answer(200, "application/octet-stream", content)).map_err(|why| refused(&why))
}

pub(super) async fn write(
    State(vercel): VercelState,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Reply {
    let machine = match vercel.running(&id) {
        Ok(machine) => machine,
        Err(refused) => {
            // A connection is closed after the answer if there is more to read, and the client may use it again
            // meanwhile.
            drop(crate::http::read_within(body, crate::http::SHORT_BODY).await);
            return Err(refused);
        }
    };
    let body = crate::http::read(body).await;
    let body = body.ok_or_else(|| error(413, "payload_too_large", "the body is too large"))?;
    let base = text(&headers, "x-cwd").unwrap_or(CWD);
    let upload = unpack(body, base).await.map_err(|why| invalid(&why))?;
    if !upload.directories.is_empty() {
        let paths: Vec<String> = upload.directories.iter().map(|path| quote(path)).collect();
        run(&machine, &format!("mkdir -p -- {}", paths.join(" "))).await?;
    }
    let mut modes = String::new();
    for (path, _, mode) in upload.files.iter().filter(|(_, _, mode)| *mode != PLAIN) {
        // Writing to a string cannot fail.
        let _ = writeln!(modes, "chmod {mode:o} -- {}", quote(path));
    }
    let files = upload.files.into_iter().map(|(path, content, _)| FileUpload::new(path, content)).collect();
    let done = machine.sandbox.upload_files(files).await.map_err(|error| failed(&error))?;
    if let Some(why) = done.into_iter().find_map(|file| file.result.err()) {
        return Err(refused(&why));
    }
    if !modes.is_empty() {
        run(&machine, &modes).await?;
    }
    Ok(json(200, &json!({})))
}

/// The path in a body, which may be relative to another member of it.
fn wanted(body: &Value) -> Result<String, HttpAnswer> {
    let path = body["path"].as_str().filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| invalid("path is required"))?;
    let below = |base: &str, path: &str| match path {
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{}/{path}", base.trim_end_matches('/')),
    };
    Ok(below(&below(CWD, body["cwd"].as_str().unwrap_or_default()), path))
}

async fn run(machine: &Machine, script: &str) -> Result<(), HttpAnswer> {
    let done = machine.sandbox.execute(ExecuteRequest::new(script)).await.map_err(|error| failed(&error))?;
    if done.success() { Ok(()) } else { Err(invalid(done.text().trim())) }
}

fn refused(why: &FileError) -> HttpAnswer {
    match why {
        FileError::FileNotFound => error(404, "not_found", "File not found"),
        FileError::PermissionDenied => error(403, "forbidden", "Permission denied"),
        FileError::IsDirectory => invalid("Path is a directory"),
        FileError::InvalidPath => invalid("Path is invalid"),
        _ => error(500, "internal_error", "The file cannot be moved"),
    }
}
