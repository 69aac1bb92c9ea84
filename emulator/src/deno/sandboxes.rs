//! Sandboxes: REST calls, and upgrades to WebSockets.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use sandshell_providers::CreateOptions;
use serde_json::{Value, json};

use super::{Deno, DenoState, FIELDS, HOME, Reply, error, socket};
use crate::http::{HttpAnswer, Query, json, object, own_url, strings, text};
use crate::ids::{cursor, position, random_id};
use crate::time::{after, milliseconds, rfc3339};
use crate::web_socket::Upgrade;
use crate::world::{Machine, Plan, Status, status};

const REGION: &str = "ord";

/// The longest extension that one request can ask for.
const LONGEST_EXTENSION: Duration = Duration::from_secs(30 * 60);

/// How many sandboxes are on one page.
const PAGE: usize = 100;

/// The largest message. Long files come in pieces.
const LARGEST_MESSAGE: usize = 64 << 20;

pub(super) async fn create(State(deno): DenoState, headers: HeaderMap, upgrade: Upgrade) -> Reply {
    let config = config(&headers)?;
    if let Some(Err(refused)) = FIELDS.procedure("config").map(|known| known.check(&config)) {
        return Err(error(501, "NOT_EMULATED", &refused.to_string()));
    }
    let labels = strings(&config["labels"]);
    if labels.len() > 5 {
        return Err(error(400, "INVALID_CONFIG", "a sandbox has at most 5 labels"));
    }
    let deadline = deadline(&config)?;
    let mut status = Status::running(deadline, labels);
    // Without a time, the sandbox lives as long as the socket that created it.
    status.extra = json!({"session": deadline.is_none(), "env": strings(&config["env"])});
    let options = CreateOptions::default().workdir(HOME).env("HOME", HOME);
    let plan = Plan { id: id(), template: "default".to_owned(), options, status };
    let machine = deno.world.create(plan).await.map_err(|error| failed(&error))?;
    Ok(open(deno, machine, &headers, upgrade, true))
}

pub(super) async fn connect(
    State(deno): DenoState,
    Path(id): Path<String>,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Reply {
    let machine = deno.get(&id)?;
    Ok(open(deno, machine, &headers, upgrade, false))
}

fn open(
    deno: Arc<Deno>,
    machine: Arc<Machine>,
    headers: &HeaderMap,
    upgrade: Upgrade,
    owns: bool,
) -> HttpAnswer {
    let id = HeaderValue::from_str(&machine.id);
    // Python's SDK listens to a command's streams only some time after it was told of them.
    let late = text(headers, "user-agent").is_some_and(|agent| agent.contains("websockets"));
    // The socket that the sandbox lives with may never be there.
    let (over, of) = (deno.clone(), machine.clone());
    let failed = move || {
        if owns {
            tokio::spawn(async move { socket::over(&over, &of).await });
        }
    };
    let serve = move |socket| socket::serve(deno, machine, socket, late, owns);
    let mut answer = upgrade.largest(LARGEST_MESSAGE).begin(serve, failed);
    if let Ok(id) = id {
        answer.headers_mut().insert("x-deno-sandbox-id", id);
    }
    answer
}

pub(super) async fn kill(State(deno): DenoState, Path(id): Path<String>) -> Reply {
    let machine = deno.get(&id)?;
    deno.world.delete(&machine.id).await.map_err(|error| failed(&error))?;
    Ok(crate::http::empty(204))
}

pub(super) async fn extend(State(deno): DenoState, Path(id): Path<String>, body: Bytes) -> Reply {
    let machine = deno.get(&id)?;
    let wanted = object(&body).and_then(|body| body["stop_at_ms"].as_u64()).and_then(at);
    let wanted = wanted.ok_or_else(|| error(400, "INVALID_REQUEST", "stop_at_ms is required"))?;
    let mut end = SystemTime::now();
    machine.change(|status| {
        let from = status.deadline.unwrap_or(end);
        end = wanted.min(from + LONGEST_EXTENSION).max(from);
        status.deadline = Some(end);
        status.extra["session"] = json!(false);
    });
    Ok(json(200, &json!({"stop_at_ms": milliseconds(end)})))
}

/// A page of sandboxes. Its header `Link` names the next one.
pub(super) async fn list(
    State(deno): DenoState,
    headers: HeaderMap,
    uri: axum::http::Uri,
    RawQuery(query): RawQuery,
) -> Reply {
    let query = Query::new(query.as_deref());
    let labels = labels(&query);
    // Python's SDK sends the whole URL of the next page as the cursor.
    let from = query.get("cursor").map(|cursor| cursor.rsplit("cursor=").next().unwrap_or(cursor));
    let from = position(from).ok_or_else(|| error(400, "INVALID_CURSOR", "the cursor was not given out"))?;
    let limit = query.number("limit").unwrap_or(PAGE).clamp(1, PAGE);
    let (page, more) = deno.world.list(from, limit, |machine| {
        let own = machine.status().labels;
        labels.iter().all(|(name, value)| own.get(name) == Some(value))
    });
    let mut answer = json(200, &page.iter().map(|machine| shown(machine)).collect());
    if let Some(last) = page.last().filter(|_| more) {
        let link =
            format!("<{}{}?cursor={}>; rel=\"next\"", own_url(&headers), uri.path(), cursor(last.number));
        if let Ok(link) = HeaderValue::from_str(&link) {
            answer.headers_mut().insert("link", link);
        }
    }
    Ok(answer)
}

/// The labels in a query: `labels[name]=value`, or the representation of a Python dictionary.
fn labels(query: &Query) -> Vec<(String, String)> {
    let whole = query.get("labels").unwrap_or_default().replace('\'', "\"");
    let whole = serde_json::from_str(&whole).map(|labels| strings(&labels)).unwrap_or_default();
    let single = query.pairs().filter_map(|(name, value)| {
        let name = name.strip_prefix("labels[")?.strip_suffix(']')?;
        Some((name.to_owned(), value.to_owned()))
    });
    single.chain(whole).collect()
}

fn shown(machine: &Machine) -> Value {
    json!({
        "id": machine.id,
        "createdAt": rfc3339(machine.created),
        "region": REGION,
        "status": "running",
        "stoppedAt": null,
        "labels": machine.status().labels,
    })
}

impl Deno {
    fn get(&self, id: &str) -> Result<Arc<Machine>, HttpAnswer> {
        self.world
            .get(id)
            .ok_or_else(|| error(404, "SANDBOX_NOT_FOUND", &format!("there is no sandbox {id}")))
    }
}

fn failed(failed: &sandshell_providers::Error) -> HttpAnswer {
    error(status(failed), "INTERNAL_ERROR", &failed.to_string())
}

/// The configuration, from a header with JSON in base64.
fn config(headers: &HeaderMap) -> Result<Value, HttpAnswer> {
    let text = text(headers, "x-deno-sandbox-config").unwrap_or("e30=");
    let decoded = BASE64_STANDARD.decode(text).ok();
    let config = decoded.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    config
        .filter(Value::is_object)
        .ok_or_else(|| error(400, "INVALID_CONFIG", "the configuration cannot be read"))
}

/// When the sandbox must end: `stop_at_ms` from JavaScript's SDK, or `timeout` from Python's.
fn deadline(config: &Value) -> Result<Option<SystemTime>, HttpAnswer> {
    let invalid = || error(400, "INVALID_CONFIG", "the timeout is not a time in seconds or minutes");
    if !config["stop_at_ms"].is_null() {
        return config["stop_at_ms"].as_u64().and_then(at).map(Some).ok_or_else(invalid);
    }
    match &config["timeout"] {
        Value::Null => Ok(None),
        Value::String(text) if text == "session" => Ok(None),
        Value::String(text) => seconds(text).map(|seconds| Some(after(seconds))).ok_or_else(invalid),
        _ => Err(invalid()),
    }
}

/// Parses `30s` or `5m` to seconds.
fn seconds(text: &str) -> Option<u64> {
    let number = |unit| text.strip_suffix(unit)?.parse::<u64>().ok().filter(|number| *number > 0);
    number('s').or_else(|| number('m')?.checked_mul(60))
}

fn at(milliseconds: u64) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds))
}

/// A new id. Its alphabet has no letters that look like digits.
fn id() -> String {
    let letters: String = random_id(80).replace(['i', 'l', 'o'], "").chars().take(20).collect();
    format!("sbx_{REGION}_{letters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes() {
        assert_eq!((seconds("30s"), seconds("5m")), (Some(30), Some(300)));
        for bad in ["", "5", "s", "0s", "-1s", "1h", "99999999999999999999s"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
        assert!(deadline(&json!({"timeout": "session"})).expect("a time").is_none());
        assert!(deadline(&json!({"stop_at_ms": "x"})).is_err());
    }

    #[test]
    fn labels_in_both_forms() {
        let wanted = vec![("k".to_owned(), "v".to_owned())];
        assert_eq!(labels(&Query::new(Some("labels%5Bk%5D=v"))), wanted);
        assert_eq!(labels(&Query::new(Some("labels=%7B%27k%27%3A+%27v%27%7D"))), wanted);
        assert_eq!(labels(&Query::new(Some("labels=x"))), Vec::new());
    }
}
