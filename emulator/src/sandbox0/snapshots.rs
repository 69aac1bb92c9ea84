//! Snapshots of root filesystems.

use std::time::SystemTime;

use axum::extract::{Path, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{Reply, Sandbox0State, data, error, failed, invalid, object};
use crate::http::HttpAnswer;
use crate::ids::random_id;
use crate::time::rfc3339;

pub(super) async fn take(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.get(&id)?, object(&body)?);
    let snapshot = format!("snap_{}", random_id(16));
    sandbox0.world.snapshot(&machine, snapshot.clone(), Vec::new()).await.map_err(|error| failed(&error))?;
    let mut shown = json!({
        "id": snapshot,
        "sandbox_id": machine.id,
        "created_at": rfc3339(SystemTime::now()),
    });
    for name in ["name", "description"] {
        if body[name].is_string() {
            shown[name] = body[name].clone();
        }
    }
    sandbox0.snapshots.lock().insert(snapshot, shown.clone());
    Ok(data(201, &shown))
}

pub(super) async fn restore(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.get(&id)?, object(&body)?);
    let snapshot = body["snapshot_id"].as_str().ok_or_else(|| invalid("snapshot_id is required"))?;
    for process in machine.running() {
        process.kill(9);
    }
    match sandbox0.world.restore(&machine, snapshot).await.map_err(|error| failed(&error))? {
        true => Ok(data(200, &json!({"sandbox_id": id, "snapshot_id": snapshot, "status": "restored"}))),
        false => Err(missing()),
    }
}

pub(super) async fn list(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    sandbox0.get(&id)?;
    let mut own: Vec<Value> = sandbox0.snapshots.lock().values().cloned().collect();
    own.retain(|snapshot| snapshot["sandbox_id"] == json!(id));
    Ok(data(200, &json!({"count": own.len(), "snapshots": own})))
}

pub(super) async fn get(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    sandbox0.snapshots.lock().get(&id).map(|snapshot| data(200, snapshot)).ok_or_else(missing)
}

pub(super) async fn delete(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    let was = sandbox0.world.delete_snapshot(&id).await.map_err(|error| failed(&error))?;
    sandbox0.snapshots.lock().remove(&id);
    if was { Ok(data(200, &json!({"deleted": true, "message": "snapshot deleted"}))) } else { Err(missing()) }
}

fn missing() -> HttpAnswer {
    error(404, "not_found", "snapshot not found")
}
