//! Boxes.

use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use sandshell_providers::CreateOptions;
use serde_json::{Value, json};

use super::snapshots::find;
use super::{HOME, LangSmithState, Reply, error, failed, invalid, object, run_config};
use crate::http::{Query, empty, json, own_url, strings};
use crate::ids::{cursor, position, random_id, random_uuid};
use crate::time::{after, rfc3339};
use crate::world::{Machine, Plan, Status};

/// How long an unused box runs, in seconds.
const IDLE: u64 = 600;

pub(super) async fn create(State(langsmith): LangSmithState, headers: HeaderMap, body: Bytes) -> Reply {
    let body = object(&body)?;
    let name = body["name"].as_str().map_or_else(|| format!("box-{}", random_id(10)), str::to_owned);
    if langsmith.world.get(&name).is_some() {
        return Err(error(409, "Conflict", &format!("Sandbox name '{name}' already in use")));
    }
    let snapshot = match (body["snapshot_id"].as_str(), &body["snapshot"], &body["snapshot_name"]) {
        (Some(id), _, _) => Some(find(&langsmith, id)?),
        (None, Value::String(name), _) | (None, _, Value::String(name)) => Some(find(&langsmith, name)?),
        _ => None,
    };
    let below = snapshot.as_ref().map_or(&Value::Null, |snapshot| &snapshot["run_config"]);
    let run = run_config::layered(below, run_config::of(&body)?);
    let snapshot = snapshot.map(|snapshot| snapshot["id"].clone());
    let workdir = run["work_dir"].as_str().unwrap_or(HOME);
    let options = CreateOptions::default().workdir(workdir).env("HOME", HOME);
    let mut status = Status::running(None, strings(&body["labels"]));
    status.name = Some(name);
    status.extra = json!({
        "idle": body["idle_ttl_seconds"].as_u64().unwrap_or(IDLE),
        "keep": body["delete_after_stop_seconds"],
        "snapshot": snapshot,
        "run_config": run,
        "env_vars": body["env_vars"],
        "vcpus": body["vcpus"].as_u64().unwrap_or(1),
        "mem_bytes": body["mem_bytes"].as_u64().unwrap_or(1 << 30),
        "fs_capacity_bytes": body["fs_capacity_bytes"].as_u64().unwrap_or(16 << 30),
    });
    let template = snapshot.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let plan = Plan { id: random_uuid(), template, options, status };
    let machine = langsmith.world.create(plan).await.map_err(|error| failed(&error))?;
    touch(&machine);
    Ok(json(201, &shown(&machine, &headers)))
}

pub(super) async fn get(
    State(langsmith): LangSmithState,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Reply {
    Ok(json(200, &shown(&*langsmith.get(&name)?, &headers)))
}

pub(super) async fn status(State(langsmith): LangSmithState, Path(name): Path<String>) -> Reply {
    let status = langsmith.get(&name)?.status();
    Ok(json(200, &json!({"status": state(&status), "status_message": null})))
}

pub(super) async fn list(
    State(langsmith): LangSmithState,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Reply {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").or(query.number("page_size")).unwrap_or(50).clamp(1, 100);
    let after = position(query.get("cursor")).ok_or_else(|| invalid("cursor", "is invalid"))?;
    let chosen = |machine: &Machine| {
        stop_if_idle(machine);
        let status = machine.status();
        let labelled = |label: &str| match label.split_once('=') {
            Some((name, value)) => status.labels.get(name).is_some_and(|other| other == value),
            None => status.labels.contains_key(label),
        };
        query.all("label").all(labelled)
            && query.get("status").is_none_or(|wanted| wanted == state(&status))
            && query
                .get("name_contains")
                .is_none_or(|part| status.name.as_deref().is_some_and(|name| name.contains(part)))
    };
    // Some clients send offsets, others cursors.
    let offset = query.number("offset").unwrap_or(0);
    let (found, more) = langsmith.world.list(after, limit.saturating_add(offset), chosen);
    let next = found.last().filter(|_| more).map(|last| cursor(last.number));
    let page: Vec<Value> = found.iter().skip(offset).map(|machine| shown(machine, &headers)).collect();
    let end = offset.saturating_add(page.len());
    Ok(json(200, &json!({"sandboxes": page, "items": page, "offset": end, "next_cursor": next})))
}

pub(super) async fn update(
    State(langsmith): LangSmithState,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Reply {
    let (machine, body) = (langsmith.get(&name)?, object(&body)?);
    let run = run_config::of(&body)?;
    if let Some(new) = body["name"].as_str() {
        if langsmith.world.get(new).is_some_and(|other| other.id != machine.id) {
            return Err(error(409, "Conflict", &format!("Sandbox name '{new}' already in use")));
        }
        machine.change(|status| status.name = Some(new.to_owned()));
    }
    machine.change(|status| {
        if let Some(seconds) = body["idle_ttl_seconds"].as_u64() {
            status.extra["idle"] = json!(seconds);
        }
        if let Some(seconds) = body["delete_after_stop_seconds"].as_u64() {
            status.extra["keep"] = json!(seconds);
        }
        status.extra["run_config"] = run_config::layered(&status.extra["run_config"], run);
    });
    touch(&machine);
    Ok(json(200, &shown(&machine, &headers)))
}

pub(super) async fn delete(State(langsmith): LangSmithState, Path(name): Path<String>) -> Reply {
    let machine = langsmith.get(&name)?;
    langsmith.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    langsmith.commands.lock().retain(|(sandbox, _), _| *sandbox != machine.id);
    Ok(empty(204))
}

pub(super) async fn start(
    State(langsmith): LangSmithState,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Reply {
    let machine = langsmith.reach(&name)?;
    Ok(json(200, &shown(&machine, &headers)))
}

pub(super) async fn stop(State(langsmith): LangSmithState, Path(name): Path<String>) -> Reply {
    stop_box(&*langsmith.get(&name)?);
    Ok(empty(204))
}

/// Resumes a box, and restarts the time after which it stops if unused.
pub(super) fn wake(machine: &Machine) {
    machine.change(|status| {
        status.paused = false;
        status.extra["stopped"] = Value::Null;
    });
    touch(machine);
}

fn touch(machine: &Machine) {
    machine.change(|status| {
        if !status.paused {
            let idle = status.extra["idle"].as_u64().filter(|seconds| *seconds > 0);
            status.deadline = idle.map(after);
            status.pauses_at_deadline = true;
        }
    });
}

/// Stops a box that nobody has used for its idle time.
pub(super) fn stop_if_idle(machine: &Machine) {
    let status = machine.status();
    let over = status.deadline.is_some_and(|deadline| deadline <= SystemTime::now());
    if over && status.pauses_at_deadline {
        stop_box(machine);
    }
}

/// Stops a box: files stay, processes end. If a stopped box is kept only for some time, its deletion is scheduled.
fn stop_box(machine: &Machine) {
    for process in machine.running() {
        process.kill(9);
    }
    machine.change(|status| {
        status.paused = true;
        status.extra["stopped"] = json!(rfc3339(SystemTime::now()));
        status.deadline = status.extra["keep"].as_u64().filter(|seconds| *seconds > 0).map(after);
        status.pauses_at_deadline = false;
    });
}

fn state(status: &Status) -> &'static str {
    if status.paused { "stopped" } else { "ready" }
}

/// As it is shown to who asks at this address: another server may have created it.
fn shown(machine: &Machine, headers: &HeaderMap) -> Value {
    let status = machine.status();
    let extra = &status.extra;
    let created = rfc3339(machine.created);
    json!({
        "id": machine.id,
        "name": status.name,
        "status": state(&status),
        "status_message": null,
        "dataplane_url": format!("{}/langsmith/dp/{}", own_url(headers), machine.id),
        "created_at": created,
        "updated_at": created,
        "stopped_at": extra["stopped"],
        "idle_ttl_seconds": extra["idle"],
        "delete_after_stop_seconds": extra["keep"],
        "snapshot_id": extra["snapshot"],
        "vcpus": extra["vcpus"],
        "mem_bytes": extra["mem_bytes"],
        "fs_capacity_bytes": extra["fs_capacity_bytes"],
        "run_config": extra["run_config"],
        "labels": status.labels,
    })
}
