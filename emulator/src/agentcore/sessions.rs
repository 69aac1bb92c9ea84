//! Sessions.

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::CreateOptions;
use serde_json::{Value, json};

use super::{AgentCoreState, HOME, REMEMBERED, Reply, error, failed, object};
use crate::http::{HttpAnswer, Query, json};
use crate::ids::{cursor, position, random_id};
use crate::time::{after, rfc3339};
use crate::world::{Machine, Plan, Status};

/// The default and the longest lifetime of a session, in seconds.
const LIFE: u64 = 900;
const LONGEST_LIFE: u64 = 28_800;

pub(super) async fn start(
    State(service): AgentCoreState,
    Path(interpreter): Path<String>,
    body: Bytes,
) -> Reply {
    let body = object(&body)?;
    let seconds = match &body["sessionTimeoutSeconds"] {
        Value::Null => LIFE,
        seconds => {
            seconds.as_u64().filter(|seconds| (1..=LONGEST_LIFE).contains(seconds)).ok_or_else(|| {
                error("ValidationException", "sessionTimeoutSeconds must be between 1 and 28800")
            })?
        }
    };
    // A repeated request must not start another session.
    let token = body["clientToken"].clone();
    if token.is_string() {
        let same =
            |machine: &Machine| machine.template == interpreter && machine.status().extra["token"] == token;
        if let Some(machine) = service.world.list(0, 1, same).0.pop() {
            return Ok(json(200, &brief(&machine)));
        }
    }
    let mut status = Status::running(Some(after(seconds)), Default::default());
    status.extra = json!({"name": body["name"], "seconds": seconds, "token": token});
    let options = CreateOptions::default().workdir(HOME);
    let plan = Plan { id: random_id(26).to_uppercase(), template: interpreter, options, status };
    let machine = service.world.create(plan).await.map_err(|error| failed(&error))?;
    Ok(json(200, &brief(&machine)))
}

pub(super) async fn get(
    State(service): AgentCoreState,
    Path(interpreter): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let id = wanted(query.as_deref())?;
    let own = |session: &Value| {
        session["sessionId"] == json!(id) && session["codeInterpreterIdentifier"] == json!(interpreter)
    };
    let stopped = service.stopped.lock().iter().find(|(_, session)| own(session)).cloned();
    match stopped {
        Some((_, session)) => Ok(json(200, &session)),
        None => Ok(json(200, &shown(&*service.session(&interpreter, &id)?))),
    }
}

/// Lists sessions in the order in which they began. Without a status in the request, stopped ones are included.
pub(super) async fn list(
    State(service): AgentCoreState,
    Path(interpreter): Path<String>,
    body: Bytes,
) -> Reply {
    let body = object(&body)?;
    let limit = body["maxResults"].as_u64().unwrap_or(10).clamp(1, 100) as usize;
    let wrong = || error("ValidationException", "nextToken was not given out");
    let from = position(body["nextToken"].as_str()).ok_or_else(wrong)?;
    let status = body["status"].as_str();
    let mut sessions: Vec<(u64, Value)> = Vec::new();
    if status != Some("TERMINATED") {
        let (ready, _) = service.world.list(from, limit + 1, |machine| machine.template == interpreter);
        sessions.extend(ready.iter().map(|machine| (machine.number, shown(machine))));
    }
    if status != Some("READY") {
        let own = |(number, session): &&(u64, Value)| {
            *number > from && session["codeInterpreterIdentifier"] == json!(interpreter)
        };
        sessions.extend(service.stopped.lock().iter().filter(own).cloned());
    }
    sessions.sort_by_key(|(number, _)| *number);
    let more = sessions.len() > limit;
    sessions.truncate(limit);
    let last = sessions.last().map(|(number, _)| *number).filter(|_| more);
    let items: Vec<Value> = sessions.into_iter().map(|(_, session)| session).collect();
    let mut answer = json!({"items": items});
    if let Some(last) = last {
        answer["nextToken"] = json!(cursor(last));
    }
    Ok(json(200, &answer))
}

pub(super) async fn stop(
    State(service): AgentCoreState,
    Path(interpreter): Path<String>,
    RawQuery(query): RawQuery,
) -> Reply {
    let machine = service.session(&interpreter, &wanted(query.as_deref())?)?;
    let mut session = shown(&machine);
    service.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    session["status"] = json!("TERMINATED");
    session["lastUpdatedAt"] = json!(rfc3339(std::time::SystemTime::now()));
    let answer = json!({
        "codeInterpreterIdentifier": interpreter,
        "sessionId": machine.id,
        "lastUpdatedAt": session["lastUpdatedAt"],
    });
    let mut stopped = service.stopped.lock();
    stopped.push_back((machine.number, session));
    if stopped.len() > REMEMBERED {
        stopped.pop_front();
    }
    Ok(json(200, &answer))
}

fn wanted(query: Option<&str>) -> Result<String, HttpAnswer> {
    let id = Query::new(query).get("sessionId").map(str::to_owned);
    id.ok_or_else(|| error("ValidationException", "sessionId is required"))
}

fn brief(machine: &Machine) -> Value {
    json!({
        "codeInterpreterIdentifier": machine.template,
        "sessionId": machine.id,
        "createdAt": rfc3339(machine.created),
    })
}

fn shown(machine: &Machine) -> Value {
    let (mut session, extra) = (brief(machine), machine.status().extra);
    session["status"] = json!("READY");
    session["sessionTimeoutSeconds"] = extra["seconds"].clone();
    if extra["name"].is_string() {
        session["name"] = extra["name"].clone();
    }
    session
}
