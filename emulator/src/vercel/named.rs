//! Sandboxes with names: the second generation.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::CreateOptions;
use serde_json::{Value, json};

use super::shape::{both, sandbox, touch};
use super::{CWD, Reply, Vercel, VercelState, error, failed, invalid, missing, object, sessions};
use crate::http::{HttpAnswer, Query, json, strings};
use crate::ids::{cursor, position, random_id};
use crate::time::milliseconds;
use crate::world::{Machine, Plan, Status};

/// The default lifetime of a session, in milliseconds.
const TIMEOUT: u64 = 300_000;

/// The longest name.
const LONGEST_NAME: usize = 128;

pub(super) async fn create(State(vercel): VercelState, body: Bytes) -> Reply {
    let body = object(&body)?;
    let name = match body["name"].as_str() {
        Some(name) => checked(&vercel, name)?,
        None => format!("sandbox-{}", random_id(12)),
    };
    let mut plan = plan(&vercel, &body)?;
    plan.status.extra["session"] = json!(sessions::session_id());
    plan.status.extra["persistent"] = json!(body["persistent"].as_bool().unwrap_or(true));
    plan.status.pauses_at_deadline = true;
    plan.status.labels = strings(&body["tags"]);
    plan.status.name = Some(name);
    let machine = vercel.world.create(plan).await.map_err(|error| failed(&error))?;
    Ok(json(200, &both(&machine)))
}

/// The options for creating a sandbox, which both generations share.
pub(super) fn plan(vercel: &Vercel, body: &Value) -> Result<Plan, HttpAnswer> {
    let source = &body["source"];
    let template = match source["type"].as_str() {
        None => "",
        Some("snapshot") => source["snapshotId"].as_str().unwrap_or_default(),
        Some(kind) => return Err(invalid(&format!("sources of type {kind}: not emulated by sandshell"))),
    };
    if !template.is_empty() && !vercel.snapshots.lock().contains_key(template) {
        return Err(error(404, "not_found", "Snapshot not found"));
    }
    let vcpus = body["resources"]["vcpus"].as_u64().unwrap_or(2);
    let timeout = body["timeout"].as_u64().unwrap_or(TIMEOUT);
    let now = milliseconds(SystemTime::now());
    let mut status = Status::running(sessions::deadline(timeout), Default::default());
    status.extra = json!({
        "runtime": body["runtime"].as_str().unwrap_or("node24"),
        "vcpus": vcpus,
        "memory": body["resources"]["memory"].as_u64().unwrap_or(vcpus.saturating_mul(2048)),
        "timeout": timeout,
        "project": body["projectId"],
        "region": body["region"].as_str().unwrap_or("iad1"),
        "started": now,
        "updated": now,
    });
    let mut options = CreateOptions::default().workdir(CWD);
    options.env.extend(strings(&body["env"]));
    Ok(Plan { id: format!("sbx_{}", random_id(16)), template: template.to_owned(), options, status })
}

fn checked(vercel: &Vercel, name: &str) -> Result<String, HttpAnswer> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(fits) {
        return Err(invalid("a name has 1 to 128 letters, digits, '-' and '_'"));
    }
    match find(vercel, name) {
        Ok(_) => Err(error(409, "conflict", "A sandbox with this name already exists")),
        Err(_) => Ok(name.to_owned()),
    }
}

pub(super) fn find(vercel: &Vercel, name: &str) -> Result<Arc<Machine>, HttpAnswer> {
    let machine = vercel.world.get(name).ok_or_else(missing)?;
    sessions::halt_if_expired(&machine);
    // Sandboxes without a name belong to the other generation.
    if machine.status().name.as_deref() == Some(name) { Ok(machine) } else { Err(missing()) }
}

pub(super) async fn get(
    State(vercel): VercelState,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let machine = find(&vercel, &name)?;
    let resumed = Query::new(query.as_deref()).get("resume") == Some("true") && machine.status().paused;
    if resumed {
        if let Some(snapshot) = machine.status().extra["boots"].as_str() {
            vercel.world.restore(&machine, snapshot).await.map_err(|error| failed(&error))?;
        }
        sessions::resume(&vercel, &machine);
    }
    let mut shown = both(&machine);
    shown["resumed"] = json!(resumed);
    Ok(json(200, &shown))
}

pub(super) async fn list(State(vercel): VercelState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(20).clamp(1, 100);
    let after = position(query.get("cursor")).ok_or_else(|| invalid("the cursor is invalid"))?;
    let chosen = |machine: &Machine| {
        sessions::halt_if_expired(machine);
        let status = machine.status();
        let named = |prefix: &str| status.name.as_deref().is_some_and(|name| name.starts_with(prefix));
        let tagged = |tag: &str| {
            tag.split_once(':')
                .is_some_and(|(name, value)| status.labels.get(name).is_some_and(|v| v == value))
        };
        named(query.get("namePrefix").unwrap_or_default())
            && query.all("tags").all(tagged)
            && query.get("project").is_none_or(|project| status.extra["project"] == json!(project))
    };
    // Newest first by default. A cursor is the number of sandboxes on earlier pages.
    let (mut all, _) = vercel.world.list(0, usize::MAX - 1, chosen);
    if query.get("sortBy") == Some("name") {
        all.sort_by_key(|machine| machine.status().name);
    }
    if query.get("sortOrder") != Some("asc") {
        all.reverse();
    }
    let seen = usize::try_from(after).unwrap_or(usize::MAX);
    let page: Vec<Value> = all.iter().skip(seen).take(limit).map(|machine| sandbox(machine)).collect();
    let end = seen.saturating_add(page.len());
    let next = (end < all.len()).then(|| cursor(end as u64));
    Ok(json(200, &json!({"pagination": {"count": page.len(), "next": next}, "sandboxes": page})))
}

pub(super) async fn update(State(vercel): VercelState, Path(name): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (find(&vercel, &name)?, object(&body)?);
    if let Some(snapshot) = body["currentSnapshotId"].as_str() {
        if !vercel.snapshots.lock().contains_key(snapshot) {
            return Err(error(404, "not_found", "Snapshot not found"));
        }
        // The next session starts from this snapshot.
        machine.change(|status| {
            status.extra["snapshot"] = json!(snapshot);
            status.extra["boots"] = json!(snapshot);
        });
    }
    let changed = machine.set(|status| {
        if body["tags"].is_object() {
            status.labels = strings(&body["tags"]);
        }
        if let Some(timeout) = body["timeout"].as_u64() {
            status.extra["timeout"] = json!(timeout);
        }
        if body["region"].is_string() {
            status.extra["region"] = body["region"].clone();
        }
        touch(&mut status.extra);
    });
    changed.map_err(|error| failed(&error))?;
    Ok(json(200, &both(&machine)))
}

pub(super) async fn delete(State(vercel): VercelState, Path(name): Path<String>) -> Reply {
    let machine = find(&vercel, &name)?;
    sessions::remember(&vercel, &machine);
    let mut shown = both(&machine);
    vercel.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    shown["sandbox"]["status"] = json!("stopped");
    Ok(json(200, &shown))
}

pub(super) async fn fork(State(vercel): VercelState, Path(name): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (find(&vercel, &name)?, object(&body)?);
    let name = match body["name"].as_str() {
        Some(name) => checked(&vercel, name)?,
        None => format!("sandbox-{}", random_id(12)),
    };
    let timeout = body["timeout"].as_u64().or(machine.status().extra["timeout"].as_u64()).unwrap_or(TIMEOUT);
    let id = format!("sbx_{}", random_id(16));
    let fork = vercel.world.fork(&machine, id, Some(name), sessions::deadline(timeout)).await;
    let fork = fork.map_err(|error| failed(&error))?;
    let changed = fork.set(|status| {
        status.labels = strings(&body["tags"]);
        status.extra["session"] = json!(sessions::session_id());
        status.extra["timeout"] = json!(timeout);
        if body["region"].is_string() {
            status.extra["region"] = body["region"].clone();
        }
        status.extra["started"] = json!(milliseconds(SystemTime::now()));
        touch(&mut status.extra);
    });
    if let Err(error) = changed {
        // It does not matter if the provider cannot delete it.
        drop(vercel.world.delete(&fork.id).await);
        return Err(failed(&error));
    }
    Ok(json(200, &both(&fork)))
}
