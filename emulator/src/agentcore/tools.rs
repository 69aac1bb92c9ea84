//! Tools: commands, tasks and files.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileUpload};
use serde_json::{Value, json};

use super::{AgentCoreState, HOME, Reply, code, error, event, failed, object, tasks};
use crate::entry::{self, Kind};
use crate::http::{HttpAnswer, PLAIN_BODY, text};
use crate::world::Machine;

pub(super) async fn invoke(
    State(service): AgentCoreState,
    Path(interpreter): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Reply {
    let id = text(&headers, "x-amzn-code-interpreter-session-id")
        .ok_or_else(|| error("ValidationException", "the session's id is required"))?;
    let (machine, length) = (service.session(&interpreter, id)?, body.len());
    let asked = object(&body)?;
    // A command may run for hours, and others wait for the room of a long body.
    drop(body);
    let arguments = &asked["arguments"];
    let name = asked["name"].as_str().unwrap_or_default();
    if length > PLAIN_BODY && name != "writeFiles" {
        return Err(error("ValidationException", &format!("the body has more than {PLAIN_BODY} bytes")));
    }
    let result = match name {
        "executeCommand" => tasks::execute(&machine, arguments).await?,
        "startCommandExecution" => tasks::start(&machine, arguments)?,
        "getTask" => tasks::get(&machine, arguments)?,
        "stopTask" => tasks::stop(&machine, arguments).await?,
        "writeFiles" => write(&machine, arguments).await?,
        "readFiles" => read(&machine, arguments).await?,
        "listFiles" => list(&machine, arguments).await?,
        "removeFiles" => remove(&machine, arguments).await?,
        "executeCode" => code::execute(&machine, arguments).await?,
        _ => return Err(error("ValidationException", &format!("there is no tool {name:?}"))),
    };
    let mut answer = event::stream("result", &result);
    if let Ok(id) = HeaderValue::from_str(&machine.id) {
        answer.headers_mut().insert("x-amzn-code-interpreter-session-id", id);
    }
    Ok(answer)
}

async fn write(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let mut files = Vec::new();
    for file in arguments["content"].as_array().into_iter().flatten() {
        let content = match (file["text"].as_str(), file["blob"].as_str()) {
            (Some(text), None) => text.as_bytes().to_vec(),
            (None, Some(blob)) => BASE64_STANDARD
                .decode(blob)
                .map_err(|_| error("ValidationException", "a blob is not base64"))?,
            _ => return Err(error("ValidationException", "a file has either text or blob")),
        };
        files.push(FileUpload::new(absolute(&file["path"])?, content));
    }
    let count = files.len();
    let done = machine.sandbox.upload_files(files).await.map_err(|error| failed(&error))?;
    let refused: Vec<String> =
        done.into_iter().filter_map(|file| Some(format!("{}: {}", file.path, file.result.err()?))).collect();
    Ok(match refused.is_empty() {
        true => text_result(&format!("Successfully wrote all {count} files"), false),
        false => text_result(&refused.join("\n"), true),
    })
}

/// Text is returned as text, everything else as base64. Files that cannot be read are left out, with a message.
async fn read(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let paths: Vec<&Value> = arguments["paths"].as_array().into_iter().flatten().collect();
    let places = paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>()?;
    let done = machine.download(places).await.map_err(|error| failed(&error))?;
    let (mut content, mut is_error) = (Vec::new(), false);
    for (path, file) in paths.iter().zip(done) {
        let path = path.as_str().unwrap_or_default();
        let uri = format!("file:///{path}");
        content.push(match file.result.map(|content| String::from_utf8(content.to_vec())) {
            Ok(Ok(text)) => json!({
                "type": "resource",
                "resource": {"type": "text", "uri": uri, "mimeType": "text/plain", "text": text},
            }),
            Ok(Err(bytes)) => json!({
                "type": "resource",
                "resource": {
                    "type": "blob",
                    "uri": uri,
                    "mimeType": "application/octet-stream",
                    "blob": BASE64_STANDARD.encode(bytes.as_bytes()),
                },
            }),
            Err(why) => {
                is_error = true;
                json!({"type": "text", "text": format!("{path}: {why}")})
            }
        });
    }
    Ok(json!({"content": content, "isError": is_error}))
}

async fn list(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let given = match (&arguments["directoryPath"], &arguments["path"]) {
        (Value::Null, Value::Null) => &Value::Null,
        (Value::Null, path) | (path, _) => path,
    };
    let path = if given.as_str().is_none_or(|path| matches!(path, "" | "." | "./")) {
        HOME.to_owned()
    } else {
        absolute(given)?
    };
    let found = entry::entry(&*machine.sandbox, &path).await.map_err(|error| failed(&error))?;
    if found.is_none_or(|entry| entry.kind == Kind::File) {
        return Ok(text_result(&format!("{path}: not a directory"), true));
    }
    let entries = entry::below(&*machine.sandbox, &path, 1).await.map_err(|error| failed(&error))?;
    let content: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let relative = entry.path.strip_prefix(HOME).unwrap_or(&entry.path);
            let mut link = json!({
                "type": "resource_link",
                "uri": format!("file:///{}", relative.trim_start_matches('/')),
                "name": entry.name(),
                "description": if entry.kind == Kind::Directory { "Directory" } else { "File" },
            });
            if entry.kind != Kind::Directory {
                link["size"] = json!(entry.size);
            }
            link
        })
        .collect();
    Ok(json!({"content": content, "isError": false}))
}

async fn remove(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let paths: Vec<&Value> = arguments["paths"].as_array().into_iter().flatten().collect();
    let places = paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>()?;
    let words: Vec<String> = places.iter().map(|path| quote(path)).collect();
    // Removing an empty list of files succeeds.
    let script = if words.is_empty() { ":".to_owned() } else { format!("rm -r -- {}", words.join(" ")) };
    let done = machine.sandbox.execute(ExecuteRequest::new(script)).await.map_err(|error| failed(&error))?;
    Ok(match done.success() {
        true => text_result(&format!("Successfully removed all {} files", words.len()), false),
        false => text_result(done.text().trim(), true),
    })
}

fn text_result(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

/// Makes a path absolute. Relative ones start at the working directory.
fn absolute(path: &Value) -> Result<String, HttpAnswer> {
    match path.as_str() {
        Some(path) if path.starts_with('/') => {
            Err(error("ValidationException", &format!("{path} is not a relative path")))
        }
        Some(path) if !path.is_empty() => Ok(format!("{HOME}/{}", path.trim_start_matches("./"))),
        _ => Err(error("ValidationException", "a path is required")),
    }
}
