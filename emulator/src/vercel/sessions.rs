//! Running sessions: those of named sandboxes, and sandboxes without names.

use std::time::{Duration, SystemTime};

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::shape::{both, session, touch};
use super::{Reply, Vercel, VercelState, failed, invalid, object};
use crate::http::{Query, json};
use crate::ids::random_id;
use crate::time::milliseconds;
use crate::world::Machine;

pub(super) async fn get(State(vercel): VercelState, Path(id): Path<String>) -> Reply {
    if let Some(past) = vercel.past.lock().get(&id) {
        return Ok(json(200, &json!({"session": past, "routes": []})));
    }
    Ok(json(200, &both(&*vercel.session(&id)?)))
}

pub(super) async fn list(State(vercel): VercelState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let named = |machine: &Machine| machine.status().name.is_some();
    let (machines, _) = vercel.world.list(0, usize::MAX - 1, named);
    let mut all: Vec<Value> = vercel.past.lock().values().cloned().collect();
    all.extend(machines.iter().map(|machine| session(machine)));
    all.retain(|session| {
        query.get("name").is_none_or(|name| session["sourceSandboxName"] == json!(name))
            && session["sourceSandboxName"].is_string()
    });
    all.sort_by_key(|session| std::cmp::Reverse(session["createdAt"].as_u64()));
    Ok(json(200, &json!({"pagination": {"count": all.len(), "next": null}, "sessions": all})))
}

/// Stops a session. A named sandbox can be resumed; one without a name ends.
pub(super) async fn stop(State(vercel): VercelState, Path(id): Path<String>) -> Reply {
    let machine = vercel.session(&id)?;
    halt(&machine);
    let shown = both(&machine);
    if machine.status().name.is_none() {
        remember(&vercel, &machine);
        vercel.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    }
    Ok(json(200, &shown))
}

pub(super) async fn extend(State(vercel): VercelState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (vercel.running(&id)?, object(&body)?);
    let duration = body["duration"].as_u64().ok_or_else(|| invalid("duration is required"))?;
    machine.change(|status| {
        let timeout = status.extra["timeout"].as_u64().unwrap_or(0).saturating_add(duration);
        status.extra["timeout"] = json!(timeout);
        status.deadline =
            status.deadline.and_then(|deadline| deadline.checked_add(Duration::from_millis(duration)));
        touch(&mut status.extra);
    });
    Ok(json(200, &both(&machine)))
}

/// Ends all processes; files stay.
pub(super) fn halt(machine: &Machine) {
    for process in machine.running() {
        process.kill(9);
    }
    machine.change(|status| {
        status.paused = true;
        status.deadline = None;
        touch(&mut status.extra);
    });
}

/// Halts a sandbox that was paused because its time was up.
pub(super) fn halt_if_expired(machine: &Machine) {
    let status = machine.status();
    if status.deadline.is_some_and(|deadline| deadline <= SystemTime::now()) {
        halt(machine);
    }
}

/// Begins a new session with the files of the previous one.
pub(super) fn resume(vercel: &Vercel, machine: &Machine) {
    remember(vercel, machine);
    machine.change(|status| {
        status.paused = false;
        status.deadline = deadline(status.extra["timeout"].as_u64().unwrap_or(0));
        status.extra["session"] = json!(session_id());
        status.extra["boots"] = Value::Null;
        status.extra["started"] = json!(milliseconds(SystemTime::now()));
        touch(&mut status.extra);
    });
}

/// Remembers a session that has ended.
pub(super) fn remember(vercel: &Vercel, machine: &Machine) {
    let mut shown = session(machine);
    shown["status"] = json!("stopped");
    if let Some(id) = shown["id"].as_str() {
        vercel.past.lock().insert(id.to_owned(), shown);
    }
}

/// When a session ends that begins now with this lifetime, in milliseconds.
pub(super) fn deadline(timeout: u64) -> Option<SystemTime> {
    SystemTime::now().checked_add(Duration::from_millis(timeout))
}

pub(super) fn session_id() -> String {
    format!("ses_{}", random_id(16))
}
