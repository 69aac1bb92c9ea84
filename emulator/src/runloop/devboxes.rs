//! Devboxes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::{CreateOptions, ExecuteRequest, FileUpload, OutputStream};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{HOME, Reply, Runloop, RunloopState, error, failed, object};
use crate::http::{Query, json, strings};
use crate::ids::random_id;
use crate::process::Input;
use crate::text::{exit_code, output};
use crate::time::{after, milliseconds};
use crate::world::{Machine, Plan, Status};

/// The default lifetime of a devbox, in seconds.
const KEEP_ALIVE: u64 = 3600;

/// How long the service itself waits at most, in seconds.
const LONGEST_WAIT: f64 = 30.0;

pub(super) async fn create(State(runloop): RunloopState, body: Bytes) -> Reply {
    let body = object(&body)?;
    if ["blueprint_id", "blueprint_name"].iter().any(|name| body[*name].is_string()) {
        return Err(error(404, "Blueprint not found"));
    }
    if let Some(snapshot) = body["snapshot_id"].as_str()
        && !runloop.snapshots.lock().contains_key(snapshot)
    {
        return Err(error(404, "Snapshot not found"));
    }
    let env = strings(&body["environment_variables"]);
    let mut options = CreateOptions::default().workdir(HOME).env("HOME", HOME).env("USER", "user");
    options.env.extend(env);
    let launch = &body["launch_parameters"];
    let idle =
        [&launch["lifecycle"]["after_idle"], &launch["after_idle"]].into_iter().find(|idle| idle.is_object());
    let mut status = Status::running(None, strings(&body["metadata"]));
    status.pauses_at_deadline = idle.is_some_and(|idle| idle["on_idle"] == json!("suspend"));
    status.extra = json!({
        "name": body["name"],
        "launch_parameters": if launch.is_object() { launch.clone() } else { json!({}) },
        "snapshot_id": body["snapshot_id"],
        "idle": idle.and_then(|idle| idle["idle_time_seconds"].as_u64()),
        "keep_alive": idle.is_none().then(|| launch["keep_alive_time_seconds"].as_u64().unwrap_or(KEEP_ALIVE)),
    });
    let plan = Plan {
        id: format!("dbx_{}", random_id(20)),
        template: body["snapshot_id"].as_str().unwrap_or_default().to_owned(),
        options,
        status,
    };
    let commands: Vec<String> = match &launch["launch_commands"] {
        Value::Null => Vec::new(),
        Value::Array(commands) if commands.iter().all(Value::is_string) => {
            commands.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => return Err(error(400, "launch_commands is not a list of commands")),
    };
    let files: Vec<FileUpload> = strings(&body["file_mounts"])
        .into_iter()
        .map(|(path, content)| FileUpload::new(super::files::absolute(&path), content))
        .collect();
    let machine = runloop.world.create(plan).await.map_err(|error| failed(&error))?;
    let done = machine.sandbox.upload_files(files).await.map_err(|error| failed(&error))?;
    if let Some(file) = done.iter().find(|file| file.result.is_err()) {
        let why = file.result.as_ref().err().map(ToString::to_string).unwrap_or_default();
        // The devbox cannot be used, because its initial state could not be set up.
        drop(runloop.world.delete(&machine.id).await);
        return Err(error(400, &format!("file_mounts: {}: {why}", file.path)));
    }
    touch(&machine, "idle");
    touch(&machine, "keep_alive");
    if !commands.is_empty() {
        machine.change(|status| status.extra["launching"] = json!(true));
        tokio::spawn(launch_with(runloop.clone(), machine.clone(), commands));
    }
    Ok(json(200, &runloop.show(&machine)))
}

/// Creates a devbox, and answers when its launch commands have ended or some time has passed.
pub(super) async fn create_and_await(runloop: RunloopState, body: Bytes) -> Reply {
    let created = create(State(runloop.0.clone()), body).await?;
    let created = axum::body::to_bytes(created.into_body(), usize::MAX).await.unwrap_or_default();
    let created: Value = serde_json::from_slice(&created).unwrap_or_default();
    let deadline = Instant::now() + Duration::from_secs_f64(LONGEST_WAIT);
    let id = created["id"].as_str().unwrap_or_default();
    loop {
        let devbox = runloop.look(id).unwrap_or_else(|| created.clone());
        if devbox["status"] != json!("initializing") || Instant::now() >= deadline {
            return Ok(json(200, &devbox));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Runs the launch commands in order. If one fails, the devbox has failed.
async fn launch_with(runloop: Arc<Runloop>, machine: Arc<Machine>, commands: Vec<String>) {
    for command in commands {
        let process =
            machine.start(ExecuteRequest::new(command.clone()).timeout(Duration::ZERO), Input::Given);
        let code = exit_code(&process.ended().await);
        if runloop.world.get(&machine.id).is_none() {
            return;
        }
        if code != 0 {
            let mut devbox = runloop.show(&machine);
            devbox["status"] = json!("failure");
            devbox["failure_reason"] = json!("execution_failed");
            devbox["end_time_ms"] = json!(milliseconds(SystemTime::now()));
            let stderr = output(&process, OutputStream::Stderr);
            devbox["launch_error"] = json!(format!("{command}: status {code}: {}", stderr.trim()));
            drop(runloop.world.delete(&machine.id).await);
            runloop.seen.lock().insert(machine.id.clone(), devbox);
            return;
        }
    }
    machine.change(|status| status.extra["launching"] = json!(false));
    touch(&machine, "idle");
    touch(&machine, "keep_alive");
}

/// Extends the lifetime, if the devbox has a timeout of this kind.
pub(super) fn touch(machine: &Machine, kind: &str) {
    machine.change(|status| {
        if let Some(seconds) = status.extra[kind].as_u64() {
            status.deadline = Some(after(seconds));
        }
    });
}

pub(super) async fn get(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    runloop.look(&id).map(|devbox| json(200, &devbox)).ok_or_else(|| error(404, "Devbox not found"))
}

pub(super) async fn update(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let (machine, body) = (runloop.get(&id)?, object(&body)?);
    let changed = machine.set(|status| {
        if body["metadata"].is_object() {
            status.labels = strings(&body["metadata"]);
        }
        if body["name"].is_string() {
            status.extra["name"] = body["name"].clone();
        }
    });
    changed.map_err(|error| failed(&error))?;
    Ok(json(200, &runloop.show(&machine)))
}

pub(super) async fn list(State(runloop): RunloopState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(20).clamp(1, 5000);
    let after = match query.get("starting_after") {
        None => 0,
        Some(id) => runloop.get(id)?.number,
    };
    let chosen =
        |machine: &Machine| query.get("status").is_none_or(|wanted| wanted == state(&machine.status()));
    let (page, more) = runloop.world.list(after, limit, chosen);
    let devboxes: Vec<Value> = page.iter().map(|machine| runloop.show(machine)).collect();
    let mut body = json!({"devboxes": devboxes, "has_more": more});
    if query.get("include_total_count") == Some("true") {
        body["total_count"] = json!(runloop.world.list(0, usize::MAX - 1, chosen).0.len());
    }
    Ok(json(200, &body))
}

/// Answers when the devbox is in one of the states, or with 408 if that takes too long.
pub(super) async fn wait(State(runloop): RunloopState, Path(id): Path<String>, body: Bytes) -> Reply {
    let body = object(&body)?;
    let states: Vec<&str> =
        body["statuses"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let deadline = Instant::now() + patience(&body["timeout_seconds"]);
    loop {
        let devbox = runloop.look(&id).ok_or_else(|| error(404, "Devbox not found"))?;
        if states.iter().any(|state| devbox["status"] == json!(state)) {
            return Ok(json(200, &devbox));
        }
        if Instant::now() >= deadline {
            return Err(error(408, "Timed out waiting for the devbox's status"));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// How long a call may wait.
pub(super) fn patience(seconds: &Value) -> Duration {
    Duration::from_secs_f64(seconds.as_f64().unwrap_or(LONGEST_WAIT).clamp(0.0, LONGEST_WAIT))
}

pub(super) async fn shutdown(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    let machine = match runloop.get(&id) {
        Ok(machine) => machine,
        // Shutting down twice is no error.
        Err(answer) => return runloop.look(&id).map(|devbox| json(200, &devbox)).ok_or(answer),
    };
    let mut devbox = runloop.show(&machine);
    runloop.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    devbox["status"] = json!("shutdown");
    devbox["shutdown_reason"] = json!("api_shutdown");
    devbox["end_time_ms"] = json!(milliseconds(SystemTime::now()));
    runloop.seen.lock().insert(machine.id.clone(), devbox.clone());
    Ok(json(200, &devbox))
}

pub(super) async fn suspend(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    let machine = runloop.get(&id)?;
    // Files stay, processes end.
    for process in machine.running() {
        process.kill(9);
    }
    machine.change(|status| {
        status.paused = true;
        status.deadline = None;
    });
    Ok(json(200, &runloop.show(&machine)))
}

pub(super) async fn resume(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    let machine = runloop.get(&id)?;
    machine.change(|status| status.paused = false);
    touch(&machine, "idle");
    touch(&machine, "keep_alive");
    Ok(json(200, &runloop.show(&machine)))
}

pub(super) async fn keep_alive(State(runloop): RunloopState, Path(id): Path<String>) -> Reply {
    let machine = runloop.get(&id)?;
    touch(&machine, "idle");
    touch(&machine, "keep_alive");
    Ok(json(200, &json!({})))
}

fn state(status: &Status) -> &'static str {
    match status.paused {
        true => "suspended",
        false if status.extra["launching"] == json!(true) => "initializing",
        false => "running",
    }
}

impl Runloop {
    /// A devbox, even one that was shut down.
    fn look(&self, id: &str) -> Option<Value> {
        if let Some(machine) = self.world.get(id) {
            return Some(self.show(&machine));
        }
        let mut devbox = self.seen.lock().get(id)?.clone();
        if !matches!(devbox["status"].as_str(), Some("shutdown" | "failure")) {
            // Its time was up, without a request.
            devbox["status"] = json!("shutdown");
            devbox["shutdown_reason"] = json!("ttl_expired");
        }
        Some(devbox)
    }

    fn show(&self, machine: &Machine) -> Value {
        let status = machine.status();
        let devbox = json!({
            "id": machine.id,
            "name": status.extra["name"],
            "status": state(&status),
            "capabilities": [],
            "create_time_ms": milliseconds(machine.created),
            "end_time_ms": null,
            "launch_parameters": status.extra["launch_parameters"],
            "metadata": status.labels,
            "state_transitions": [],
            "snapshot_id": status.extra["snapshot_id"],
            "blueprint_id": null,
        });
        self.seen.lock().insert(machine.id.clone(), devbox.clone());
        devbox
    }
}
