//! `TaskCommandRouter`: commands of one sandbox, their streams, and snapshots.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use sandshell_modal::Empty;
use sandshell_modal::router::{
    ExecRequest, ExitResponse, SandboxStdinWriteV2Request, SandboxStdioReadV2Request,
    SandboxWaitUntilReadyResponse, StdinPayload, TaskExecStartRequest, TaskExecStdinWriteRequest,
    TaskExecStdinWriteStreamRequest, TaskExecStdioReadRequest, TaskSnapshotFilesystemRequest,
    TaskSnapshotFilesystemResponse,
};
use sandshell_providers::OutputStream;

use super::exec::{self, Exec, MAIN};
use super::grpc::{
    Called, FAILED_PRECONDITION, INVALID_ARGUMENT, Messages, NOT_FOUND, Status, UNIMPLEMENTED, answer, read,
    stream,
};
use super::tool::Tool;
use super::{Known, Modal, ModalState, wire};
use crate::http::HttpAnswer;

/// How long the result of a file operation is kept for clients that ask again.
const REMEMBERED: Duration = Duration::from_secs(60);

/// How many commands there are before it is looked for those that nobody asks for any more.
const MOST_EXECS: usize = 10_000;

/// How long one call waits at most for the end of a command.
const LONGEST_WAIT: Duration = Duration::from_secs(55);

pub(super) async fn call(
    State(modal): ModalState,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> HttpAnswer {
    if let Err(status) = modal.authorize_commands(&headers) {
        return answer::<Empty>(Err(status));
    }
    let body = match wire::checked(&method, body).await {
        Ok(body) => body,
        Err(status) => return answer::<Empty>(Err(status)),
    };
    match method.as_str() {
        "TaskExecStart" => answer(start(&modal, body).await),
        "TaskExecPoll" => answer(poll(&modal, body).await),
        "TaskExecWait" => answer(wait(&modal, body).await),
        "TaskExecStdinWrite" => answer(write(&modal, body).await),
        "TaskExecStdinWriteStream" => answer(write_stream(&modal, body).await),
        "TaskExecStdioRead" => match read::<TaskExecStdioReadRequest>(body).await {
            Ok(request) => {
                let exec = modal.exec(&request.task_id, &request.exec_id);
                output(exec, request.file_descriptor, request.offset)
            }
            Err(status) => answer::<Empty>(Err(status)),
        },
        "SandboxStdioReadV2" => match read::<SandboxStdioReadV2Request>(body).await {
            Ok(request) => {
                output(modal.exec(&request.task_id, MAIN), request.file_descriptor, request.offset)
            }
            Err(status) => answer::<Empty>(Err(status)),
        },
        "SandboxStdinWriteV2" => answer(write_main(&modal, body).await),
        "SandboxWaitUntilReady" => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            answer(Ok(SandboxWaitUntilReadyResponse { ready_at: now.as_secs_f64() }))
        }
        "TaskSnapshotFilesystem" => answer(snapshot(&modal, body).await),
        _ => answer::<Empty>(Err(Status(UNIMPLEMENTED, format!("{method}: not emulated by sandshell")))),
    }
}

/// Starts a command. A repeated id refers to the same command.
async fn start(modal: &Arc<Modal>, body: Body) -> Called<Empty> {
    let request: TaskExecStartRequest = read(body).await?;
    let machine = modal.of_task(&request.task_id)?;
    if request.command_args.is_empty() {
        return Err(Status(INVALID_ARGUMENT, "a command has at least one word".to_owned()));
    }
    let mut env = request.env.clone();
    env.extend(modal.variables(&request.secret_sources, &request.secret_ids)?);
    let key = (request.task_id.clone(), request.exec_id.clone());
    let mut state = modal.state.lock();
    modal.forget(&mut state);
    let started = match state.execs.entry(key.clone()) {
        Entry::Occupied(_) => None,
        Entry::Vacant(place) => Some(place.insert(exec::start(&machine, &request, env)).clone()),
    };
    drop(state);
    if let Some(tool) = started.as_ref().and_then(Exec::tool) {
        tokio::spawn(forget_later(modal.clone(), key, tool.clone()));
    }
    exec::touch(&machine);
    Ok(Empty {})
}

async fn poll(modal: &Modal, body: Body) -> Called<ExitResponse> {
    let request: ExecRequest = read(body).await?;
    Ok(ExitResponse { exit_status: modal.exec(&request.task_id, &request.exec_id)?.status() })
}

/// Waits for the end of a command, for a limited time.
async fn wait(modal: &Modal, body: Body) -> Called<ExitResponse> {
    let request: ExecRequest = read(body).await?;
    let exec = modal.exec(&request.task_id, &request.exec_id)?;
    let exit_status = tokio::time::timeout(LONGEST_WAIT, exec.ended()).await.ok();
    Ok(ExitResponse { exit_status })
}

async fn write(modal: &Modal, body: Body) -> Called<Empty> {
    let request: TaskExecStdinWriteRequest = read(body).await?;
    let exec = modal.exec(&request.task_id, &request.exec_id)?;
    feed(&exec, request.offset, request.data, request.eof).await
}

async fn write_main(modal: &Modal, body: Body) -> Called<Empty> {
    let request: SandboxStdinWriteV2Request = read(body).await?;
    let exec = modal.exec(&request.task_id, MAIN)?;
    feed(&exec, request.offset, request.data, request.eof).await
}

async fn feed(exec: &Exec, offset: u64, data: Vec<u8>, eof: bool) -> Called<Empty> {
    if !exec.input(offset, data).await? {
        return Err(Status(FAILED_PRECONDITION, "standard input is closed".to_owned()));
    }
    if eof {
        exec.close_input().await;
    }
    Ok(Empty {})
}

async fn write_stream(modal: &Modal, body: Body) -> Called<Empty> {
    let mut messages = Messages::new(body);
    let (mut target, mut offset) = (None, 0_u64);
    while let Some(message) = messages.next::<TaskExecStdinWriteStreamRequest>().await? {
        match (message.payload, &target) {
            (Some(StdinPayload::Start(start)), _) => {
                offset = start.offset;
                target = Some(modal.exec(&start.task_id, &start.exec_id)?);
            }
            (Some(StdinPayload::Data(data)), Some(exec)) => {
                let length = data.len() as u64;
                let written = exec.input(offset, data).await?;
                offset = offset.saturating_add(length);
                if !written {
                    return Err(Status(FAILED_PRECONDITION, "standard input is closed".to_owned()));
                }
            }
            (Some(StdinPayload::End(_)), Some(exec)) => exec.close_input().await,
            (_, None) => return Err(Status(FAILED_PRECONDITION, "the stream has not begun".to_owned())),
            (None, _) => {}
        }
    }
    Ok(Empty {})
}

fn output(exec: Called<Exec>, descriptor: i32, offset: u64) -> HttpAnswer {
    let exec = match exec {
        Ok(exec) => exec,
        Err(status) => return answer::<Empty>(Err(status)),
    };
    let which = if descriptor == 0 { OutputStream::Stdout } else { OutputStream::Stderr };
    let (sender, answer) = stream();
    tokio::spawn(async move { exec.follow(which, offset, sender).await });
    answer
}

/// Takes a snapshot. A repeated id refers to the same snapshot.
async fn snapshot(modal: &Arc<Modal>, body: Body) -> Called<TaskSnapshotFilesystemResponse> {
    let request: TaskSnapshotFilesystemRequest = read(body).await?;
    let machine = modal.of_task(&request.task_id)?;
    // Clients choose these ids, and two may choose the same one for different sandboxes.
    let key = format!("{}/{}", machine.id, request.snapshot_id);
    if let Some(image) = modal.state.lock().snapshots.get(&key) {
        return Ok(TaskSnapshotFilesystemResponse { image_id: image.clone() });
    }
    let image_id = modal.save_as_image(&machine).await?;
    if !request.snapshot_id.is_empty() {
        let mut state = modal.state.lock();
        state.room_for(key.len())?;
        state.snapshots.insert(key, image_id.clone());
    }
    Ok(TaskSnapshotFilesystemResponse { image_id })
}

/// Forgets a file operation some time after its end. It may hold a whole file.
async fn forget_later(modal: Arc<Modal>, key: (String, String), tool: Arc<Tool>) {
    tool.ended().await;
    drop(tool);
    tokio::time::sleep(REMEMBERED).await;
    modal.state.lock().execs.remove(&key);
}

impl Modal {
    /// Forgets commands that have ended in sandboxes that have ended, when there are many commands.
    fn forget(&self, state: &mut Known) {
        if state.execs.len() < state.most_execs.max(MOST_EXECS) {
            return;
        }
        state.execs.retain(|(task, _), exec| !exec.has_ended() || self.of_task(task).is_ok());
        state.most_execs = state.execs.len().saturating_mul(2);
    }

    fn exec(&self, task: &str, exec: &str) -> Called<Exec> {
        let found = self.state.lock().execs.get(&(task.to_owned(), exec.to_owned())).cloned();
        found.ok_or_else(|| Status(NOT_FOUND, format!("exec {exec:?} of {task} not found")))
    }
}
