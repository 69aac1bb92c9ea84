//! Commands, alone or in sessions.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message};
use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};
use serde_json::{Value, json};

use super::env::with_changes;
use super::{Daytona, absolute, error, failed};
use crate::http::{HttpAnswer, Query, empty, json, object};
use crate::ids::{random_id, random_uuid};
use crate::process::{End, Event, Input, OUTPUT_LIMIT, Process};
use crate::room::SHORT;
use crate::web_socket::{Socket, Upgrade};
use crate::world::Machine;

/// The default time limit of a command that runs alone, in seconds.
const DEFAULT_SECONDS: u64 = 10;

/// How many commands of a session are remembered. Running ones are never forgotten.
const MOST_COMMANDS: usize = 1000;

/// A series of commands.
pub(super) struct Session {
    /// The file that passes a command's environment on to the next one.
    state: String,
    commands: Vec<Command>,
}

#[derive(Clone)]
struct Command {
    id: String,
    text: String,
    process: Arc<Process>,
}

type DaytonaState = State<Arc<Daytona>>;

pub(super) async fn execute(State(daytona): DaytonaState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "PROCESS_BAD_REQUEST", "the body is not JSON") };
    let Some(command) = body["command"].as_str().filter(|command| !command.is_empty()) else {
        return error(400, "PROCESS_BAD_REQUEST", "command is required");
    };
    let mut request = ExecuteRequest::new(command).cwd(absolute(body["cwd"].as_str().unwrap_or_default()));
    for (name, value) in body["envs"].as_object().into_iter().flatten() {
        request = request.env(name, value.as_str().unwrap_or_default());
    }
    let seconds = body["timeout"].as_u64().unwrap_or(DEFAULT_SECONDS);
    let request = request.timeout(Duration::ZERO).max_output(OUTPUT_LIMIT);
    // Processes that the command leaves in the background are not subject to its time limit.
    let time = Duration::from_secs(if seconds == 0 { u64::MAX } else { seconds });
    match tokio::time::timeout(time, machine.sandbox.execute(with_changes(&machine, request))).await {
        Err(_) => error(408, "PROCESS_EXECUTION_TIMEOUT", "command execution timeout"),
        Ok(Ok(answer)) => {
            let result = String::from_utf8_lossy(&answer.output);
            json(200, &json!({"exitCode": answer.exit_code.unwrap_or(-1), "result": result}))
        }
        Ok(Err(error)) => failed(&error),
    }
}

pub(super) async fn create(State(daytona): DaytonaState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "PROCESS_BAD_REQUEST", "the body is not JSON") };
    let Some(session) = body["sessionId"].as_str().filter(|session| !session.is_empty()) else {
        return error(400, "PROCESS_BAD_REQUEST", "sessionId is required");
    };
    let mut sessions = daytona.sessions.lock();
    let key = (machine.id.clone(), session.to_owned());
    if sessions.contains_key(&key) {
        return error(409, "PROCESS_SESSION_EXISTS", "session already exists");
    }
    let state = format!("/tmp/.session-{}", random_id(16));
    sessions.insert(key, Session { state, commands: Vec::new() });
    empty(201)
}

pub(super) async fn list(State(daytona): DaytonaState, Path(id): Path<String>) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let sessions = daytona.sessions.lock();
    let own = sessions.iter().filter(|((sandbox, _), _)| *sandbox == machine.id);
    json(200, &Value::Array(own.map(|((_, id), session)| session.shown(id)).collect()))
}

pub(super) async fn get(
    State(daytona): DaytonaState,
    Path((id, session)): Path<(String, String)>,
) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    match daytona.sessions.lock().get(&(machine.id.clone(), session.clone())) {
        Some(found) => json(200, &found.shown(&session)),
        None => no_session(),
    }
}

pub(super) async fn delete(
    State(daytona): DaytonaState,
    Path((id, session)): Path<(String, String)>,
) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let removed = daytona.sessions.lock().remove(&(machine.id.clone(), session));
    let Some(removed) = removed else { return no_session() };
    for command in &removed.commands {
        command.process.kill(9);
    }
    drop(machine.sandbox.execute(ExecuteRequest::new(format!("rm -f {}", removed.state))).await);
    empty(204)
}

pub(super) async fn exec(
    State(daytona): DaytonaState,
    Path((id, session)): Path<(String, String)>,
    body: Bytes,
) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "PROCESS_BAD_REQUEST", "the body is not JSON") };
    let Some(text) = body["command"].as_str().filter(|command| !command.is_empty()) else {
        return error(400, "PROCESS_BAD_REQUEST", "command is required");
    };
    let waits = body["runAsync"] != json!(true) && body["async"] != json!(true);
    // Nobody can write to a command that the call waits for. The input of other commands never ends.
    let input = if waits { Input::Given } else { Input::Endless };
    let command = {
        let mut sessions = daytona.sessions.lock();
        let Some(session) = sessions.get_mut(&(machine.id.clone(), session)) else { return no_session() };
        let request = ExecuteRequest::new(carried_on(text, &session.state));
        let process = machine.start(with_changes(&machine, request), input);
        let command = Command { id: random_uuid(), text: text.to_owned(), process };
        session.commands.push(command.clone());
        if session.commands.len() > MOST_COMMANDS {
            let oldest = session.commands.iter().position(|command| command.process.end().is_some());
            oldest.map(|oldest| session.commands.remove(oldest));
        }
        command
    };
    if !waits {
        return json(202, &json!({"cmdId": command.id}));
    }
    let end = command.process.ended().await;
    let mut answer = output(&command.process);
    answer["cmdId"] = json!(command.id);
    answer["exitCode"] = json!(exit_code(&end));
    json(200, &answer)
}

/// Wraps a command in code that restores the state after the previous one and saves its own.
fn carried_on(text: &str, state: &str) -> String {
    let keep = format!("{{ printf 'cd -- %q\\n' \"$PWD\"; export -p; declare -f; }} > {state} 2>/dev/null");
    format!("[ -f {state} ] && . {state}\ntrap {} EXIT\n{text}", quote(&keep))
}

pub(super) async fn command(
    State(daytona): DaytonaState,
    Path((id, session, command)): Path<(String, String, String)>,
) -> HttpAnswer {
    match find(&daytona, &id, &session, &command) {
        Ok((_, command)) => json(200, &command.shown()),
        Err(answer) => answer,
    }
}

pub(super) async fn logs(
    State(daytona): DaytonaState,
    Path((id, session, command)): Path<(String, String, String)>,
    RawQuery(query): RawQuery,
    upgrade: Result<Upgrade, WebSocketUpgradeRejection>,
) -> HttpAnswer {
    let command = match find(&daytona, &id, &session, &command) {
        Ok((_, command)) => command,
        Err(answer) => return answer,
    };
    match (Query::new(query.as_deref()).get("follow") == Some("true"), upgrade) {
        (true, Ok(upgrade)) => {
            upgrade.largest(SHORT).begin(move |socket| follow(command.process, socket), || {})
        }
        (true, Err(_)) => error(400, "PROCESS_BAD_REQUEST", "logs are followed over a WebSocket"),
        (false, _) => json(200, &output(&command.process)),
    }
}

/// Sends output as it arrives, to its end. Three bytes before each piece say which stream it belongs to.
async fn follow(process: Arc<Process>, mut socket: Socket) {
    let mut follower = process.follow();
    loop {
        let next = tokio::select! {
            next = follower.next() => next,
            message = socket.recv() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
        };
        let Event::Chunk(chunk) = next else { break };
        let mark = if chunk.stream == OutputStream::Stdout { [1; 3] } else { [2; 3] };
        if socket.send(Message::Binary([&mark[..], &chunk.data].concat().into())).await.is_err() {
            return;
        }
    }
    let end = CloseFrame { code: 1000, reason: "".into() };
    drop(socket.send(Message::Close(Some(end))).await);
}

pub(super) async fn input(
    State(daytona): DaytonaState,
    Path((id, session, command)): Path<(String, String, String)>,
    body: Bytes,
) -> HttpAnswer {
    let command = match find(&daytona, &id, &session, &command) {
        Ok((_, command)) => command,
        Err(answer) => return answer,
    };
    let Some(asked) = object(&body) else { return error(400, "PROCESS_BAD_REQUEST", "the body is not JSON") };
    // Others wait for its room, and the command may never read.
    drop(body);
    let mut data = asked["data"].as_str().unwrap_or_default().to_owned();
    if !data.ends_with('\n') {
        data.push('\n');
    }
    match command.process.input(data.into()).await {
        Ok(true) => empty(204),
        Ok(false) => error(410, "PROCESS_COMMAND_COMPLETED", "command is already completed"),
        Err(full) => error(503, "PROCESS_UNAVAILABLE", &full.to_string()),
    }
}

fn find(
    daytona: &Daytona,
    id: &str,
    session: &str,
    command: &str,
) -> Result<(Arc<Machine>, Command), HttpAnswer> {
    let machine = daytona.reach(id)?;
    let sessions = daytona.sessions.lock();
    let session = sessions.get(&(machine.id.clone(), session.to_owned())).ok_or_else(no_session)?;
    let found = session.commands.iter().find(|own| own.id == command).cloned();
    let missing = || error(404, "PROCESS_COMMAND_NOT_FOUND", "command not found");
    Ok((machine, found.ok_or_else(missing)?))
}

fn no_session() -> HttpAnswer {
    error(404, "PROCESS_SESSION_NOT_FOUND", "session not found")
}

impl Session {
    fn shown(&self, id: &str) -> Value {
        let commands: Vec<Value> = self.commands.iter().map(Command::shown).collect();
        json!({"sessionId": id, "commands": commands})
    }
}

impl Command {
    fn shown(&self) -> Value {
        let mut body = json!({"id": self.id, "command": self.text});
        if let Some(end) = self.process.end() {
            body["exitCode"] = json!(exit_code(&end));
        }
        body
    }
}

fn output(process: &Process) -> Value {
    let (mut output, mut stdout, mut stderr) = (Vec::new(), Vec::new(), Vec::new());
    for chunk in process.chunks() {
        output.extend_from_slice(&chunk.data);
        let stream = if chunk.stream == OutputStream::Stdout { &mut stdout } else { &mut stderr };
        stream.extend_from_slice(&chunk.data);
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    json!({"output": text(&output), "stdout": text(&stdout), "stderr": text(&stderr)})
}

fn exit_code(end: &End) -> i32 {
    match end {
        End::Exited(code) => *code,
        End::TimedOut => 124,
        End::Killed(signal) => 128 + i32::from(*signal),
        End::Failed(_) => 1,
    }
}
