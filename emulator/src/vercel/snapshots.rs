//! Snapshots. Taking one stops the session.

use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{Reply, VercelState, error, failed, object, sessions, shape};
use crate::http::{HttpAnswer, Query, json};
use crate::ids::random_id;
use crate::time::milliseconds;

pub(super) async fn take(State(vercel): VercelState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (vercel.running(&id)?, object(&body)?);
    let snapshot = format!("snap_{}", random_id(16));
    vercel.world.snapshot(&machine, snapshot.clone(), Vec::new()).await.map_err(|error| failed(&error))?;
    sessions::halt(&machine);
    let now = milliseconds(SystemTime::now());
    let mut taken = json!({
        "id": snapshot,
        "sourceSessionId": id,
        "sourceSandboxId": id,
        "region": "iad1",
        "status": "created",
        "sizeBytes": 0,
        "createdAt": now,
        "updatedAt": now,
    });
    if let Some(expiration) = body["expiration"].as_u64().filter(|milliseconds| *milliseconds > 0) {
        taken["expiresAt"] = json!(now.saturating_add(expiration));
    }
    if let Some(name) = machine.status().name {
        taken["sourceSandboxName"] = json!(name);
    }
    machine.change(|status| status.extra["snapshot"] = json!(snapshot));
    vercel.snapshots.lock().insert(snapshot, taken.clone());
    let mut shown = shape::both(&machine);
    shown["snapshot"] = taken;
    if machine.status().name.is_none() {
        sessions::remember(&vercel, &machine);
        vercel.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    }
    Ok(json(201, &shown))
}

pub(super) async fn list(State(vercel): VercelState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let mut all: Vec<Value> = vercel.snapshots.lock().values().cloned().collect();
    all.retain(|snapshot| query.get("name").is_none_or(|name| snapshot["sourceSandboxName"] == json!(name)));
    all.sort_by_key(|snapshot| std::cmp::Reverse(snapshot["createdAt"].as_u64()));
    Ok(json(200, &json!({"pagination": {"count": all.len(), "next": null}, "snapshots": all})))
}

pub(super) async fn get(State(vercel): VercelState, Path(path): Path<String>) -> Reply {
    let snapshots = vercel.snapshots.lock();
    snapshots.get(&path).map(|snapshot| json(200, &json!({"snapshot": snapshot}))).ok_or_else(missing)
}

pub(super) async fn delete(State(vercel): VercelState, Path(path): Path<String>) -> Reply {
    vercel.world.delete_snapshot(&path).await.map_err(|error| failed(&error))?;
    let mut snapshot = vercel.snapshots.lock().remove(&path).ok_or_else(missing)?;
    snapshot["status"] = json!("deleted");
    Ok(json(200, &json!({"snapshot": snapshot})))
}

fn missing() -> HttpAnswer {
    error(404, "not_found", "Snapshot not found")
}
