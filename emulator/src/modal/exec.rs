//! Commands: those of the sandbox's shell, and those of Modal's file tool.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sandshell_modal::control::GenericStatus;
use sandshell_modal::router::{ExitStatus, PIPE, TaskExecStartRequest};
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, OutputStream};

use super::grpc::{RESOURCE_EXHAUSTED, Sender, Status};
use super::tool::Tool;
use super::{Modal, task};
use crate::process::{End, Event, Input, Process};
use crate::room::{self, Full, Room, SHORT};
use crate::text::exit_code;
use crate::time::after;
use crate::world::Machine;

/// The id of the sandbox's own command.
pub(super) const MAIN: &str = "";

/// The largest piece in which a stream is sent.
const PIECE: usize = 64 << 10;

/// A command.
#[derive(Clone)]
pub(super) struct Exec {
    what: What,
    /// Whether standard output, and standard error, are kept.
    kept: [bool; 2],
    /// How many bytes of standard input have arrived.
    written: Arc<tokio::sync::Mutex<u64>>,
}

#[derive(Clone)]
enum What {
    Process(Arc<Process>),
    Tool(Arc<Tool>),
}

/// Starts the command of a request.
pub(super) fn start(
    machine: &Arc<Machine>,
    request: &TaskExecStartRequest,
    env: impl IntoIterator<Item = (String, String)>,
) -> Exec {
    let what = match Tool::start(machine, &request.command_args) {
        Some(tool) => What::Tool(tool),
        None => What::Process(process(machine, request, env)),
    };
    let kept = [request.stdout_config == PIPE, request.stderr_config == PIPE];
    Exec { what, kept, written: Arc::default() }
}

fn process(
    machine: &Arc<Machine>,
    request: &TaskExecStartRequest,
    env: impl IntoIterator<Item = (String, String)>,
) -> Arc<Process> {
    let mut run = ExecuteRequest::new(line(&request.command_args));
    run.cwd = request.workdir.clone().or_else(|| workdir(machine));
    run.env = env.into_iter().collect();
    let seconds = request.timeout_secs.filter(|seconds| *seconds > 0);
    run.timeout = Some(seconds.map_or(Duration::ZERO, |seconds| Duration::from_secs(seconds.into())));
    machine.start(run, Input::Written)
}

/// Runs the sandbox's own command. The sandbox ends with it.
pub(super) fn main(modal: &Arc<Modal>, machine: &Arc<Machine>, words: &[String]) {
    let mut run = ExecuteRequest::new(line(words)).timeout(Duration::ZERO);
    run.cwd = workdir(machine);
    let process = machine.start(run, Input::Written);
    let exec = Exec { what: What::Process(process.clone()), kept: [true, true], written: Arc::default() };
    modal.state.lock().execs.insert((task::id(&machine.id), MAIN.to_owned()), exec);
    let (modal, id) = (modal.clone(), machine.id.clone());
    tokio::spawn(async move {
        let code = exit_code(&process.ended().await);
        let status = if code == 0 { GenericStatus::Success } else { GenericStatus::Failure };
        // If the sandbox was terminated, its result is already recorded.
        if modal.world.get(&id).is_some() {
            drop(modal.finish(&id, task::ended(status, code)).await);
        }
    });
}

fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
    format!("exec {}", words.join(" "))
}

fn workdir(machine: &Machine) -> Option<String> {
    machine.status().extra["workdir"].as_str().map(str::to_owned)
}

/// Restarts the idle timeout, and makes it wait for running commands.
pub(super) fn touch(machine: &Arc<Machine>) {
    let extra = machine.status().extra;
    let (Some(idle), Some(timeout)) = (extra["idle"].as_u64(), extra["timeout"].as_u64()) else { return };
    let end = machine.created + Duration::from_secs(timeout);
    machine.change(|status| status.deadline = Some(end));
    let machine = machine.clone();
    tokio::spawn(async move {
        for process in machine.running() {
            process.ended().await;
        }
        if machine.running().is_empty() {
            machine.change(|status| status.deadline = Some(end.min(after(idle))));
        }
    });
}

impl Exec {
    /// The run of the file tool that it is.
    pub(super) fn tool(&self) -> Option<&Arc<Tool>> {
        match &self.what {
            What::Tool(tool) => Some(tool),
            What::Process(_) => None,
        }
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        match &self.what {
            What::Process(process) => process.end().is_some(),
            What::Tool(tool) => tool.code().is_some(),
        }
    }

    /// Writes to standard input from an offset on; bytes that were already sent are not written again. Returns
    /// false if nobody reads.
    pub(super) async fn input(&self, offset: u64, mut data: Vec<u8>) -> Result<bool, Full> {
        // It may wait for what was written before.
        let _room = if data.len() > SHORT { Some(Room::now(room::What::Pieces, data.len())?) } else { None };
        let mut written = self.written.lock().await;
        let again = usize::try_from(written.saturating_sub(offset)).unwrap_or(usize::MAX);
        data.drain(..again.min(data.len()));
        let before = *written;
        // What is written is written to its end, even if the client does not wait for that; so it counts from now on.
        *written += data.len() as u64;
        if data.is_empty() {
            return Ok(true);
        }
        let done = match &self.what {
            What::Process(process) => process.input(Bytes::from(data)).await,
            What::Tool(tool) => tool.input(&data),
        };
        if done.is_err() {
            *written = before;
        }
        done
    }

    pub(super) async fn close_input(&self) {
        match &self.what {
            What::Process(process) => drop(process.close_input().await),
            What::Tool(tool) => tool.close_input(),
        }
    }

    /// How it ended; `None` while it runs.
    pub(super) fn status(&self) -> Option<ExitStatus> {
        match &self.what {
            What::Process(process) => process.end().as_ref().map(status),
            What::Tool(tool) => tool.code().map(ExitStatus::Code),
        }
    }

    pub(super) async fn ended(&self) -> ExitStatus {
        match &self.what {
            What::Process(process) => status(&process.ended().await),
            What::Tool(tool) => ExitStatus::Code(tool.ended().await.code),
        }
    }

    /// Sends a stream from an offset to its end.
    pub(super) async fn follow(&self, stream: OutputStream, mut offset: u64, sender: Sender) {
        let kept = match stream {
            OutputStream::Stdout => self.kept[0],
            OutputStream::Stderr => self.kept[1],
        };
        match &self.what {
            _ if !kept => {}
            What::Process(process) => {
                let mut follower = process.follow();
                let end = loop {
                    match follower.next().await {
                        Event::Chunk(chunk) => {
                            if chunk.stream == stream && !send(&sender, chunk.data, &mut offset).await {
                                return;
                            }
                        }
                        Event::End(end) => break end,
                    }
                };
                // What was forgotten must not look as if there had been nothing.
                if let End::Failed(error) = &end
                    && process.is_forgotten()
                {
                    let gone = Status(RESOURCE_EXHAUSTED, error.to_string());
                    return sender.fail(&gone).await;
                }
            }
            What::Tool(tool) => {
                let done = tool.ended().await;
                let data = if stream == OutputStream::Stdout { done.stdout } else { done.stderr };
                if !send(&sender, data, &mut offset).await {
                    return;
                }
            }
        }
        sender.end().await;
    }
}

/// Sends the data after skipping `offset` bytes, and reduces `offset` by what was skipped.
async fn send(sender: &Sender, mut data: Bytes, offset: &mut u64) -> bool {
    let skipped = usize::try_from(*offset).unwrap_or(usize::MAX).min(data.len());
    *offset -= skipped as u64;
    drop(data.split_to(skipped));
    while !data.is_empty() {
        let piece = data.split_to(data.len().min(PIECE)).to_vec();
        if !sender.send(&sandshell_modal::router::DataResponse { data: piece }).await {
            return false;
        }
    }
    true
}

fn status(end: &End) -> ExitStatus {
    match end {
        End::Killed(signal) => ExitStatus::Signal(i32::from(*signal)),
        // After a timeout, the command was killed.
        End::TimedOut => ExitStatus::Signal(9),
        other => ExitStatus::Code(exit_code(other)),
    }
}
