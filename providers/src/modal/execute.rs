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

use super::channel::error;
use super::sandbox::ModalSandbox;
use crate::cloud::{OutputBuffer, check_command, unique};
use crate::{ExecuteRequest, ExecuteResponse, OutputSender, OutputStream, Result};

/// How long output is waited for after the command has ended, or was to end.
const LINGER: Duration = Duration::from_secs(2);

/// Standard input is sent in pieces of this size.
const PIECE: usize = 1 << 20;

/// Output of all streams, as it comes.
type Pieces = mpsc::Receiver<Result<(OutputStream, Bytes)>>;

pub(super) async fn execute(
    sandbox: &ModalSandbox,
    request: ExecuteRequest,
    sender: Option<OutputSender>,
) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let mut output = OutputBuffer::new(&request, sender);
    let timeout = request.timeout.filter(|timeout| !timeout.is_zero());
    let exec = Exec::start(sandbox, &request, timeout).await?;
    let follow = exec.follow(request.stdin.unwrap_or_default(), &mut output);
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
            // Whole seconds, and not before this side's own end.
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

    /// Writes standard input, takes output, and waits for the end.
    pub(super) async fn follow(&self, stdin: Bytes, output: &mut OutputBuffer) -> Result<Option<i32>> {
        let (sender, mut pieces) = mpsc::channel(16);
        let streams = async {
            let (out, err) = (sender.clone(), sender);
            tokio::join!(self.read(OutputStream::Stdout, out), self.read(OutputStream::Stderr, err));
        };
        let take = take(&mut pieces, output);
        let status = async {
            self.write(stdin).await;
            self.wait().await
        };
        tokio::pin!(streams, take, status);
        let mut ended = None;
        let (mut read, mut taken) = (false, false);
        let linger = tokio::time::sleep(Duration::MAX / 4);
        tokio::pin!(linger);
        // Output that processes left behind hold open is not waited for.
        while !(ended.is_some() && taken) {
            tokio::select! {
                () = &mut streams, if !read => read = true,
                done = &mut take, if !taken => { done?; taken = true; }
                status = &mut status, if ended.is_none() => {
                    ended = Some(status?);
                    linger.as_mut().reset(tokio::time::Instant::now() + LINGER);
                }
                () = &mut linger, if ended.is_some() => break,
            }
        }
        Ok(ended.flatten())
    }

    /// A command that ends early does not read all of it, and that is no failure.
    async fn write(&self, stdin: Bytes) {
        let mut offset = 0;
        let mut pieces = stdin.chunks(PIECE).peekable();
        loop {
            let data = pieces.next().unwrap_or_default();
            let eof = pieces.peek().is_none();
            let request = TaskExecStdinWriteRequest {
                task_id: self.sandbox.task.clone(),
                exec_id: self.id.clone(),
                offset,
                data: data.to_vec(),
                eof,
            };
            offset += data.len() as u64;
            let sent: Result<Empty> = self.sandbox.call("TaskExecStdinWrite", request, None).await;
            if eof || sent.is_err() {
                return;
            }
        }
    }

    async fn wait(&self) -> Result<Option<i32>> {
        loop {
            let request = ExecRequest { task_id: self.sandbox.task.clone(), exec_id: self.id.clone() };
            let answer: ExitResponse = self.sandbox.call("TaskExecWait", request, None).await?;
            match answer.exit_status {
                Some(ExitStatus::Code(code)) => return Ok(Some(code)),
                Some(ExitStatus::Signal(signal)) => return Ok(Some(signal.saturating_add(128))),
                // The call was held as long as the service holds one.
                None => {}
            }
        }
    }

    async fn read(&self, stream: OutputStream, sender: mpsc::Sender<Result<(OutputStream, Bytes)>>) {
        let request = TaskExecStdioReadRequest {
            task_id: self.sandbox.task.clone(),
            exec_id: self.id.clone(),
            offset: 0,
            file_descriptor: i32::from(stream == OutputStream::Stderr),
        };
        let reading = async {
            let mut messages = self.sandbox.stream::<_, DataResponse>("TaskExecStdioRead", request).await?;
            while let Some(message) = messages.message().await? {
                if sender.send(Ok((stream, message.data.into()))).await.is_err() {
                    break;
                }
            }
            Ok::<(), tonic::Status>(())
        };
        if let Err(status) = reading.await {
            // Nobody waits any more if this fails.
            drop(sender.send(Err(error(&status))).await);
        }
    }
}

async fn take(pieces: &mut Pieces, output: &mut OutputBuffer) -> Result<()> {
    while let Some(piece) = pieces.recv().await {
        let (stream, data) = piece?;
        output.push(stream, data).await;
    }
    Ok(())
}
