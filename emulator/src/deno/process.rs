//! Commands.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};

use super::connection::{Called, Connection, Failure, text};
use super::{HOME, env};
use crate::http::strings;
use crate::process::{End, Event, Input, Process};
use crate::text::exit_code;

/// How long output is held back for a client that starts to listen late.
const LATENESS: Duration = Duration::from_millis(50);

const SIGKILL: u8 = 9;
const SIGTERM: u8 = 15;

/// Starts a command, answers the call, and sends the output.
pub(super) async fn spawn(connection: &Arc<Connection>, id: &Value, parameters: &Value) {
    let process = match start(connection, parameters).await {
        Ok(process) => process,
        Err(failure) => return connection.answer(id, Err(failure)).await,
    };
    let stream = |name: &str| (parameters[name] != json!("null")).then(|| connection.stream());
    let (stdout, stderr) = (stream("stdout"), stream("stderr"));
    let started = json!({"pid": process.pid, "stdoutStreamId": stdout, "stderrStreamId": stderr});
    connection.answer(id, Ok(started)).await;
    if let Some(input) = parameters["stdinStreamId"].as_u64().and_then(|id| connection.streams.reader(id)) {
        tokio::spawn(feed(process.clone(), input));
    }
    follow(connection, &process, stdout, stderr).await;
}

async fn start(connection: &Connection, parameters: &Value) -> Result<Arc<Process>, Failure> {
    let machine = &connection.machine;
    let command = text(parameters, "command")?;
    let mut words = vec![quote(command)];
    words.extend(parameters["args"].as_array().into_iter().flatten().filter_map(Value::as_str).map(quote));
    let cwd = match parameters["cwd"].as_str() {
        Some(cwd) if cwd.starts_with('/') => cwd.to_owned(),
        Some(cwd) => format!("{HOME}/{cwd}"),
        None => HOME.to_owned(),
    };
    let clear = if parameters["clearEnv"] == json!(true) { "env -i " } else { "" };
    let mut own = if clear.is_empty() { env::own(machine) } else { Default::default() };
    own.extend(strings(&parameters["env"]));
    // Look up the program in the command's directory, with its own `PATH`.
    let mut look = ExecuteRequest::new(format!("cd -- {} && command -v -- {}", quote(&cwd), quote(command)));
    if let Some(path) = own.get("PATH") {
        look = look.env("PATH", path);
    }
    let found = machine.sandbox.execute(look).await.map_err(|error| Failure::of(&error))?;
    if !found.success() {
        let message = format!("Failed to spawn {command:?}: No such file or directory");
        return Err(Failure::Thrown("NotFound", Some("ENOENT"), message));
    }
    let mut request = ExecuteRequest::new("").cwd(cwd);
    let mut assignments = String::new();
    for (name, value) in own {
        if clear.is_empty() {
            request = request.env(name, value);
        } else {
            assignments += &format!("{} ", quote(&format!("{name}={value}")));
        }
    }
    request.command = format!("exec {clear}{assignments}{}", words.join(" "));
    Ok(machine.start(request, Input::written(parameters["stdinStreamId"].is_u64())))
}

async fn feed(process: Arc<Process>, mut input: tokio::sync::mpsc::UnboundedReceiver<super::streams::Piece>) {
    while let Some(Ok((data, _room))) = input.recv().await {
        match process.input(data).await {
            Ok(true) => {}
            Ok(false) => return,
            // What does not arrive must not look as if it had: the command is ended.
            Err(_) => {
                process.kill(SIGKILL);
                return;
            }
        }
    }
    process.close_input().await;
}

async fn follow(connection: &Connection, process: &Arc<Process>, stdout: Option<u64>, stderr: Option<u64>) {
    if connection.late {
        tokio::time::sleep(LATENESS).await;
    }
    let both = [stdout, stderr];
    for id in both.into_iter().flatten() {
        connection.notify("$sandbox.stream.start", json!({"streamId": id})).await;
    }
    let mut follower = process.follow();
    while let Event::Chunk(chunk) = follower.next().await {
        let id = match chunk.stream {
            OutputStream::Stdout => stdout,
            OutputStream::Stderr => stderr,
        };
        if let Some(id) = id {
            let data = BASE64_STANDARD.encode(&chunk.data);
            connection.notify("$sandbox.stream.enqueue", json!({"streamId": id, "data": data})).await;
        }
    }
    for id in both.into_iter().flatten() {
        connection.notify("$sandbox.stream.end", json!({"streamId": id})).await;
    }
}

/// Waits for the end of a command.
pub(super) async fn wait(connection: &Connection, parameters: &Value) -> Called {
    let end = process(connection, parameters)?.ended().await;
    if let End::Failed(error) = &end {
        return Err(Failure::of(error));
    }
    let signal = match &end {
        End::Killed(SIGKILL) => Some("SIGKILL"),
        End::Killed(_) => Some("SIGTERM"),
        _ => None,
    };
    let code = exit_code(&end);
    Ok(json!({"success": code == 0, "code": code, "signal": signal, "oom": null}))
}

pub(super) fn kill(connection: &Connection, parameters: &Value) -> Called {
    let signal = match parameters["signal"].as_str() {
        Some("SIGKILL") => SIGKILL,
        None | Some("SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT") => SIGTERM,
        Some(other) => {
            return Err(Failure::Thrown("TypeError", None, format!("the signal {other} is not emulated")));
        }
    };
    match process(connection, parameters)?.kill(signal) {
        true => Ok(Value::Null),
        false => Err(gone()),
    }
}

fn process(connection: &Connection, parameters: &Value) -> Result<Arc<Process>, Failure> {
    let pid = parameters["pid"].as_u64();
    pid.and_then(|pid| connection.machine.process(pid)).ok_or_else(gone)
}

fn gone() -> Failure {
    Failure::Thrown("TypeError", Some("ENOENT"), "the process has ended".to_owned())
}
