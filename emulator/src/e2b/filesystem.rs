//! `filesystem.Filesystem`: operations on names, not on contents.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, Sandbox};
use serde_json::{Value, json};

use super::{E2b, absolute, frame};
use crate::entry::{self, Entry, Kind};
use crate::http::{HttpAnswer, json, object};
use crate::time::rfc3339;

pub(super) async fn call(
    State(e2b): State<Arc<E2b>>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> HttpAnswer {
    let machine = match e2b.reach(&headers) {
        Ok(machine) => machine,
        Err(unreachable) => return unreachable.refusal(),
    };
    let Some(body) = object(&body) else {
        return frame::refuse("invalid_argument", "the request cannot be read");
    };
    let sandbox = &*machine.sandbox;
    let path = |name: &str| absolute(body[name].as_str().unwrap_or_default());
    let done = match method.as_str() {
        "Stat" => stat(sandbox, &path("path")).await,
        "ListDir" => list(sandbox, &path("path"), body["depth"].as_u64().unwrap_or(1).max(1)).await,
        "MakeDir" => make(sandbox, &path("path")).await,
        "Remove" => remove(sandbox, &path("path")).await,
        "Move" => rename(sandbox, &path("source"), &path("destination")).await,
        _ => Err(("unimplemented", format!("filesystem.Filesystem/{method} is not emulated"))),
    };
    match done {
        Ok(body) => json(200, &body),
        Err((code, message)) => frame::refuse(code, &message),
    }
}

type Done = Result<Value, (&'static str, String)>;

async fn stat(sandbox: &dyn Sandbox, path: &str) -> Done {
    Ok(json!({"entry": shown(&present(sandbox, path).await?)}))
}

async fn list(sandbox: &dyn Sandbox, path: &str, depth: u64) -> Done {
    present(sandbox, path).await?;
    if run(sandbox, &format!("[ -d {} ]", quote(path))).await.is_err() {
        return Err(("invalid_argument", format!("path is not a directory: {path}")));
    }
    let entries = entry::below(sandbox, path, depth).await.map_err(failed)?;
    Ok(json!({"entries": entries.iter().map(shown).collect::<Vec<_>>()}))
}

async fn make(sandbox: &dyn Sandbox, path: &str) -> Done {
    if let Ok(there) = present(sandbox, path).await {
        let what = if there.kind == Kind::Directory { "directory" } else { "file" };
        return Err(("already_exists", format!("{what} already exists: {path}")));
    }
    run(sandbox, &format!("mkdir -p -- {}", quote(path))).await?;
    stat(sandbox, path).await
}

/// Removes a file or directory. It is no error if there is none.
async fn remove(sandbox: &dyn Sandbox, path: &str) -> Done {
    run(sandbox, &format!("rm -rf -- {}", quote(path))).await?;
    Ok(json!({}))
}

async fn rename(sandbox: &dyn Sandbox, from: &str, to: &str) -> Done {
    present(sandbox, from).await?;
    let parent = to.rsplit_once('/').map_or("/", |(parent, _)| if parent.is_empty() { "/" } else { parent });
    run(sandbox, &format!("mkdir -p -- {} && mv -T -- {} {}", quote(parent), quote(from), quote(to))).await?;
    stat(sandbox, to).await
}

fn shown(entry: &Entry) -> Value {
    let kind = match entry.kind {
        Kind::Directory => "FILE_TYPE_DIRECTORY",
        Kind::Link => "FILE_TYPE_SYMLINK",
        Kind::File => "FILE_TYPE_FILE",
    };
    json!({
        "name": entry.name(),
        "type": kind,
        "path": entry.path,
        // The JSON form of Protocol Buffers has 64-bit numbers as strings.
        "size": entry.size.to_string(),
        "mode": entry.mode,
        "permissions": entry.permissions,
        "owner": entry.owner,
        "group": entry.group,
        "modifiedTime": rfc3339(entry.modified),
    })
}

async fn present(sandbox: &dyn Sandbox, path: &str) -> Result<Entry, (&'static str, String)> {
    let entry = entry::entry(sandbox, path).await.map_err(failed)?;
    entry.ok_or_else(|| ("not_found", format!("path not found: {path}")))
}

async fn run(sandbox: &dyn Sandbox, script: &str) -> Done {
    let answer = sandbox.execute(ExecuteRequest::new(script)).await.map_err(failed)?;
    if answer.success() {
        return Ok(json!({}));
    }
    let text = answer.text().trim().to_owned();
    let code = if text.contains("ermission denied") { "permission_denied" } else { "internal" };
    Err((code, text))
}

fn failed(error: sandshell_providers::Error) -> (&'static str, String) {
    (frame::code(&error), error.to_string())
}
