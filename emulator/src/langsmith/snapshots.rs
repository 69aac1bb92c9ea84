//! Snapshots, taken of boxes or built of images.

use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{LangSmith, LangSmithState, Reply, error, failed, invalid, object};
use crate::http::{Answer, Query, empty, json};
use crate::mint::mint_uuid;
use crate::time::rfc3339;

pub(super) async fn take(State(langsmith): LangSmithState, Path(name): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (langsmith.get(&name)?, object(&body)?);
    let shown = shown(&body, json!(machine.id))?;
    let id = shown["id"].as_str().unwrap_or_default().to_owned();
    langsmith.world.snapshot(&machine, id.clone(), Vec::new()).await.map_err(|error| failed(&error))?;
    langsmith.snapshots.lock().insert(id, shown.clone());
    Ok(json(201, &shown))
}

/// Any image stands for the provider's own sandbox.
pub(super) async fn build(State(langsmith): LangSmithState, body: Bytes) -> Reply {
    let body = object(&body)?;
    if !body["docker_image"].is_string() {
        return Err(invalid("docker_image", "is required"));
    }
    let shown = shown(&body, Value::Null)?;
    let id = shown["id"].as_str().unwrap_or_default().to_owned();
    langsmith.snapshots.lock().insert(id, shown.clone());
    Ok(json(201, &shown))
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

/// By its id, or the newest that has this name, which may end in a tag.
pub(super) fn find(langsmith: &LangSmith, wanted: &str) -> Result<Value, Answer> {
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

fn shown(body: &Value, source: Value) -> Result<Value, Answer> {
    let name = body["name"].as_str().ok_or_else(|| invalid("name", "is required"))?;
    let now = rfc3339(SystemTime::now());
    Ok(json!({
        "id": mint_uuid(),
        "name": name,
        "status": "ready",
        "status_message": null,
        "fs_capacity_bytes": body["fs_capacity_bytes"].as_u64().unwrap_or(16 << 30),
        "docker_image": body["docker_image"],
        "source_sandbox_id": source,
        "tags": [body["tag"].as_str().unwrap_or("latest")],
        "run_config": body["run_config"],
        "created_at": now,
        "updated_at": now,
    }))
}

fn missing() -> Answer {
    error(404, "NotFound", "Snapshot not found")
}
