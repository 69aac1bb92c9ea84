//! REST calls for sandboxes and snapshots.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderValue;
use bytes::Bytes;
use sandshell_providers::{CreateOptions, NetworkPolicy};
use serde_json::{Value, json};

use super::{E2b, HOME, access_token, error};
use crate::http::{HttpAnswer, Query, decode, empty, json, object, strings};
use crate::ids::{cursor, position, random_id};
use crate::time::{after, rfc3339};
use crate::world::{Machine, Plan, Snapshot, Status, status};

/// The default lifetime of a sandbox, in seconds.
const DEFAULT_SECONDS: u64 = 15;

/// The default lifetime in calls of the second version, in seconds.
const DEFAULT_SECONDS_SECOND: u64 = 300;

/// The longest lifetime, in seconds.
const MOST_SECONDS: u64 = 24 * 3600;

type E2bState = State<Arc<E2b>>;

pub(super) async fn create(State(e2b): E2bState, body: Bytes) -> HttpAnswer {
    made(&e2b, &body, DEFAULT_SECONDS).await
}

pub(super) async fn create_second(State(e2b): E2bState, body: Bytes) -> HttpAnswer {
    made(&e2b, &body, DEFAULT_SECONDS_SECOND).await
}

async fn made(e2b: &E2b, body: &[u8], seconds_by_default: u64) -> HttpAnswer {
    let Some(body) = object(body) else { return error(400, "invalid request body") };
    let template = body["templateID"].as_str().unwrap_or_default().to_owned();
    if template.is_empty() {
        return error(400, "templateID is required");
    }
    // The name of a deleted snapshot must not count as that of a template.
    if e2b.world.was_deleted(&template) {
        return error(404, &format!("template '{template}' not found"));
    }
    let seconds = match seconds(&body, seconds_by_default) {
        Ok(seconds) => seconds,
        Err(answer) => return answer,
    };
    let mut options = CreateOptions::default().workdir(HOME);
    for (name, value) in strings(&body["envVars"]) {
        options = options.env(name, value);
    }
    if body["allow_internet_access"] == json!(false) {
        options.network = NetworkPolicy::Blocked;
    }
    let mut state = Status::running(Some(after(seconds)), strings(&body["metadata"]));
    state.pauses_at_deadline = body["autoPause"] == json!(true);
    let plan = Plan { id: format!("i{}", random_id(19)), template, options, status: state };
    match e2b.world.create(plan).await {
        Ok(machine) => json(201, &created(&machine)),
        Err(failed) => error(status(&failed), &failed.to_string()),
    }
}

pub(super) async fn connect(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    connected(&e2b, &id, &body, DEFAULT_SECONDS).await
}

pub(super) async fn connect_second(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    connected(&e2b, &id, &body, DEFAULT_SECONDS_SECOND).await
}

async fn connected(e2b: &E2b, id: &str, body: &[u8], seconds_by_default: u64) -> HttpAnswer {
    let Some(machine) = e2b.world.get(id) else { return missing(id) };
    let Some(body) = object(body) else { return error(400, "invalid request body") };
    let seconds = match seconds(&body, seconds_by_default) {
        Ok(seconds) => seconds,
        Err(answer) => return answer,
    };
    let paused = machine.status().paused;
    machine.change(|status| {
        let until = after(seconds);
        // The time of a running sandbox is only ever extended.
        if paused || status.deadline.is_some_and(|deadline| deadline < until) {
            status.deadline = Some(until);
        }
        status.paused = false;
        if let Some(pauses) = body["autoPause"].as_bool() {
            status.pauses_at_deadline = pauses;
        }
    });
    if paused && body["memory"] == json!(false) {
        forget_memory(&machine).await;
    }
    json(if paused { 201 } else { 200 }, &created(&machine))
}

pub(super) async fn detail(State(e2b): E2bState, Path(id): Path<String>) -> HttpAnswer {
    match e2b.world.get(&id) {
        Some(machine) => json(200, &described(&machine)),
        None => missing(&id),
    }
}

/// Ends all processes, so that only the files are left.
async fn forget_memory(machine: &Machine) {
    for process in machine.running() {
        process.kill(9);
    }
    machine.contexts.end().await;
}

/// The first version's list: all running sandboxes.
pub(super) async fn list_running(State(e2b): E2bState, RawQuery(query): RawQuery) -> HttpAnswer {
    let query = Query::new(query.as_deref());
    let wanted = metadata(&query);
    let (all, _) =
        e2b.world.list(0, usize::MAX - 1, |machine| !machine.status().paused && has(machine, &wanted));
    json(200, &Value::Array(all.iter().map(|machine| described(machine)).collect()))
}

/// The metadata that a query filters by.
fn metadata(query: &Query) -> Vec<(String, String)> {
    let pairs = query.get("metadata").unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decode(&decode(name)), decode(&decode(value)))).collect()
}

fn has(machine: &Machine, wanted: &[(String, String)]) -> bool {
    let labels = machine.status().labels;
    wanted.iter().all(|(name, value)| labels.get(name) == Some(value))
}

pub(super) async fn list(State(e2b): E2bState, RawQuery(query): RawQuery) -> HttpAnswer {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(100).clamp(1, 100);
    let Some(after) = position(query.get("nextToken")) else { return error(400, "Invalid next token") };
    let states = query.get("state").unwrap_or("running").to_owned();
    let wanted = metadata(&query);
    // Times are compared by whole seconds.
    let begun = query.get("startedAfter").and_then(|time| time.get(..19));
    let chosen = |machine: &Machine| {
        let state = state_name(&machine.status());
        states.split(',').any(|wanted| wanted == state)
            && has(machine, &wanted)
            && query.get("template").is_none_or(|template| template == machine.template)
            && begun.is_none_or(|time| rfc3339(machine.created).get(..19) >= Some(time))
    };
    let newest_first = match query.get("order") {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(_) => return error(400, "order is asc or desc"),
    };
    let (page, more) = if newest_first {
        let (mut all, _) = e2b.world.list(0, usize::MAX - 1, chosen);
        all.retain(|machine| after == 0 || machine.number < after);
        all.reverse();
        let more = all.len() > limit;
        all.truncate(limit);
        (all, more)
    } else {
        e2b.world.list(after, limit, chosen)
    };
    let sandboxes: Vec<Value> = page.iter().map(|machine| described(machine)).collect();
    let mut answer = json(200, &Value::Array(sandboxes));
    if let Some(last) = page.last().filter(|_| more)
        && let Ok(token) = HeaderValue::from_str(&cursor(last.number))
    {
        answer.headers_mut().insert("x-next-token", token);
    }
    answer
}

pub(super) async fn kill(State(e2b): E2bState, Path(id): Path<String>) -> HttpAnswer {
    match e2b.world.delete(&id).await {
        Ok(true) => empty(204),
        Ok(false) => missing(&id),
        Err(failed) => error(status(&failed), &failed.to_string()),
    }
}

pub(super) async fn timeout(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let Some(machine) = e2b.world.get(&id).filter(|machine| !machine.status().paused) else {
        return missing(&id);
    };
    let Some(body) = object(&body) else { return error(400, "invalid request body") };
    match seconds(&body, DEFAULT_SECONDS) {
        Ok(seconds) => {
            machine.change(|status| status.deadline = Some(after(seconds)));
            empty(204)
        }
        Err(answer) => answer,
    }
}

/// Extends the lifetime, for clients of the first version.
pub(super) async fn refresh(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let Some(machine) = e2b.world.get(&id).filter(|machine| !machine.status().paused) else {
        return missing(&id);
    };
    let Some(body) = object(&body) else { return error(400, "invalid request body") };
    let until = match seconds(&json!({"timeout": body["duration"]}), DEFAULT_SECONDS) {
        Ok(seconds) => after(seconds),
        Err(answer) => return answer,
    };
    machine.change(|status| {
        if status.deadline.is_some_and(|deadline| deadline < until) {
            status.deadline = Some(until);
        }
    });
    empty(204)
}

pub(super) async fn pause(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let Some(machine) = e2b.world.get(&id) else { return missing(&id) };
    let Some(body) = object(&body) else { return error(400, "invalid request body") };
    if machine.status().paused {
        return error(409, &format!("sandbox {id} is already paused"));
    }
    machine.change(|status| {
        status.paused = true;
        // A paused sandbox does not end by itself.
        status.deadline = None;
    });
    if body["memory"] == json!(false) {
        forget_memory(&machine).await;
    }
    empty(204)
}

pub(super) async fn fork(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let Some(machine) = e2b.world.get(&id) else { return missing(&id) };
    let Some(body) = object(&body) else { return error(400, "invalid request body") };
    let seconds = match seconds(&body, DEFAULT_SECONDS) {
        Ok(seconds) => seconds,
        Err(answer) => return answer,
    };
    let mut forks = Vec::new();
    for _ in 0..body["count"].as_u64().unwrap_or(1).clamp(1, 100) {
        let id = format!("i{}", random_id(19));
        forks.push(match e2b.world.fork(&machine, id, None, Some(after(seconds))).await {
            Ok(fork) => json!({"sandbox": created(&fork)}),
            Err(failed) => json!({"error": {"code": status(&failed), "message": failed.to_string()}}),
        });
    }
    json(201, &Value::Array(forks))
}

pub(super) async fn snapshot(State(e2b): E2bState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let Some(machine) = e2b.world.get(&id) else { return missing(&id) };
    let Some(body) = object(&body) else { return error(400, "invalid request body") };
    let snapshot = format!("{}:default", random_id(20));
    let names: Vec<String> =
        body["name"].as_str().map(|name| format!("emulator/{name}:default")).into_iter().collect();
    match e2b.world.snapshot(&machine, snapshot.clone(), names.clone()).await {
        Ok(()) => json(201, &json!({"snapshotID": snapshot, "names": names})),
        Err(failed) => error(status(&failed), &failed.to_string()),
    }
}

pub(super) async fn snapshots(State(e2b): E2bState, RawQuery(query): RawQuery) -> HttpAnswer {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(100).clamp(1, 100);
    let chosen = |id: &str, kept: &Snapshot| {
        query.get("sandboxID").is_none_or(|id| id == kept.source)
            && query
                .get("name")
                .is_none_or(|name| id == name || kept.names.iter().any(|own| is_named(own, name)))
    };
    let after = query.get("nextToken").unwrap_or_default();
    let kept = e2b.world.snapshots();
    let mut page: Vec<_> =
        kept.iter().filter(|(id, kept)| id.as_str() > after && chosen(id, kept)).take(limit + 1).collect();
    let more = page.len() > limit;
    page.truncate(limit);
    let last = page.last().map(|(id, _)| id.clone());
    let body = page.iter().map(|(id, kept)| json!({"snapshotID": id, "names": kept.names})).collect();
    let mut answer = json(200, &Value::Array(body));
    if let Some(token) = last.filter(|_| more).and_then(|last| HeaderValue::from_str(&last).ok()) {
        answer.headers_mut().insert("x-next-token", token);
    }
    answer
}

/// Whether `name`, which may lack the project, the tag or both, refers to the snapshot with this full name.
fn is_named(full: &str, name: &str) -> bool {
    let bare = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or_default();
        name.split(':').next().unwrap_or_default().to_owned()
    };
    full == name || (bare(full) == bare(name) && (!name.contains('/') || full.starts_with(name)))
}

pub(super) async fn delete_template(State(e2b): E2bState, Path(id): Path<String>) -> HttpAnswer {
    match e2b.world.delete_snapshot(&id).await {
        Ok(true) => empty(204),
        Ok(false) => error(404, &format!("template '{id}' not found")),
        Err(failed) => error(status(&failed), &failed.to_string()),
    }
}

fn missing(id: &str) -> HttpAnswer {
    error(404, &format!("sandbox \"{id}\" doesn't exist or you don't have access to it"))
}

fn created(machine: &Machine) -> Value {
    json!({
        "templateID": machine.template,
        "sandboxID": machine.id,
        "clientID": "emulator",
        "envdVersion": "0.6.4",
        "envdAccessToken": access_token(machine),
        "trafficAccessToken": null,
        "domain": null,
    })
}

fn described(machine: &Machine) -> Value {
    let status = machine.status();
    let end = status.deadline.unwrap_or_else(SystemTime::now);
    let Value::Object(mut body) = created(machine) else { return Value::Null };
    body.extend(
        [
            ("startedAt", json!(rfc3339(machine.created))),
            ("endAt", json!(rfc3339(end))),
            ("cpuCount", json!(2)),
            ("memoryMB", json!(512)),
            ("diskSizeMB", json!(1024)),
            ("state", json!(state_name(&status))),
            ("metadata", json!(status.labels)),
            ("alias", json!(machine.template)),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    Value::Object(body)
}

fn state_name(status: &Status) -> &'static str {
    if status.paused { "paused" } else { "running" }
}

fn seconds(body: &Value, default: u64) -> Result<u64, HttpAnswer> {
    match &body["timeout"] {
        Value::Null => Ok(default),
        timeout => match timeout.as_u64() {
            Some(seconds) if seconds <= MOST_SECONDS => Ok(seconds),
            Some(_) => Err(error(400, "Timeout cannot be greater than 24 hours")),
            None => Err(error(400, "Timeout must be a whole number of seconds, not less than 0")),
        },
    }
}
