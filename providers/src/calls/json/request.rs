//! Decodes calls, which are untrusted.

use std::time::Duration;

use serde_json::Value;

use super::decode::bytes;
use crate::calls::{Call, Handle};
use crate::{
    Capabilities, CreateOptions, Error, ExecuteRequest, FileUpload, ListOptions, NetworkPolicy,
    ResourceLimits, Result,
};

/// The call with this name and these parameters. Handles in it wrap no sandbox yet.
pub(crate) fn call(method: &str, value: &Value) -> Result<Call> {
    let sandbox = || Ok(Handle::remote(required(value, "sandbox")?, Capabilities::default()));
    let id = || required(value, "sandbox").map(str::to_owned);
    Ok(match method {
        "create" => Call::Create(create(value)?),
        "list" => Call::List(list(value)?),
        "delete" => Call::Delete { id: id()? },
        "snapshot" => Call::Snapshot { id: id()?, name: text(value, "name")?.map(str::to_owned) },
        "restore" => Call::Restore { id: id()?, snapshot: required(value, "snapshot")?.to_owned() },
        "delete_snapshot" => Call::DeleteSnapshot { snapshot: required(value, "snapshot")?.to_owned() },
        "fork" => Call::Fork { id: id()? },
        "pause" => Call::Pause { id: id()? },
        "resume" => Call::Resume { id: id()? },
        "set_ttl" => Call::SetTtl { id: id()?, ttl: duration(value, "ttl")? },
        "execute" => Call::Execute(sandbox()?, execute(value)?),
        "upload" => Call::Upload(sandbox()?, each(value, "files", file)?),
        "download" => Call::Download(sandbox()?, each(value, "paths", path)?),
        other => return Err(malformed(&format!("there is no method {other:?}"))),
    })
}

fn create(value: &Value) -> Result<CreateOptions> {
    Ok(CreateOptions {
        id: text(value, "sandbox")?.map(str::to_owned),
        snapshot: text(value, "snapshot")?.map(str::to_owned),
        labels: pairs(value, "labels")?,
        ttl: duration(value, "ttl")?,
        env: pairs(value, "env")?,
        workdir: text(value, "workdir")?.map(str::to_owned),
        limits: limits(&value["limits"])?,
        network: network(value)?,
    })
}

fn limits(value: &Value) -> Result<ResourceLimits> {
    Ok(ResourceLimits {
        memory: number(value, "memory")?,
        milli_cpus: small(value, "milli_cpus")?,
        disk: number(value, "disk")?,
        processes: small(value, "processes")?,
        timeout: duration(value, "timeout")?,
        max_output: number(value, "max_output")?,
        hard_ttl: duration(value, "hard_ttl")?,
    })
}

fn network(value: &Value) -> Result<NetworkPolicy> {
    let Some(name) = text(value, "network")? else { return Ok(NetworkPolicy::ProviderDefault) };
    let known = [NetworkPolicy::ProviderDefault, NetworkPolicy::Blocked, NetworkPolicy::Open];
    let found = known.into_iter().find(|policy| policy.name() == name);
    found.ok_or_else(|| malformed(&format!("there is no network policy {name:?}")))
}

fn list(value: &Value) -> Result<ListOptions> {
    let limit = number(value, "limit")?;
    Ok(ListOptions {
        cursor: text(value, "cursor")?.map(str::to_owned),
        limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        labels: pairs(value, "labels")?,
    })
}

fn execute(value: &Value) -> Result<ExecuteRequest> {
    // An empty one is left out, as everything that is empty.
    let mut request = ExecuteRequest::new(text(value, "command")?.unwrap_or_default());
    request.timeout = duration(value, "timeout")?;
    request.cwd = text(value, "cwd")?.map(str::to_owned);
    request.env = pairs(value, "env")?;
    request.stdin = match &value["stdin"] {
        Value::Null => None,
        stdin => Some(bytes(stdin)?),
    };
    request.max_output = number(value, "max_output")?;
    Ok(request)
}

fn file(value: &Value) -> Result<FileUpload> {
    // An empty file's content may have been left out.
    let content = match &value["content"] {
        Value::Null => bytes::Bytes::new(),
        content => bytes(content)?,
    };
    Ok(FileUpload::new(required(value, "path")?, content))
}

fn path(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| malformed("a path is not text"))
}

fn each<T>(value: &Value, name: &str, one: fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    let all = value[name].as_array().ok_or_else(|| malformed(&format!("{name} is not a list")))?;
    all.iter().map(one).collect()
}

fn required<'a>(value: &'a Value, name: &str) -> Result<&'a str> {
    value[name].as_str().ok_or_else(|| malformed(&format!("{name} is not text")))
}

fn text<'a>(value: &'a Value, name: &str) -> Result<Option<&'a str>> {
    match &value[name] {
        Value::Null => Ok(None),
        _ => required(value, name).map(Some),
    }
}

fn pairs(value: &Value, name: &str) -> Result<Vec<(String, String)>> {
    let pair = |(key, value): (&String, &Value)| {
        let value = value.as_str().ok_or_else(|| malformed(&format!("{name}: {key} is not text")))?;
        Ok((key.clone(), value.to_owned()))
    };
    match &value[name] {
        Value::Null => Ok(Vec::new()),
        Value::Object(pairs) => pairs.iter().map(pair).collect(),
        _ => Err(malformed(&format!("{name} is not an object"))),
    }
}

fn number(value: &Value, name: &str) -> Result<Option<u64>> {
    match &value[name] {
        Value::Null => Ok(None),
        number => number.as_u64().map(Some).ok_or_else(|| malformed(&format!("{name} is not a number"))),
    }
}

fn small(value: &Value, name: &str) -> Result<Option<u32>> {
    let number = number(value, name)?;
    let small = number.map(u32::try_from).transpose();
    small.map_err(|_| malformed(&format!("{name} is too large")))
}

fn duration(value: &Value, name: &str) -> Result<Option<Duration>> {
    match &value[name] {
        Value::Null => Ok(None),
        seconds => {
            let time = seconds.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            time.map(Some).ok_or_else(|| malformed(&format!("{name} is not a time in seconds")))
        }
    }
}

fn malformed(why: &str) -> Error {
    Error::invalid_request(format!("the request is malformed: {why}"))
}

#[cfg(test)]
mod tests {
    use super::super::params;
    use super::*;
    use bytes::Bytes;

    #[test]
    fn calls_come_back_as_they_were() {
        let id = || "s".to_owned();
        let handle = || Handle::remote("s", Capabilities::default());
        let mut limits = ResourceLimits::default();
        (limits.memory, limits.milli_cpus, limits.processes) = (Some(1 << 40), Some(1500), Some(7));
        (limits.timeout, limits.hard_ttl) = (Some(Duration::from_millis(1500)), Some(Duration::ZERO));
        let create = CreateOptions {
            snapshot: Some("a".to_owned()),
            labels: vec![("a".to_owned(), "b".to_owned())],
            ttl: Some(Duration::from_secs(3)),
            env: vec![("E".to_owned(), String::new())],
            workdir: Some("/w".to_owned()),
            limits,
            network: NetworkPolicy::Blocked,
            ..CreateOptions::default()
        };
        let execute = ExecuteRequest::new("cat")
            .stdin(Bytes::from_static(b"\xff"))
            .timeout(Duration::ZERO)
            .max_output(3)
            .env("A", "b")
            .cwd("/c");
        let list = ListOptions { cursor: Some("7".to_owned()), limit: Some(3), labels: Vec::new() };
        for expected in [
            Call::Create(create),
            Call::Create(CreateOptions::existing("s")),
            Call::Create(CreateOptions::default()),
            Call::List(list),
            Call::Delete { id: id() },
            Call::Snapshot { id: id(), name: None },
            Call::Snapshot { id: id(), name: Some("n".to_owned()) },
            Call::Restore { id: id(), snapshot: "n".to_owned() },
            Call::DeleteSnapshot { snapshot: "n".to_owned() },
            Call::Fork { id: id() },
            Call::Pause { id: id() },
            Call::Resume { id: id() },
            Call::SetTtl { id: id(), ttl: None },
            Call::SetTtl { id: id(), ttl: Some(Duration::from_secs(1)) },
            Call::Execute(handle(), execute),
            Call::Execute(handle(), ExecuteRequest::new("")),
            Call::Upload(handle(), vec![FileUpload::new("/a", Bytes::new())]),
            Call::Download(handle(), vec!["/a".to_owned()]),
        ] {
            let found = call(expected.method(), &params(&expected)).expect("a call");
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for (method, text) in [
            ("fly", "{}"),
            ("delete", "{}"),
            ("execute", r#"{"sandbox": "s", "command": 7}"#),
            ("execute", r#"{"sandbox": "s", "command": "x", "timeout": -1}"#),
            ("execute", r#"{"sandbox": "s", "command": "x", "timeout": 1e300}"#),
            ("execute", r#"{"sandbox": "s", "command": "x", "env": {"A": 1}}"#),
            ("upload", r#"{"sandbox": "s", "files": [{"content": "x"}]}"#),
            ("download", r#"{"sandbox": "s", "paths": [1]}"#),
            ("create", r#"{"limits": {"processes": 4294967296}}"#),
            ("create", r#"{"network": "some"}"#),
        ] {
            let value = serde_json::from_str(text).expect("JSON");
            let found = call(method, &value);
            assert!(found.is_err(), "{method} {text}: {found:?}");
        }
    }
}
