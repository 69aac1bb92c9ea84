//! Runs code: once, or in contexts that keep their state, over a WebSocket.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message};
use axum::extract::{Path, State};
use bytes::Bytes;
use sandshell_providers::ExecuteRequest;
use sandshell_providers::posix::quote;
use serde_json::{Value, json};

use super::env::with_changes;
use super::{Daytona, HOME, absolute, error, failed};
use crate::contexts::{InterpreterOptions, Shown};
use crate::http::{HttpAnswer, LARGEST_MESSAGE, json, object};
use crate::kernel::{CodeEvent, with_advice};
use crate::process::OUTPUT_LIMIT;
use crate::time::rfc3339;
use crate::web_socket::{Socket, Upgrade};
use crate::world::Machine;

/// The default time limit for code in a context, in seconds.
const DEFAULT_SECONDS: u64 = 600;

/// The close code of a socket whose code took too long.
const TIMED_OUT: u16 = 4008;

/// The close code of a socket that got no request or an invalid one.
const REFUSED: u16 = 1008;

type DaytonaState = State<Arc<Daytona>>;

pub(super) async fn run(State(daytona): DaytonaState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "PROCESS_BAD_REQUEST", "the body is not JSON") };
    let Some(code) = body["code"].as_str() else {
        return error(400, "PROCESS_BAD_REQUEST", "code is required");
    };
    let (program, options) = match body["language"].as_str().unwrap_or("python") {
        "" | "python" => ("python3", None),
        "javascript" => ("node", Some("-")),
        "typescript" => ("node", Some("--experimental-strip-types --input-type=module-typescript -")),
        other => {
            let message = format!("code in {other:?}: not emulated by sandshell");
            return error(501, "NOT_IMPLEMENTED", &message);
        }
    };
    let words = body["argv"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let arguments: Vec<String> = words.map(quote).collect();
    let arguments = arguments.join(" ");
    let seconds = body["timeout"].as_u64().unwrap_or(0);
    let mut request = match options {
        None => ExecuteRequest::new(format!("exec {program} -u -c {} {arguments}", quote(code))),
        // Arguments begin at the third word, as after the name of a script file.
        Some(options) => {
            ExecuteRequest::new(format!("exec {program} {options} {arguments}")).stdin(code.to_owned())
        }
    };
    request = request.cwd(HOME).timeout(Duration::from_secs(seconds)).max_output(OUTPUT_LIMIT);
    request.env.extend(crate::http::strings(&body["envs"]));
    let answer = match machine.sandbox.execute(with_changes(&machine, request)).await {
        Ok(answer) => answer,
        Err(error) => return failed(&error),
    };
    if answer.timed_out {
        return error(408, "PROCESS_EXECUTION_TIMEOUT", "code execution timeout");
    }
    // Pass on the sandbox's own message: it says which pack to build, or that there is no such command.
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let is_missing = ["not installed in this sandbox", "command not found", "not found"];
    if answer.exit_code == Some(127)
        && stderr.contains(&format!("{program}: "))
        && is_missing.iter().any(|words| stderr.contains(words))
    {
        let language = body["language"].as_str().unwrap_or("python");
        let message = format!("code in {language} needs the command {program}: {}", stderr.trim());
        let message = if program == "python3" { with_advice(&message) } else { message };
        return error(501, "NOT_IMPLEMENTED", &message);
    }
    let result = String::from_utf8_lossy(&answer.output);
    json(
        200,
        &json!({"exitCode": answer.exit_code.unwrap_or(-1), "result": result, "artifacts": {"charts": []}}),
    )
}

/// The options with which a sandbox's contexts start.
fn interpreter_options(machine: &Machine, cwd: &str) -> InterpreterOptions {
    InterpreterOptions { cwd: absolute(cwd), env: with_changes(machine, ExecuteRequest::new("")).env }
}

pub(super) async fn create(State(daytona): DaytonaState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "PROCESS_BAD_REQUEST", "the body is not JSON") };
    let options = interpreter_options(&machine, body["cwd"].as_str().unwrap_or_default());
    match machine.contexts.create(&machine.sandbox, options).await {
        Ok(context) => json(200, &described(&context)),
        Err(error) => failed(&error),
    }
}

pub(super) async fn list(State(daytona): DaytonaState, Path(id): Path<String>) -> HttpAnswer {
    match daytona.reach(&id) {
        Ok(machine) => {
            let all = machine.contexts.list(|| interpreter_options(&machine, HOME)).await;
            let own: Vec<Value> = all.iter().filter(|context| !context.is_default).map(described).collect();
            json(200, &json!({"contexts": own}))
        }
        Err(answer) => answer,
    }
}

pub(super) async fn remove(
    State(daytona): DaytonaState,
    Path((id, context)): Path<(String, String)>,
) -> HttpAnswer {
    match daytona.reach(&id) {
        Ok(machine) if machine.contexts.remove(&context).await => {
            json(200, &json!({"message": "context deleted successfully"}))
        }
        Ok(_) => error(404, "PROCESS_CONTEXT_NOT_FOUND", &format!("context {context} not found")),
        Err(answer) => answer,
    }
}

fn described(context: &Shown) -> Value {
    json!({
        "id": context.id,
        "language": "python",
        "cwd": context.cwd,
        "active": true,
        "createdAt": rfc3339(context.created),
    })
}

pub(super) async fn connect(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    upgrade: Upgrade,
) -> HttpAnswer {
    match daytona.reach(&id) {
        Ok(machine) => upgrade.largest(LARGEST_MESSAGE).begin(move |socket| serve(machine, socket), || {}),
        Err(answer) => answer,
    }
}

/// Handles one request: sends the events of the code, and closes the socket.
async fn serve(machine: Arc<Machine>, mut socket: Socket) {
    let request = loop {
        match socket.recv().await {
            Some(Ok(Message::Text(text))) => break object(text.as_bytes()),
            Some(Ok(Message::Binary(data))) => break object(&data),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_)) | Err(_)) | None => return,
        }
    };
    let (code, reason) = match request {
        Some(request) if request["code"].is_string() => answer(&machine, &request, &mut socket).await,
        _ => (REFUSED, "code is required".to_owned()),
    };
    let mut reason = reason;
    // A close reason has at most 123 bytes.
    reason.truncate(reason.floor_char_boundary(120));
    drop(socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await);
}

async fn answer(machine: &Arc<Machine>, request: &Value, socket: &mut Socket) -> (u16, String) {
    let id = request["contextId"].as_str().filter(|id| !id.is_empty() && *id != "default");
    let kernel =
        match machine.contexts.kernel(&machine.sandbox, id, || interpreter_options(machine, HOME)).await {
            Ok(Some(kernel)) => kernel,
            Ok(None) => return (REFUSED, format!("context {} not found", id.unwrap_or_default())),
            Err(error) => return (1011, error.to_string()),
        };
    let seconds = match request["timeout"].as_u64() {
        // Zero means no limit.
        Some(0) => u64::from(u32::MAX),
        seconds => seconds.unwrap_or(DEFAULT_SECONDS),
    };
    let mut events = kernel.run(request["code"].as_str().unwrap_or_default(), &request["envs"]);
    let time_is_up = tokio::time::sleep(Duration::from_secs(seconds));
    tokio::pin!(time_is_up);
    loop {
        let what = tokio::select! {
            what = events.recv() => what,
            // If the client goes away, the code is stopped.
            message = socket.recv() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return (1000, String::new()),
                Some(Ok(_)) => continue,
            },
            () = &mut time_is_up => return (TIMED_OUT, "Execution timed out".to_owned()),
        };
        let chunk = match what {
            Some(CodeEvent::Stdout(text)) => json!({"type": "stdout", "text": text}),
            Some(CodeEvent::Stderr(text)) => json!({"type": "stderr", "text": text}),
            // Leaving with `exit()` is no error.
            Some(CodeEvent::Raised { name, .. }) if name == "SystemExit" => continue,
            Some(CodeEvent::Raised { name, value, traceback }) => {
                json!({"type": "error", "name": name, "value": value, "traceback": traceback})
            }
            // Only notebooks show values.
            Some(CodeEvent::Begun(_) | CodeEvent::Shown { .. }) => continue,
            Some(CodeEvent::End) => {
                drop(
                    socket
                        .send(Message::text(json!({"type": "control", "text": "completed"}).to_string()))
                        .await,
                );
                return (1000, String::new());
            }
            None => return (1011, "the interpreter ended while the code ran; its state is lost".to_owned()),
        };
        if socket.send(Message::text(chunk.to_string())).await.is_err() {
            return (1000, String::new());
        }
    }
}
