//! The JSON forms of sandboxes and sessions.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::CWD;
use crate::time::milliseconds;
use crate::world::Machine;

/// A named sandbox.
pub(super) fn sandbox(machine: &Machine) -> Value {
    let status = machine.status();
    let extra = &status.extra;
    let mut shown = json!({
        "name": status.name,
        "persistent": extra["persistent"],
        "region": extra["region"],
        "vcpus": extra["vcpus"],
        "memory": extra["memory"],
        "runtime": extra["runtime"],
        "timeout": extra["timeout"],
        "createdAt": milliseconds(machine.created),
        "updatedAt": extra["updated"],
        "currentSessionId": extra["session"],
        "status": state(status.paused),
        "cwd": CWD,
        "tags": status.labels,
        "projectId": extra["project"],
    });
    if extra["snapshot"].is_string() {
        shown["currentSnapshotId"] = extra["snapshot"].clone();
    }
    shown
}

/// A session, or a sandbox without a name.
pub(super) fn session(machine: &Machine) -> Value {
    let status = machine.status();
    let extra = &status.extra;
    let mut shown = json!({
        "id": extra["session"],
        "memory": extra["memory"],
        "vcpus": extra["vcpus"],
        "region": extra["region"],
        "runtime": extra["runtime"],
        "timeout": extra["timeout"],
        "status": state(status.paused),
        "requestedAt": extra["started"],
        "startedAt": extra["started"],
        "createdAt": extra["started"],
        "updatedAt": extra["updated"],
        "cwd": CWD,
        "projectId": extra["project"],
    });
    if let Some(name) = &status.name {
        shown["sourceSandboxName"] = json!(name);
    }
    shown
}

/// Both, in the form that each generation expects.
pub(super) fn both(machine: &Machine) -> Value {
    let session = session(machine);
    let sandbox = if machine.status().name.is_some() { sandbox(machine) } else { session.clone() };
    json!({"sandbox": sandbox, "session": session, "routes": []})
}

/// Sets the time of the last change to now.
pub(super) fn touch(extra: &mut Value) {
    extra["updated"] = json!(milliseconds(SystemTime::now()));
}

fn state(paused: bool) -> &'static str {
    if paused { "stopped" } else { "running" }
}
