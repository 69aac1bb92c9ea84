//! Changes of variables after a sandbox was created. Commands that start later see them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::ExecuteRequest;
use sandshell_providers::posix::quote;
use serde_json::{Value, json};

use super::{Daytona, error, failed};
use crate::http::{HttpAnswer, json, object, strings};
use crate::world::Machine;

pub(super) async fn update(
    State(daytona): State<Arc<Daytona>>,
    Path(id): Path<String>,
    body: Bytes,
) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "BAD_REQUEST", "the body is not JSON") };
    let set = strings(&body["set"]);
    let listed = body["unset"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut unset: Vec<String> = listed.map(str::to_owned).collect();
    if let Some(bad) = set.keys().chain(&unset).find(|name| !is_name(name)) {
        return error(400, "BAD_REQUEST", &format!("{bad:?} is not the name of a variable"));
    }
    let changed = machine.set(|status| {
        let (mut now, mut gone) = changes(&status.extra);
        if let Some(prefix) = body["unsetValuePrefix"].as_str().filter(|prefix| !prefix.is_empty()) {
            let mut all = strings(&status.extra["env"]);
            all.extend(now.clone());
            let begins = all.into_iter().filter(|(_, value)| value.starts_with(prefix));
            unset.extend(begins.map(|(name, _)| name).filter(|name| !set.contains_key(name)));
        }
        now.retain(|name, _| !unset.contains(name));
        gone.extend(unset);
        gone.retain(|name| !set.contains_key(name));
        gone.sort();
        gone.dedup();
        now.extend(set);
        status.extra["changes"] = json!({"set": now, "unset": gone});
    });
    match changed {
        Ok(()) => json(200, &json!({"message": "environment updated"})),
        Err(error) => failed(&error),
    }
}

/// A command with the current variables.
pub(super) fn with_changes(machine: &Machine, mut request: ExecuteRequest) -> ExecuteRequest {
    let (set, unset) = changes(&machine.status().extra);
    // The command's own variables come last and take precedence.
    request.env = set.into_iter().chain(request.env).collect();
    let own = |name: &&String| !request.env.iter().any(|(other, _)| other == *name);
    let unset: Vec<String> = unset.iter().filter(own).map(|name| quote(name)).collect();
    if !unset.is_empty() {
        request.command = format!("unset -v {}\n{}", unset.join(" "), request.command);
    }
    request
}

/// The variables that were set since then, and those that were removed.
fn changes(extra: &Value) -> (BTreeMap<String, String>, Vec<String>) {
    let unset = extra["changes"]["unset"].as_array().into_iter().flatten();
    (strings(&extra["changes"]["set"]), unset.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
