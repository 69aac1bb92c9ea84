//! Sandboxes.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use sandshell_providers::{CreateOptions, NetworkPolicy};
use serde_json::{Value, json};

use super::{Daytona, HOME, error, failed};
use crate::http::{HttpAnswer, Query, empty, json, object, own_url, strings};
use crate::ids::{cursor, position, random_uuid};
use crate::time::{after, rfc3339};
use crate::world::{Machine, Plan, Status};

type DaytonaState = State<Arc<Daytona>>;

/// The snapshot name of the provider's default sandbox.
const SNAPSHOT: &str = "daytonaio/sandbox:emulated";

/// The intervals of a sandbox in minutes, with their defaults.
const INTERVALS: [(&str, i64); 4] = [
    ("autoStopInterval", 15),
    ("autoArchiveInterval", 10080),
    ("autoDeleteInterval", -1),
    ("autoPauseInterval", 0),
];

pub(super) async fn create(State(daytona): DaytonaState, headers: HeaderMap, body: Bytes) -> HttpAnswer {
    let Some(body) = object(&body) else { return error(400, "BAD_REQUEST", "the body is not JSON") };
    let id = random_uuid();
    let name = body["name"].as_str().unwrap_or(&id).to_owned();
    if daytona.world.get(&name).is_some() {
        return error(409, "CONFLICT", &format!("Sandbox with name {name} already exists"));
    }
    let template = body["snapshot"].as_str().unwrap_or(SNAPSHOT).to_owned();
    // A snapshot that was taken here and deleted must not count as an unknown name, which would mean the default
    // sandbox.
    if daytona.world.was_deleted(&template) {
        return error(404, "SNAPSHOT_NOT_FOUND", &format!("Snapshot {template} not found"));
    }
    let env = strings(&body["env"]);
    let mut options = CreateOptions::default().workdir(HOME).env("HOME", HOME).env("USER", "daytona");
    options.env.extend(env.clone());
    if body["networkBlockAll"] == json!(true) {
        options.network = NetworkPolicy::Blocked;
    }
    let deadline = body["ttlMinutes"]
        .as_u64()
        .filter(|minutes| *minutes > 0)
        .map(|minutes| after(minutes.saturating_mul(60)));
    let mut status = Status::running(deadline, strings(&body["labels"]));
    status.name = Some(name);
    status.extra = json!({"env": env, "state": "started", "target": body["target"].as_str().unwrap_or("us")});
    for (interval, default) in INTERVALS {
        status.extra[interval] = json!(body[interval].as_i64().unwrap_or(default));
    }
    match daytona.world.create(Plan { id, template, options, status }).await {
        Ok(machine) => json(200, &shown(&machine, &headers)),
        Err(error) => failed(&error),
    }
}

pub(super) async fn get(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> HttpAnswer {
    match daytona.get(&id) {
        Ok(machine) => json(200, &shown(&machine, &headers)),
        Err(answer) => answer,
    }
}

pub(super) async fn list(
    State(daytona): DaytonaState,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> HttpAnswer {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(100).clamp(1, 200);
    let Some(after) = position(query.get("cursor")) else {
        return error(400, "BAD_REQUEST", "Invalid cursor");
    };
    let labels = match query.get("labels").map(|labels| object(labels.as_bytes())) {
        None => Value::Null,
        Some(Some(labels)) => labels,
        Some(None) => return error(400, "BAD_REQUEST", "Invalid labels JSON format"),
    };
    let wanted = strings(&labels);
    let states: Vec<&str> = query.all("states").flat_map(|states| states.split(',')).collect();
    let snapshots: Vec<&str> = query.all("snapshots").flat_map(|names| names.split(',')).collect();
    let chosen = |machine: &Machine| {
        let status = machine.status();
        wanted.iter().all(|(name, value)| status.labels.get(name) == Some(value))
            && (states.is_empty() || states.contains(&status.extra["state"].as_str().unwrap_or_default()))
            && query.get("id").is_none_or(|id| machine.id.starts_with(id))
            && (snapshots.is_empty() || snapshots.contains(&machine.template.as_str()))
            && query.get("name").is_none_or(|name| status.name.is_some_and(|own| own.starts_with(name)))
    };
    let (page, more) = daytona.world.list(after, limit, chosen);
    let next = page.last().filter(|_| more).map(|machine| cursor(machine.number));
    let items: Vec<Value> = page.iter().map(|machine| shown(machine, &headers)).collect();
    json(200, &json!({"items": items, "nextCursor": next}))
}

pub(super) async fn delete(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> HttpAnswer {
    let machine = match daytona.get(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    if let Err(error) = daytona.world.delete(&machine.id).await {
        return failed(&error);
    }
    daytona.sessions.lock().retain(|(sandbox, _), _| *sandbox != machine.id);
    machine.change(|status| status.extra["state"] = json!("destroyed"));
    json(200, &shown(&machine, &headers))
}

pub(super) async fn labels(State(daytona): DaytonaState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let machine = match daytona.get(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "BAD_REQUEST", "the body is not JSON") };
    let labels = strings(&body["labels"]);
    match machine.set(|status| status.labels = labels.clone()) {
        Ok(()) => json(200, &json!({"labels": labels})),
        Err(error) => failed(&error),
    }
}

pub(super) async fn toolbox_url(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> HttpAnswer {
    match daytona.get(&id) {
        Ok(_) => json(200, &json!({"url": format!("{}/toolbox", own_url(&headers))})),
        Err(answer) => answer,
    }
}

/// Actions without a parameter.
pub(super) async fn act(
    State(daytona): DaytonaState,
    Path((id, action)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> HttpAnswer {
    let machine = match daytona.get(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "BAD_REQUEST", "the body is not JSON") };
    let paused = machine.status().paused;
    let become_state = |state: &str| {
        machine.change(|status| {
            status.paused = state != "started";
            status.extra["state"] = json!(state);
        });
        json(200, &shown(&machine, &headers))
    };
    match action.as_str() {
        "start" => become_state("started"),
        "stop" if paused => error(400, "BAD_REQUEST", "Sandbox is not started"),
        "last-activity" => empty(201),
        "stop" => {
            // Files stay, processes end.
            machine.contexts.end().await;
            machine.running().iter().for_each(|process| {
                process.kill(9);
            });
            if machine.status().extra["autoDeleteInterval"] == json!(0) {
                return delete(State(daytona), Path(id), headers).await;
            }
            become_state("stopped")
        }
        "pause" if paused => error(400, "BAD_REQUEST", "Sandbox is not started"),
        "pause" => become_state("paused"),
        "archive" if !paused => error(400, "BAD_REQUEST", "Sandbox is not stopped"),
        "archive" => become_state("archived"),
        "fork" => {
            let own = random_uuid();
            let name = body["name"].as_str().unwrap_or(&own).to_owned();
            match daytona.world.fork(&machine, own, Some(name), machine.status().deadline).await {
                Ok(fork) => {
                    fork.change(|status| status.extra["state"] = json!("started"));
                    json(200, &shown(&fork, &headers))
                }
                Err(error) => failed(&error),
            }
        }
        "snapshot" => match super::snapshots::take(&daytona, &machine, &body).await {
            Ok(()) => json(200, &shown(&machine, &headers)),
            Err(answer) => answer,
        },
        _ => error(404, "NOT_FOUND", &format!("Cannot POST /api/sandbox/{id}/{action}")),
    }
}

/// Actions with a parameter in minutes.
pub(super) async fn interval(
    State(daytona): DaytonaState,
    Path((id, action, minutes)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> HttpAnswer {
    let machine = match daytona.get(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Ok(minutes) = minutes.parse::<i64>() else {
        return error(400, "BAD_REQUEST", "minutes must be a number");
    };
    let name = match action.as_str() {
        "autostop" => "autoStopInterval",
        "autoarchive" => "autoArchiveInterval",
        "autodelete" => "autoDeleteInterval",
        "autopause" => "autoPauseInterval",
        "ttl" => {
            let seconds = u64::try_from(minutes).unwrap_or_default().saturating_mul(60);
            machine.change(|status| status.deadline = (seconds > 0).then(|| after(seconds)));
            return json(200, &shown(&machine, &headers));
        }
        _ => return error(404, "NOT_FOUND", &format!("Cannot POST /api/sandbox/{id}/{action}/{minutes}")),
    };
    machine.change(|status| status.extra[name] = json!(minutes));
    json(200, &shown(&machine, &headers))
}

pub(super) fn shown(machine: &Machine, headers: &HeaderMap) -> Value {
    let status = machine.status();
    let mut body = json!({
        "id": machine.id,
        "organizationId": "emulator",
        "name": status.name,
        "snapshot": machine.template,
        "user": "daytona",
        "env": status.extra["env"],
        "labels": status.labels,
        "public": false,
        "networkBlockAll": true,
        "kvm": false,
        "target": status.extra["target"],
        "cpu": 1,
        "gpu": 0,
        "memory": 1,
        "disk": 3,
        "state": status.extra["state"],
        "desiredState": status.extra["state"],
        "createdAt": rfc3339(machine.created),
        "updatedAt": rfc3339(SystemTime::now()),
        "toolboxProxyUrl": format!("{}/toolbox", own_url(headers)),
    });
    for (interval, _) in INTERVALS {
        body[interval] = status.extra[interval].clone();
    }
    if let Some(deadline) = status.deadline {
        body["autoDestroyAt"] = json!(rfc3339(deadline));
    }
    body
}
