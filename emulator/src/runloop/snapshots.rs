//! Snapshots of disks.

use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{Reply, RunloopState, error, failed, object};
use crate::http::{HttpAnswer, Query, json, strings};
use crate::ids::random_id;
use crate::time::milliseconds;

/// Takes a snapshot. It is complete when the call is answered.
pub(super) async fn take(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (runloop.get(&id)?, object(&body)?);
    let snapshot = format!("snp_{}", random_id(20));
    runloop.world.snapshot(&machine, snapshot.clone(), Vec::new()).await.map_err(|error| failed(&error))?;
    let shown = json!({
        "id": snapshot,
        "name": body["name"],
        "commit_message": body["commit_message"],
        "metadata": strings(&body["metadata"]),
        "create_time_ms": milliseconds(SystemTime::now()),
        "source_devbox_id": machine.id,
    });
    runloop.snapshots.lock().insert(snapshot, shown.clone());
    Ok(json(200, &shown))
}

pub(super) async fn list(State(runloop): RunloopState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(20).clamp(1, 5000);
    let mut all: Vec<Value> = runloop.snapshots.lock().values().cloned().collect();
    all.retain(|snapshot| query.get("devbox_id").is_none_or(|id| snapshot["source_devbox_id"] == json!(id)));
    all.sort_by_key(|snapshot| (snapshot["create_time_ms"].as_u64(), snapshot["id"].to_string()));
    let total = all.len();
    let after = query
        .get("starting_after")
        .and_then(|id| all.iter().position(|snapshot| snapshot["id"] == json!(id)));
    let mut page = all.split_off(after.map_or(0, |at| at + 1));
    let more = page.len() > limit;
    page.truncate(limit);
    let mut body = json!({"snapshots": page, "has_more": more});
    if query.get("include_total_count") == Some("true") {
        body["total_count"] = json!(total);
    }
    Ok(json(200, &body))
}

pub(super) async fn get(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    runloop.snapshots.lock().get(&id).map(|snapshot| json(200, snapshot)).ok_or_else(missing)
}

pub(super) async fn update(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let body = object(&body)?;
    let mut snapshots = runloop.snapshots.lock();
    let snapshot = snapshots.get_mut(&id).ok_or_else(missing)?;
    for name in ["name", "commit_message"] {
        if body[name].is_string() {
            snapshot[name] = body[name].clone();
        }
    }
    if body["metadata"].is_object() {
        snapshot["metadata"] = json!(strings(&body["metadata"]));
    }
    Ok(json(200, snapshot))
}

pub(super) async fn status(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    match runloop.snapshots.lock().get(&id) {
        Some(snapshot) => Ok(json(200, &json!({"status": "complete", "snapshot": snapshot}))),
        None if runloop.world.was_deleted(&id) => Ok(json(200, &json!({"status": "deleted"}))),
        None => Err(missing()),
    }
}

pub(super) async fn delete(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    let was = runloop.world.delete_snapshot(&id).await.map_err(|error| failed(&error))?;
    runloop.snapshots.lock().remove(&id);
    if was { Ok(json(200, &json!({}))) } else { Err(missing()) }
}

fn missing() -> HttpAnswer {
    error(404, "Snapshot not found")
}
