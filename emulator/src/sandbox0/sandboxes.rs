//! Sandboxes.

use std::time::{Duration, SystemTime};

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::CreateOptions;
use serde_json::{Value, json};

use super::{Reply, Sandbox0State, WORKSPACE, data, error, failed, object};
use crate::http::{Query, strings};
use crate::ids::random_id;
use crate::time::{after, milliseconds, rfc3339, since_1970};
use crate::world::{Machine, Plan, Status};

pub(super) async fn claim(State(sandbox0): Sandbox0State, body: Bytes) -> Reply {
    let body = object(&body)?;
    let snapshot = body["snapshot_id"].as_str();
    if snapshot.is_some_and(|snapshot| !sandbox0.snapshots.lock().contains_key(snapshot)) {
        return Err(error(404, "not_found", "snapshot not found"));
    }
    let config = &body["config"];
    let mut options = CreateOptions::default().workdir(WORKSPACE);
    options.env.extend(strings(&config["env_vars"]));
    let mut status = Status::running(None, Default::default());
    let template = body["template"].as_str().unwrap_or("default");
    status.extra = json!({
        "template": template,
        "ttl": config["ttl"],
        "hard_ttl": config["hard_ttl"],
        "auto_resume": config["auto_resume"].as_bool().unwrap_or(true),
        "generation": 1,
        "env": config["env_vars"],
    });
    let template = snapshot.unwrap_or(template).to_owned();
    let plan = Plan { id: format!("sb_{}", random_id(16)), template, options, status };
    let machine = sandbox0.world.create(plan).await.map_err(|error| failed(&error))?;
    touch(&machine);
    limit(&machine);
    let mut claimed = shown(&machine);
    claimed["template"] = claimed["template_id"].clone();
    Ok(data(201, &claimed))
}

/// Restarts the idle time after which a sandbox is paused.
pub(super) fn touch(machine: &Machine) {
    machine.change(|status| {
        let ttl = status.extra["ttl"].as_u64().filter(|seconds| *seconds > 0 && !status.paused);
        status.extra["rests_at"] = json!(ttl.map(|seconds| milliseconds(after(seconds))));
    });
}

/// Restarts the time to live.
fn limit(machine: &Machine) {
    machine.change(|status| {
        status.deadline = status.extra["hard_ttl"].as_u64().filter(|seconds| *seconds > 0).map(after);
    });
}

/// Pauses a sandbox that nobody has used for its idle time.
pub(super) fn pause_if_idle(machine: &Machine) {
    let rests_at = machine.status().extra["rests_at"].as_u64();
    if rests_at.is_some_and(|time| time <= milliseconds(SystemTime::now())) {
        pause_now(machine);
    }
}

/// Pauses a sandbox: files stay, processes end. Interpreters are ended when it is resumed.
fn pause_now(machine: &Machine) {
    for process in machine.running() {
        process.kill(9);
    }
    machine.change(|status| status.paused = true);
    touch(machine);
}

/// Resumes a paused sandbox.
pub(super) fn wake(machine: &Machine) {
    machine.change(|status| {
        status.paused = false;
        status.extra["generation"] =
            json!(status.extra["generation"].as_u64().unwrap_or(1).saturating_add(1));
    });
    touch(machine);
}

pub(super) async fn get(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    Ok(data(200, &shown(&*sandbox0.get(&id)?)))
}

pub(super) async fn update(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.get(&id)?, object(&body)?);
    configure(&machine, &body["config"]);
    touch(&machine);
    if body["config"]["hard_ttl"].is_u64() {
        limit(&machine);
    }
    Ok(data(200, &shown(&machine)))
}

fn configure(machine: &Machine, config: &Value) {
    machine.change(|status| {
        for name in ["ttl", "hard_ttl", "auto_resume"] {
            if let Some(value) = config.get(name) {
                status.extra[name] = value.clone();
            }
        }
    });
}

pub(super) async fn list(State(sandbox0): Sandbox0State, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(50).clamp(1, 200);
    let offset = query.number("offset").unwrap_or(0);
    let chosen = |machine: &Machine| {
        pause_if_idle(machine);
        let sandbox = shown(machine);
        let fits = |name: &str| query.get(name).is_none_or(|wanted| sandbox[name] == json!(wanted));
        fits("status")
            && fits("template_id")
            && query.get("paused").is_none_or(|paused| sandbox["paused"] == json!(paused == "true"))
    };
    let (all, _) = sandbox0.world.list(0, usize::MAX - 1, chosen);
    let page: Vec<Value> = all.iter().skip(offset).take(limit).map(|machine| shown(machine)).collect();
    let more = offset.saturating_add(page.len()) < all.len();
    Ok(data(200, &json!({"count": all.len(), "has_more": more, "sandboxes": page})))
}

pub(super) async fn delete(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    let machine = sandbox0.get(&id)?;
    sandbox0.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    sandbox0.contexts.lock().retain(|(sandbox, _), _| *sandbox != machine.id);
    Ok(data(202, &json!({"message": "sandbox terminated"})))
}

pub(super) async fn pause(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let machine = sandbox0.get(&id)?;
    object(&body)?;
    pause_now(&machine);
    Ok(data(200, &json!({"sandbox_id": id, "paused": true, "status": "paused"})))
}

pub(super) async fn resume(State(sandbox0): Sandbox0State, Path(id): Path<String>) -> Reply {
    let machine = sandbox0.get(&id)?;
    if machine.status().paused {
        wake(&machine);
    }
    Ok(data(200, &json!({"sandbox_id": id, "resumed": true, "status": "running"})))
}

pub(super) async fn refresh(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.get(&id)?, object(&body)?);
    touch(&machine);
    if let Some(seconds) = body["duration"].as_u64().filter(|seconds| *seconds > 0) {
        machine.change(|status| status.extra["rests_at"] = json!(milliseconds(after(seconds))));
    }
    let sandbox = shown(&machine);
    let refreshed = json!({
        "sandbox_id": id,
        "expires_at": sandbox["expires_at"],
        "hard_expires_at": sandbox["hard_expires_at"],
    });
    Ok(data(200, &refreshed))
}

/// The fork has the source's times to live, unless the request names others. They start again.
pub(super) async fn fork(State(sandbox0): Sandbox0State, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (sandbox0.get(&id)?, object(&body)?);
    let own = format!("sb_{}", random_id(16));
    let fork = sandbox0.world.fork(&machine, own, None, None).await.map_err(|error| failed(&error))?;
    configure(&fork, &body["config"]);
    limit(&fork);
    // A fork begins paused.
    pause_now(&fork);
    Ok(data(201, &json!({"source_sandbox_id": id, "sandbox": shown(&fork)})))
}

fn shown(machine: &Machine) -> Value {
    let status = machine.status();
    let created = rfc3339(machine.created);
    let state = if status.paused { "paused" } else { "running" };
    // A paused sandbox has no runtime.
    let runtime = if status.paused { String::new() } else { format!("rt_{}", machine.number) };
    let mut body = json!({
        "id": machine.id,
        "sandbox_id": machine.id,
        "template_id": status.extra["template"],
        "team_id": "emulator",
        "status": state,
        "paused": status.paused,
        "auto_resume": status.extra["auto_resume"],
        "runtime_id": runtime,
        "pod_name": runtime,
        "runtime_generation": status.extra["generation"],
        "claimed_at": created,
        "created_at": created,
        "updated_at": created,
    });
    if let Some(milliseconds) = status.extra["rests_at"].as_u64() {
        body["expires_at"] = json!(rfc3339(since_1970(Duration::from_millis(milliseconds))));
    }
    if let Some(deadline) = status.deadline {
        body["hard_expires_at"] = json!(rfc3339(deadline));
    }
    body
}
