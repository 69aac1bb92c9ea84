//! Snapshots, identified by their names.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use serde_json::{Value, json};

use super::{Daytona, error, failed};
use crate::http::{HttpAnswer, Query, empty, json};
use crate::time::rfc3339;
use crate::world::{Machine, Snapshot};

/// Takes a snapshot of a sandbox, with the name in a request.
pub(super) async fn take(daytona: &Daytona, machine: &Machine, body: &Value) -> Result<(), HttpAnswer> {
    let Some(name) = body["name"].as_str().filter(|name| !name.is_empty()) else {
        return Err(error(400, "BAD_REQUEST", "name should not be empty"));
    };
    if find(daytona, name).is_some() {
        return Err(error(409, "CONFLICT", &format!("Snapshot with name {name} already exists")));
    }
    let taken = daytona.world.snapshot(machine, name.to_owned(), Vec::new()).await;
    taken.map_err(|error| failed(&error))
}

pub(super) async fn list(State(daytona): State<Arc<Daytona>>, RawQuery(query): RawQuery) -> HttpAnswer {
    let query = Query::new(query.as_deref());
    let (limit, page) =
        (query.number("limit").unwrap_or(100).max(1), query.number("page").unwrap_or(1).max(1));
    let mut kept = daytona.world.snapshots();
    kept.retain(|(name, snapshot)| {
        query.get("name").is_none_or(|part| name.contains(part))
            && query.get("sourceSandboxId").is_none_or(|id| snapshot.source == id)
    });
    let items: Vec<Value> = kept
        .iter()
        .skip((page - 1).saturating_mul(limit))
        .take(limit)
        .map(|(name, snapshot)| described(name, snapshot))
        .collect();
    let pages = kept.len().div_ceil(limit);
    json(200, &json!({"items": items, "total": kept.len(), "page": page, "totalPages": pages}))
}

pub(super) async fn get(State(daytona): State<Arc<Daytona>>, Path(name): Path<String>) -> HttpAnswer {
    match find(&daytona, &name) {
        Some(snapshot) => json(200, &described(&name, &snapshot)),
        None => missing(&name),
    }
}

pub(super) async fn delete(State(daytona): State<Arc<Daytona>>, Path(name): Path<String>) -> HttpAnswer {
    match daytona.world.delete_snapshot(&name).await {
        Ok(true) => empty(200),
        Ok(false) => missing(&name),
        Err(error) => failed(&error),
    }
}

fn find(daytona: &Daytona, name: &str) -> Option<Snapshot> {
    daytona.world.snapshots().into_iter().find(|(own, _)| own == name).map(|(_, snapshot)| snapshot)
}

fn missing(name: &str) -> HttpAnswer {
    error(404, "SNAPSHOT_NOT_FOUND", &format!("Snapshot with ID or name {name} not found"))
}

/// A snapshot's id is its name.
fn described(name: &str, snapshot: &Snapshot) -> Value {
    let created = rfc3339(snapshot.created);
    json!({
        "id": name,
        "organizationId": "emulator",
        "general": false,
        "name": name,
        "state": "active",
        "size": 1.0,
        "entrypoint": null,
        "cpu": 1,
        "gpu": 0,
        "mem": 1,
        "disk": 3,
        "errorReason": null,
        "createdAt": created,
        "updatedAt": created,
        "lastUsedAt": null,
        "sourceSandboxId": snapshot.source,
    })
}
