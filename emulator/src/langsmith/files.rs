//! Files.

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use sandshell_providers::{FileError, FileUpload};
use serde_json::json;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{HOME, LangSmithState, Reply, error, failed, invalid};
use crate::http::{HttpAnswer, Query, answer, json, multipart, read, text};

pub(super) async fn upload(
    State(langsmith): LangSmithState,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Reply {
    let (machine, path) = (langsmith.reach(&id)?, wanted(query)?);
    let parts = read(body).await.and_then(|body| multipart(&headers, &body)).unwrap_or_default();
    let file = parts.into_iter().find(|part| part.name == "file");
    let content = file.ok_or_else(|| invalid("file", "is required"))?.content;
    let size = content.len();
    let files = vec![FileUpload::new(path.clone(), content)];
    let done = machine.sandbox.upload_files(files).await.map_err(|error| failed(&error))?;
    match done.into_iter().find_map(|file| file.result.err()) {
        None => Ok(json(200, &json!({"path": path, "size": size}))),
        Some(why) => Err(refused("WriteError", &path, &why)),
    }
}

/// Also answers `HEAD`, without the body.
pub(super) async fn download(
    State(langsmith): LangSmithState,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Reply {
    let (machine, path) = (langsmith.reach(&id)?, wanted(query)?);
    let done = machine.download(vec![path.clone()]).await.map_err(|error| failed(&error))?;
    let result = done.into_iter().next().map_or(Err(FileError::FileNotFound), |file| file.result);
    let content = result.map_err(|why| refused("ReadError", &path, &why))?;
    let tag = tag(&content);
    if text(&headers, "if-none-match") == Some(&tag) {
        return Ok(marked(crate::http::empty(304), &tag, None));
    }
    let stale = text(&headers, "if-range").is_some_and(|known| known != tag);
    let range = text(&headers, "range").filter(|_| !stale);
    let Some(range) = range else {
        return Ok(marked(answer(200, "application/octet-stream", content), &tag, None));
    };
    let total = content.len();
    Ok(match part(range, total) {
        Some((first, last)) => {
            let body = answer(206, "application/octet-stream", content.slice(first..=last));
            marked(body, &tag, Some(&format!("bytes {first}-{last}/{total}")))
        }
        None => marked(crate::http::empty(416), &tag, Some(&format!("bytes */{total}"))),
    })
}

/// The first and the last byte of `bytes=a-b`, `bytes=a-` or `bytes=-n`.
fn part(range: &str, total: usize) -> Option<(usize, usize)> {
    let (first, last) = range.trim().strip_prefix("bytes=")?.split_once('-')?;
    let end = total.checked_sub(1)?;
    match (first.trim(), last.trim()) {
        ("", count) => {
            let count = count.parse::<usize>().ok().filter(|count| *count > 0)?;
            Some((total.saturating_sub(count), end))
        }
        (first, "") => Some((first.parse().ok().filter(|first| *first <= end)?, end)),
        (first, last) => {
            let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
            (first <= end && first <= last).then(|| (first, last.min(end)))
        }
    }
}

fn marked(mut answer: HttpAnswer, tag: &str, range: Option<&str>) -> HttpAnswer {
    let headers = answer.headers_mut();
    let marks = [("etag", Some(tag)), ("content-range", range), ("accept-ranges", Some("bytes"))];
    for (name, value) in marks {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    }
    answer
}

/// An entity tag, which depends only on the bytes.
fn tag(content: &Bytes) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn wanted(query: Option<String>) -> Result<String, HttpAnswer> {
    let query = Query::new(query.as_deref());
    let path = query.get("path").filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| invalid("path", "is required"))?;
    Ok(if path.starts_with('/') { path.to_owned() } else { format!("{HOME}/{path}") })
}

fn refused(kind: &str, path: &str, why: &FileError) -> HttpAnswer {
    match why {
        FileError::FileNotFound => error(404, "FileNotFound", &format!("file not found: {path}")),
        FileError::PermissionDenied => error(403, kind, &format!("permission denied: {path}")),
        FileError::IsDirectory => error(400, kind, &format!("is a directory: {path}")),
        FileError::InvalidPath => error(400, kind, &format!("invalid path: {path}")),
        _ => error(500, kind, &format!("the file cannot be moved: {path}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_file() {
        assert_eq!(part("bytes=0-3", 10), Some((0, 3)));
        assert_eq!(part("bytes=8-99", 10), Some((8, 9)));
        assert_eq!(part("bytes=4-", 10), Some((4, 9)));
        assert_eq!(part("bytes=-3", 10), Some((7, 9)));
        assert_eq!(part("bytes=-30", 10), Some((0, 9)));
        for bad in ["bytes=10-", "bytes=5-4", "bytes=-0", "lines=1-2", "bytes=x-"] {
            assert_eq!(part(bad, 10), None, "{bad}");
        }
        assert_eq!(part("bytes=0-", 0), None);
    }
}
