//! Snapshots, taken of boxes or built from images.

use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{LangSmith, LangSmithState, Reply, error, failed, invalid, object, run_config};
use crate::http::{HttpAnswer, Query, empty, json};
use crate::ids::random_uuid;
use crate::time::rfc3339;

pub(super) async fn take(State(langsmith): LangSmithState, Path(name): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (langsmith.get(&name)?, object(&body)?);
    let shown = shown(&body, json!(machine.id))?;
    let id = shown["id"].as_str().unwrap_or_default().to_owned();
    langsmith.world.snapshot(&machine, id.clone(), Vec::new()).await.map_err(|error| failed(&error))?;
    publish(&langsmith, id, &shown);
    Ok(json(201, &shown))
}

/// Any image means the provider's default sandbox.
pub(super) async fn build(State(langsmith): LangSmithState, body: Bytes) -> Reply {
    let body = object(&body)?;
    if !body["docker_image"].is_string() {
        return Err(invalid("docker_image", "is required"));
    }
    let shown = shown(&body, Value::Null)?;
    let id = shown["id"].as_str().unwrap_or_default().to_owned();
    publish(&langsmith, id, &shown);
    Ok(json(201, &shown))
}

/// Moves a tag to the newest snapshot. The previous one can then only be found by its id.
fn publish(langsmith: &LangSmith, id: String, shown: &Value) {
    let mut snapshots = langsmith.snapshots.lock();
    for other in snapshots.values_mut().filter(|other| other["name"] == shown["name"]) {
        if let Some(tags) = other["tags"].as_array_mut() {
            tags.retain(|tag| *tag != shown["tags"][0]);
        }
    }
    snapshots.insert(id, shown.clone());
}

pub(super) async fn list(State(langsmith): LangSmithState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let (limit, offset) = (query.number("limit").unwrap_or(50), query.number("offset").unwrap_or(0));
    let mut all: Vec<Value> = langsmith.snapshots.lock().values().cloned().collect();
    let named = |snapshot: &Value, part: &str| snapshot["name"].as_str().is_some_and(|n| n.contains(part));
    all.retain(|snapshot| query.get("name_contains").is_none_or(|part| named(snapshot, part)));
    all.sort_by_key(|snapshot| (snapshot["created_at"].to_string(), snapshot["id"].to_string()));
    let page: Vec<Value> = all.into_iter().skip(offset).take(limit).collect();
    let end = offset.saturating_add(page.len());
    Ok(json(200, &json!({"snapshots": page, "items": page, "offset": end, "next_cursor": null})))
}

pub(super) async fn get(State(langsmith): LangSmithState, Path(snapshot): Path<String>) -> Reply {
    find(&langsmith, &snapshot).map(|snapshot| json(200, &snapshot))
}

pub(super) async fn tags(State(langsmith): LangSmithState, Path(name): Path<String>) -> Reply {
    let mut tags = Vec::new();
    for snapshot in langsmith.snapshots.lock().values().filter(|snapshot| snapshot["name"] == json!(name)) {
        for tag in snapshot["tags"].as_array().into_iter().flatten() {
            tags.push(json!({"tag": tag, "snapshot_id": snapshot["id"]}));
        }
    }
    if tags.is_empty() { Err(missing()) } else { Ok(json(200, &json!({"tags": tags}))) }
}

pub(super) async fn delete(State(langsmith): LangSmithState, Path(snapshot): Path<String>) -> Reply {
    langsmith.world.delete_snapshot(&snapshot).await.map_err(|error| failed(&error))?;
    langsmith.snapshots.lock().remove(&snapshot).map(|_| empty(204)).ok_or_else(missing)
}

/// The snapshot with this id, or the newest with this name, which may end in a tag.
pub(super) fn find(langsmith: &LangSmith, wanted: &str) -> Result<Value, HttpAnswer> {
    let snapshots = langsmith.snapshots.lock();
    if let Some(snapshot) = snapshots.get(wanted) {
        return Ok(snapshot.clone());
    }
    let (name, tag) = wanted.split_once(':').unwrap_or((wanted, "latest"));
    let fits = |snapshot: &&Value| {
        snapshot["name"] == json!(name)
            && snapshot["tags"].as_array().is_some_and(|tags| tags.contains(&json!(tag)))
    };
    let newest = snapshots.values().filter(fits).max_by_key(|snapshot| snapshot["created_at"].to_string());
    newest.cloned().ok_or_else(missing)
}

fn shown(body: &Value, source: Value) -> Result<Value, HttpAnswer> {
    let name = body["name"].as_str().ok_or_else(|| invalid("name", "is required"))?;
    let tag = body["tag"].as_str().or(body["docker_image"].as_str().and_then(image_tag)).unwrap_or("latest");
    let now = rfc3339(SystemTime::now());
    Ok(json!({
        "id": random_uuid(),
        "name": name,
        "status": "ready",
        "status_message": null,
        "fs_capacity_bytes": body["fs_capacity_bytes"].as_u64().unwrap_or(16 << 30),
        "docker_image": body["docker_image"],
        "source_sandbox_id": source,
        "tags": [tag],
        "run_config": run_config::of(body)?,
        "created_at": now,
        "updated_at": now,
    }))
}

/// The tag in an image's name. (A colon may also be part of a host with a port.)
fn image_tag(image: &str) -> Option<&str> {
    let (name, _) = image.split_once('@').unwrap_or((image, ""));
    name.rsplit_once(':').map(|(_, tag)| tag).filter(|tag| !tag.is_empty() && !tag.contains('/'))
}

fn missing() -> HttpAnswer {
    error(404, "NotFound", "Snapshot not found")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_images() {
        assert_eq!(image_tag("python:3.12-slim"), Some("3.12-slim"));
        assert_eq!(image_tag("host:5000/a/b:1@sha256:00"), Some("1"));
        for none in ["python", "host:5000/a", "a@sha256:00", "a:"] {
            assert_eq!(image_tag(none), None, "{none}");
        }
    }
}
