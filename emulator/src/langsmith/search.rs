//! Searches by name and by content.

use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::{FileOperationError, GlobRequest, GrepRequest, SandboxExt as _};
use serde_json::{Value, json};

use super::{HOME, LangSmithState, Reply, error, failed, invalid, object};
use crate::http::{HttpAnswer, json};
use crate::time::rfc3339;

/// The default number of matches in an answer.
const LIMIT: u64 = 1000;

pub(super) async fn glob(State(langsmith): LangSmithState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (langsmith.reach(&id)?, object(&body)?);
    let (pattern, path, limit) = wanted(&body)?;
    let found = machine.sandbox.glob(&GlobRequest::new(pattern, path).with_directories()).await;
    let found = found.map_err(|why| refused(&why))?;
    let shown = |info: &sandshell_providers::FileInfo| {
        json!({
            "path": info.path,
            "is_dir": info.is_dir,
            "size_bytes": info.size,
            "modified_at": info.modified_at.map(rfc3339),
        })
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let matches: Vec<Value> = found.matches.iter().take(limit).map(shown).collect();
    let truncated = found.truncation.is_some() || found.matches.len() > limit;
    Ok(json(200, &json!({"matches": matches, "truncated": truncated})))
}

pub(super) async fn grep(State(langsmith): LangSmithState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (langsmith.reach(&id)?, object(&body)?);
    let (pattern, path, limit) = wanted(&body)?;
    let mut request = GrepRequest::new(pattern, path).max_count(limit);
    if let Some(glob) = body["glob"].as_str() {
        request = request.glob(glob);
    }
    let found = machine.sandbox.grep(&request).await.map_err(|why| refused(&why))?;
    let shown =
        |hit: &sandshell_providers::GrepMatch| json!({"path": hit.path, "line": hit.line, "text": hit.text});
    let matches: Vec<Value> = found.matches.iter().map(shown).collect();
    Ok(json(200, &json!({"matches": matches, "truncated": found.truncated})))
}

fn wanted(body: &Value) -> Result<(&str, String, u64), HttpAnswer> {
    let pattern = body["pattern"].as_str().ok_or_else(|| invalid("pattern", "is required"))?;
    let path = match body["path"].as_str() {
        None | Some("") => HOME.to_owned(),
        Some(path) if path.starts_with('/') => path.to_owned(),
        Some(path) => format!("{HOME}/{path}"),
    };
    Ok((pattern, path, body["limit"].as_u64().filter(|limit| *limit > 0).unwrap_or(LIMIT)))
}

fn refused(why: &FileOperationError) -> HttpAnswer {
    match why {
        FileOperationError::Sandbox(why) => failed(why),
        _ => error(400, "ReadError", &why.to_string()),
    }
}
