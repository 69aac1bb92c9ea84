//! Encodes to JSON.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use crate::calls::{Call, Reply};
use crate::{
    CreateOptions, Error, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileUploadResponse,
    ListOptions, NetworkPolicy, ResourceLimits, Retry, SandboxInfo, SandboxPage,
};

/// The parameters of a call.
pub(crate) fn params(call: &Call) -> Value {
    match call {
        Call::Create(options) => create(options),
        Call::List(options) => list(options),
        Call::Delete { id } | Call::Fork { id } | Call::Pause { id } | Call::Resume { id } => {
            json!({"sandbox": id})
        }
        Call::Snapshot { id, name } => filled(json!({"sandbox": id, "name": name})),
        Call::Restore { id, snapshot } => json!({"sandbox": id, "snapshot": snapshot}),
        Call::DeleteSnapshot { snapshot } => json!({"snapshot": snapshot}),
        Call::SetTtl { id, ttl } => filled(json!({"sandbox": id, "ttl": ttl.map(seconds)})),
        Call::Execute(handle, request) => execute(&handle.id, request),
        Call::Upload(handle, files) => {
            let file = |file: &crate::FileUpload| json!({"path": file.path, "content": bytes(&file.content)});
            json!({"sandbox": &*handle.id, "files": files.iter().map(file).collect::<Vec<_>>()})
        }
        Call::Download(handle, paths) => json!({"sandbox": &*handle.id, "paths": paths}),
    }
}

/// Encodes an answer.
pub(crate) fn answer(answer: &Reply) -> Value {
    match answer {
        Reply::Done => Value::Null,
        Reply::Sandbox(handle) => {
            let can: Vec<&str> =
                handle.capabilities.flags().filter(|(_, has)| *has).map(|(name, _)| name).collect();
            json!({"id": &*handle.id, "capabilities": can})
        }
        Reply::Page(page) => self::page(page),
        Reply::Snapshot(snapshot) => filled(json!({"id": snapshot.id, "name": snapshot.name})),
        Reply::Executed(response) => executed(response),
        Reply::Uploaded(files) => files.iter().map(uploaded).collect(),
        Reply::Downloaded(files) => files.iter().map(downloaded).collect(),
    }
}

/// Encodes an error.
pub(crate) fn error(error: &Error) -> Value {
    let retry = match error.retry() {
        Retry::Never => Value::Null,
        Retry::Later(None) => Value::from(true),
        Retry::Later(Some(delay)) => Value::from(seconds(delay)),
    };
    filled(json!({"kind": error.kind().name(), "message": error.to_string(), "retry": retry}))
}

/// Encodes bytes: UTF-8 as a string, anything else as base64.
pub(crate) fn bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(_) => json!({"base64": BASE64_STANDARD.encode(bytes)}),
    }
}

fn create(options: &CreateOptions) -> Value {
    let network = (options.network != NetworkPolicy::ProviderDefault).then(|| options.network.name());
    filled(json!({
        "sandbox": options.id,
        "snapshot": options.snapshot,
        "labels": pairs(&options.labels),
        "ttl": options.ttl.map(seconds),
        "env": pairs(&options.env),
        "workdir": options.workdir,
        "limits": limits(&options.limits),
        "network": network,
    }))
}

fn limits(limits: &ResourceLimits) -> Value {
    filled(json!({
        "memory": limits.memory,
        "milli_cpus": limits.milli_cpus,
        "disk": limits.disk,
        "processes": limits.processes,
        "timeout": limits.timeout.map(seconds),
        "max_output": limits.max_output,
        "hard_ttl": limits.hard_ttl.map(seconds),
    }))
}

fn list(options: &ListOptions) -> Value {
    filled(json!({"cursor": options.cursor, "limit": options.limit, "labels": pairs(&options.labels)}))
}

fn execute(id: &str, request: &ExecuteRequest) -> Value {
    filled(json!({
        "sandbox": id,
        "command": request.command,
        "timeout": request.timeout.map(seconds),
        "cwd": request.cwd,
        "env": pairs(&request.env),
        "stdin": request.stdin.as_ref().map(|stdin| bytes(stdin)),
        "max_output": request.max_output,
    }))
}

fn page(page: &SandboxPage) -> Value {
    let info = |info: &SandboxInfo| {
        let created = info.created_at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        filled(json!({
            "id": info.id,
            "state": info.state.name(),
            "labels": pairs(&info.labels),
            "created_at": created.map(seconds),
        }))
    };
    let sandboxes: Vec<Value> = page.sandboxes.iter().map(info).collect();
    // Even an empty page keeps its list of sandboxes.
    match &page.next_cursor {
        Some(next) => json!({"sandboxes": sandboxes, "next_cursor": next}),
        None => json!({"sandboxes": sandboxes}),
    }
}

fn executed(response: &ExecuteResponse) -> Value {
    // In most answers, the output is the two streams one after the other and need not be repeated.
    let joined = response.output.len() == response.stdout.len() + response.stderr.len()
        && response.output.starts_with(&response.stdout)
        && response.output.ends_with(&response.stderr);
    let limit = |limit: &crate::LimitReached| json!({"kind": limit.kind.name(), "message": limit.message});
    let limits: Vec<Value> = response.limits.iter().map(limit).collect();
    filled(json!({
        "exit_code": response.exit_code,
        "stdout": bytes(&response.stdout),
        "stderr": bytes(&response.stderr),
        "output": (!joined).then(|| bytes(&response.output)),
        "truncated": response.truncated.then_some(true),
        "timed_out": response.timed_out.then_some(true),
        "limits": limits,
        "duration": seconds(response.duration),
    }))
}

fn uploaded(response: &FileUploadResponse) -> Value {
    match &response.result {
        Ok(()) => json!({"path": response.path}),
        Err(error) => json!({"path": response.path, "error": error.to_string()}),
    }
}

fn downloaded(response: &FileDownloadResponse) -> Value {
    match &response.result {
        Ok(content) => json!({"path": response.path, "content": bytes(content)}),
        Err(error) => json!({"path": response.path, "error": error.to_string()}),
    }
}

fn pairs(pairs: &[(String, String)]) -> Value {
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect::<Map<_, _>>()
        .into()
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

/// The object without values that are defaults.
fn filled(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| match value {
            Value::Null => false,
            Value::Object(inner) => !inner.is_empty(),
            Value::Array(inner) => !inner.is_empty(),
            Value::String(text) => !text.is_empty(),
            _ => true,
        });
    }
    value
}
