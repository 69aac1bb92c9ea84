//! Decodes JSON, which is untrusted.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::Value;

use crate::calls::{Call, Handle, Reply};
use crate::{
    Capabilities, Error, ErrorKind, ExecuteResponse, FileDownloadResponse, FileError, FileUploadResponse,
    LimitKind, LimitReached, ProviderCapabilities, Result, SandboxInfo, SandboxPage, SandboxState,
    SnapshotInfo,
};

/// Decodes the answer to `call`. A sandbox in it that does not list its capabilities has those of `can`.
pub(crate) fn answer(call: &Call, value: Value, can: Capabilities) -> Result<Reply> {
    Ok(match call {
        Call::Create(_) | Call::Fork { .. } => Reply::Sandbox(sandbox(&value, can)?),
        Call::List(_) => Reply::Page(page(&value)?),
        Call::Snapshot { .. } => Reply::Snapshot(snapshot(&value)?),
        Call::Delete { .. }
        | Call::Restore { .. }
        | Call::DeleteSnapshot { .. }
        | Call::Pause { .. }
        | Call::Resume { .. }
        | Call::SetTtl { .. } => Reply::Done,
        Call::Execute(..) => Reply::Executed(executed(&value)?),
        Call::Upload(_, files) => Reply::Uploaded(each(&value, files.len(), uploaded)?),
        Call::Download(_, paths) => Reply::Downloaded(each(&value, paths.len(), downloaded)?),
    })
}

/// Decodes an error.
pub(crate) fn error(value: &Value) -> Error {
    let kind = text(value, "kind").and_then(ErrorKind::from_name).unwrap_or(ErrorKind::Unexpected);
    let error = Error::new(kind, text(value, "message").unwrap_or("an error without a message"));
    match &value["retry"] {
        Value::Bool(true) => error.retry_after(None),
        Value::Number(number) => match number.as_f64().and_then(duration) {
            Some(delay) => error.retry_after(Some(delay)),
            None => error,
        },
        _ => error,
    }
}

/// Decodes the names of a sandbox's capabilities.
pub(crate) fn sandbox_capabilities(value: &Value) -> Result<Capabilities> {
    let mut can = Capabilities::default();
    named(value, |name| can.set(name, true))?;
    Ok(can)
}

/// Decodes the names of a provider's capabilities.
pub(crate) fn provider_capabilities(value: &Value) -> Result<ProviderCapabilities> {
    let mut can = ProviderCapabilities::default();
    named(value, |name| can.set(name, true))?;
    Ok(can)
}

/// Decodes bytes: a string, or an object with base64.
pub(crate) fn bytes(value: &Value) -> Result<Bytes> {
    if let Value::String(text) = value {
        return Ok(Bytes::from(text.clone()));
    }
    let text = text(value, "base64").ok_or_else(|| malformed("bytes are neither text nor base64"))?;
    BASE64_STANDARD.decode(text).map(Bytes::from).map_err(|error| malformed(&error.to_string()))
}

fn named(value: &Value, mut set: impl FnMut(&str) -> bool) -> Result<()> {
    for name in value.as_array().map(Vec::as_slice).unwrap_or_default() {
        let name = name.as_str().ok_or_else(|| malformed("a capability is not a name"))?;
        if !set(name) {
            return Err(malformed(&format!("there is no capability {name:?}")));
        }
    }
    Ok(())
}

fn sandbox(value: &Value, can: Capabilities) -> Result<Handle> {
    let id = id(value)?;
    let can =
        if value["capabilities"].is_null() { can } else { sandbox_capabilities(&value["capabilities"])? };
    Ok(Handle::remote(id, can))
}

fn page(value: &Value) -> Result<SandboxPage> {
    let sandboxes = value["sandboxes"].as_array().ok_or_else(|| malformed("a page has no sandboxes"))?;
    let sandboxes = sandboxes.iter().map(info).collect::<Result<_>>()?;
    Ok(SandboxPage::new(sandboxes, text(value, "next_cursor").map(str::to_owned)))
}

fn info(value: &Value) -> Result<SandboxInfo> {
    let known = |name: &str| SandboxState::ALL.iter().copied().find(|state| state.name() == name);
    let state = text(value, "state").and_then(known).unwrap_or(SandboxState::Unknown);
    let mut info = SandboxInfo::new(id(value)?, state);
    info.labels = pairs(&value["labels"]);
    let created = value["created_at"].as_f64().and_then(duration);
    info.created_at = created.and_then(|after| SystemTime::UNIX_EPOCH.checked_add(after));
    Ok(info)
}

fn snapshot(value: &Value) -> Result<SnapshotInfo> {
    let mut info = SnapshotInfo::new(id(value)?);
    info.name = text(value, "name").map(str::to_owned);
    Ok(info)
}

fn executed(value: &Value) -> Result<ExecuteResponse> {
    let stream = |name: &str| match &value[name] {
        Value::Null => Ok(Bytes::new()),
        value => bytes(value),
    };
    let (stdout, stderr) = (stream("stdout")?, stream("stderr")?);
    let output = match &value["output"] {
        Value::Null if stderr.is_empty() => stdout.clone(),
        Value::Null => [&stdout[..], &stderr[..]].concat().into(),
        value => bytes(value)?,
    };
    let exit_code = match &value["exit_code"] {
        Value::Null => None,
        code => Some(
            code.as_i64()
                .and_then(|code| i32::try_from(code).ok())
                .ok_or_else(|| malformed("an exit status is not a number"))?,
        ),
    };
    Ok(ExecuteResponse {
        exit_code,
        output,
        stdout,
        stderr,
        truncated: value["truncated"] == true,
        timed_out: value["timed_out"] == true,
        limits: value["limits"]
            .as_array()
            .map(|limits| limits.iter().map(limit).collect())
            .unwrap_or_default(),
        duration: value["duration"].as_f64().and_then(duration).unwrap_or_default(),
    })
}

fn limit(value: &Value) -> LimitReached {
    let known = |name: &str| LimitKind::ALL.iter().copied().find(|kind| kind.name() == name);
    let kind = text(value, "kind").and_then(known).unwrap_or(LimitKind::Other);
    LimitReached::new(kind, text(value, "message").unwrap_or_default())
}

fn each<T>(value: &Value, count: usize, one: fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    let files = value.as_array().filter(|files| files.len() == count);
    files.ok_or_else(|| malformed("there is not one answer for each file"))?.iter().map(one).collect()
}

fn uploaded(value: &Value) -> Result<FileUploadResponse> {
    Ok(FileUploadResponse { path: path(value)?, result: file_result(value) })
}

fn downloaded(value: &Value) -> Result<FileDownloadResponse> {
    let result = match text(value, "error") {
        Some(error) => Err(file_error(error)),
        None => Ok(bytes(&value["content"])?),
    };
    Ok(FileDownloadResponse { path: path(value)?, result })
}

/// Decodes the result for one file.
pub(crate) fn file_result(value: &Value) -> Result<(), FileError> {
    text(value, "error").map_or(Ok(()), |error| Err(file_error(error)))
}

fn file_error(text: &str) -> FileError {
    match text {
        "file_not_found" => FileError::FileNotFound,
        "permission_denied" => FileError::PermissionDenied,
        "is_directory" => FileError::IsDirectory,
        "invalid_path" => FileError::InvalidPath,
        other => FileError::Other(other.to_owned()),
    }
}

fn path(value: &Value) -> Result<String> {
    text(value, "path").map(str::to_owned).ok_or_else(|| malformed("a file has no path"))
}

fn id(value: &Value) -> Result<&str> {
    text(value, "id").filter(|id| !id.is_empty()).ok_or_else(|| malformed("there is no id"))
}

fn pairs(value: &Value) -> Vec<(String, String)> {
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    value.as_object().map(|fields| fields.iter().filter_map(text).collect()).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

fn malformed(why: &str) -> Error {
    Error::new(ErrorKind::Unexpected, format!("the answer is malformed: {why}"))
}
