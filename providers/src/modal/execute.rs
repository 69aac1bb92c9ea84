//! Commands.

use std::time::Duration;

use bytes::Bytes;
use sandshell_modal::Empty;
use sandshell_modal::control::{SecretSource, Source, StringMap};
use sandshell_modal::router::{
    DataResponse, ExecRequest, ExitResponse, ExitStatus, PIPE, TaskExecStartRequest,
    TaskExecStdinWriteRequest, TaskExecStdioReadRequest,
};
use tokio::sync::mpsc;
use tonic::Status;

use super::api::failed;
use super::channel::{error, is_passing};
use super::sandbox::ModalSandbox;
use crate::cloud::{OutputBuffer, backoff, check_command, time_limit, unique};
use crate::{ErrorKind, ExecuteRequest, ExecuteResponse, FileSource, OutputSender, OutputStream, Result};

/// How long to wait for more output after the command has ended or should have ended.
const LINGER: Duration = Duration::from_secs(2);

/// The size of the pieces in which standard input is sent.
const PIECE: usize = 1 << 20;

pub(super) async fn execute(
    sandbox: &ModalSandbox,
    request: ExecuteRequest,
    sender: Option<OutputSender>,
) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let mut output = OutputBuffer::new(&request, sender);
    let timeout = time_limit(&request);
    let exec = Exec::start(sandbox, &request, timeout).await?;
    let follow = exec.follow(Input::Whole(request.stdin.unwrap_or_default()), &mut output);
    let Some(timeout) = timeout else {
        return Ok({
            let status = follow.await?;
            output.ended(status)
        });
    };
    match tokio::time::timeout(timeout, follow).await {
        Ok(status) => {
            let status = status?;
            Ok(output.ended(status))
        }
        Err(_) => Ok(output.timed_out()),
    }
}

/// Standard input.
pub(super) enum Input {
    Whole(Bytes),
    Pieces(FileSource),
}

impl Input {
    /// None at all.
    pub(super) const NONE: Self = Self::Whole(Bytes::new());

    /// The next piece, and whether it is the last.
    async fn next(&mut self) -> Result<(Bytes, bool)> {
        match self {
            Self::Whole(rest) => {
                let piece = rest.split_to(rest.len().min(PIECE));
                Ok((piece, rest.is_empty()))
            }
            Self::Pieces(source) => match source.recv().await {
                None => Ok((Bytes::new(), true)),
                Some(Ok(piece)) => Ok((piece, false)),
                Some(Err(error)) => {
                    Err(failed(ErrorKind::Unavailable, "the content cannot be read").with_source(error))
                }
            },
        }
    }
}

/// Receives output.
pub(super) trait Output: Send {
    /// Adds a piece; returns whether more is wanted.
    fn push(&mut self, stream: OutputStream, data: Bytes) -> impl Future<Output = bool> + Send;
}

impl Output for OutputBuffer {
    async fn push(&mut self, stream: OutputStream, data: Bytes) -> bool {
        Self::push(self, stream, data).await;
        true
    }
}

/// A command of the sandbox.
pub(super) struct Exec<'a> {
    sandbox: &'a ModalSandbox,
    id: String,
}

impl<'a> Exec<'a> {
    async fn start(
        sandbox: &'a ModalSandbox,
        request: &ExecuteRequest,
        timeout: Option<Duration>,
    ) -> Result<Self> {
        let words = vec!["bash".to_owned(), "-c".to_owned(), request.command.clone()];
        let env = StringMap { contents: request.env.iter().cloned().collect() };
        let secret_sources = if request.env.is_empty() {
            Vec::new()
        } else {
            vec![SecretSource { source: Some(Source::Env(env)) }]
        };
        let start = TaskExecStartRequest {
            command_args: words,
            workdir: request.cwd.clone(),
            // In whole seconds, and later than the client's own timeout.
            timeout_secs: timeout.map(|time| u32::try_from(time.as_secs() + 1).unwrap_or(u32::MAX)),
            secret_sources,
            ..TaskExecStartRequest::default()
        };
        Self::run(sandbox, start).await
    }

    /// Starts any command.
    pub(super) async fn run(sandbox: &'a ModalSandbox, mut start: TaskExecStartRequest) -> Result<Self> {
        let id = unique();
        start.task_id.clone_from(&sandbox.task);
        start.exec_id.clone_from(&id);
        start.stdout_config = PIPE;
        start.stderr_config = PIPE;
        let deadline = Some(sandbox.api.options.client.deadline);
        let _: Empty = sandbox.call("TaskExecStart", start, deadline).await?;
        Ok(Self { sandbox, id })
    }

    /// Sends standard input, collects output and waits for the command's end; returns its status. Stops early if no
    /// more output is wanted.
    pub(super) async fn follow(&self, stdin: Input, output: &mut impl Output) -> Result<Option<i32>> {
        // Pieces may be long, so only a few are queued.
        let (sender, mut pieces) = mpsc::channel(2);
        let streams = async {
            let (out, err) = (sender.clone(), sender);
            tokio::join!(self.read(OutputStream::Stdout, out), self.read(OutputStream::Stderr, err));
        };
        let (write, wait) = (self.write(stdin), self.wait());
        tokio::pin!(streams, write, wait);
        let mut ended = None;
        let (mut written, mut read, mut taken) = (false, false, false);
        // Do not wait for output that background processes hold open.
        while !(ended.is_some() && taken) {
            tokio::select! {
                done = &mut write, if !written && ended.is_none() => { done?; written = true; }
                () = &mut streams, if !read => read = true,
                piece = pieces.recv(), if !taken => match piece.transpose()? {
                    Some((stream, data)) => if !output.push(stream, data).await {
                        return Ok(None);
                    },
                    None => taken = true,
                },
                status = &mut wait, if ended.is_none() => ended = Some(status?),
                () = tokio::time::sleep(LINGER), if ended.is_some() => break,
            }
        }
        Ok(ended.flatten())
    }

    /// Sends standard input. It is no failure if the command ends early and does not read all of it, but it is one
    /// if the input cannot be read.
    async fn write(&self, mut stdin: Input) -> Result<()> {
        let mut offset = 0;
        loop {
            let (piece, eof) = stdin.next().await?;
            let length = piece.len() as u64;
            let request = TaskExecStdinWriteRequest {
                task_id: self.sandbox.task.clone(),
                exec_id: self.id.clone(),
                offset,
                data: piece.into(),
                eof,
            };
            offset += length;
            let sent: Result<Empty> = self.sandbox.call("TaskExecStdinWrite", request, None).await;
            if eof || sent.is_err() {
                return Ok(());
            }
        }
    }

    async fn wait(&self) -> Result<Option<i32>> {
        loop {
            let request = ExecRequest { task_id: self.sandbox.task.clone(), exec_id: self.id.clone() };
            let options = &self.sandbox.api.options.client;
            let held = self.sandbox.call("TaskExecWait", request.clone(), Some(options.idle_timeout)).await;
            let answer: ExitResponse = match held {
                // A service that works answers this call at once.
                Err(error) if error.kind() == ErrorKind::DeadlineExceeded => {
                    self.sandbox.call("TaskExecPoll", request, Some(options.deadline)).await?
                }
                held => held?,
            };
            match answer.exit_status {
                Some(ExitStatus::Code(code)) => return Ok(Some(code)),
                Some(ExitStatus::Signal(signal)) => return Ok(Some(signal.saturating_add(128))),
                // The service held the call for its longest time.
                None => {}
            }
        }
    }

    /// Reads a stream to its end, and continues where it broke off.
    async fn read(&self, stream: OutputStream, sender: mpsc::Sender<Result<(OutputStream, Bytes)>>) {
        let mut request = TaskExecStdioReadRequest {
            task_id: self.sandbox.task.clone(),
            exec_id: self.id.clone(),
            offset: 0,
            file_descriptor: i32::from(stream == OutputStream::Stderr),
        };
        let mut attempt = 0;
        loop {
            let before = request.offset;
            let Err(status) = self.read_from(&mut request, stream, &sender).await else { return };
            attempt = if request.offset == before { attempt } else { 0 };
            if !is_passing(&status) || attempt >= self.sandbox.api.options.client.retries {
                // This fails only if nobody waits any more.
                drop(sender.send(Err(error(&status))).await);
                return;
            }
            tokio::time::sleep(backoff(attempt)).await;
            attempt += 1;
        }
    }

    /// Advances the request's offset by the bytes that were read.
    async fn read_from(
        &self,
        request: &mut TaskExecStdioReadRequest,
        stream: OutputStream,
        sender: &mpsc::Sender<Result<(OutputStream, Bytes)>>,
    ) -> Result<(), Status> {
        let mut messages =
            self.sandbox.stream::<_, DataResponse>("TaskExecStdioRead", request.clone()).await?;
        while let Some(message) = messages.message().await? {
            request.offset += message.data.len() as u64;
            if sender.send(Ok((stream, message.data.into()))).await.is_err() {
                break;
            }
        }
        Ok(())
    }
}
