//! The trait that implementors write.

mod capabilities;
mod session;
mod terminal;

use std::fmt::Debug;

use async_trait::async_trait;

pub use capabilities::Capabilities;
pub use session::{Session, SessionInfo, SessionResponse};
pub use terminal::{TerminalRequest, TerminalScreen, TerminalSize};

use crate::transfer::{collect, delivered, uploaded};
use crate::{
    ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileOperations, FileSink, FileSource,
    FileUpload, FileUploadResponse, OutputChunk, OutputSender, OutputStream, Result,
};

/// An isolated place that runs shell commands and holds files.
///
/// # Contract
///
/// This trait is the minimum that a backend must provide. For everything else, callers use
/// [`SandboxExt`](crate::SandboxExt), which works on every implementation, including `dyn Sandbox`.
///
/// * **One sandbox, many callers.** Methods take `&self` and may be called from many tasks at once. Overlapping
///   calls are independent: each `execute` starts a new shell, so no call sees the working directory, variables or
///   functions of another. Files are shared.
/// * **Answers and errors.** A command that fails, is not found, is killed or runs out of time is an `Ok`
///   answer. `Err` means that the call itself could not be carried out.
/// * **Cancellation.** Dropping the future of `execute` stops the command where the protocol allows it, and
///   leaves the sandbox usable.
/// * **Nothing is silent.** A backend declares its abilities in [`capabilities`](Self::capabilities) and refuses
///   anything else with [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported). Output that was cut is marked.
///
/// # Paths
///
/// Paths are absolute, `/`-separated UTF-8 without NUL. The sandbox's kernel resolves `.`, `..`, symbolic links and
/// repeated slashes. Names that are not UTF-8 are shown with U+FFFD, and only commands can use them.
///
/// # Life cycle
///
/// The [`SandboxProvider`](crate::SandboxProvider) creates and deletes sandboxes. Dropping a handle does not delete
/// its sandbox, unless the provider says otherwise.
///
/// # Wrappers
///
/// A wrapper implements this trait by delegation, including `file_operations`. A wrapper that must see every
/// command returns `None` there, so that file operations use its `execute`.
#[async_trait]
pub trait Sandbox: Debug + Send + Sync + 'static {
    /// The id under which the provider knows this sandbox; never empty, never changes.
    fn id(&self) -> &str;

    /// The sandbox's capabilities. They never change.
    fn capabilities(&self) -> Capabilities;

    /// Runs a command and waits until it ends.
    ///
    /// # Behaviour
    ///
    /// - Output is kept up to the limit of the request. The default limit is at least 500 KiB.
    /// - After the timeout, the command and the processes that it waits for are killed. The answer has status 124,
    ///   `timed_out`, and the output until then.
    /// - Background processes that the command leaves behind go on running if
    ///   [`Capabilities::background_processes`] is set. The answer does not wait for them, even if they hold the
    ///   command's output open.
    /// - An implementation never runs a command again, unless its protocol can prove that the command did not run.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for a NUL in the command, a relative `cwd` or an invalid variable name; `Unsupported` for
    /// `stdin`, `cwd` or `env` if the capability is missing.
    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse>;

    /// Like [`execute`](Self::execute), but also sends output to `output` as it is written.
    ///
    /// The joined chunks of a stream are that stream of the answer. The default implementation sends everything at
    /// the end; [`Capabilities::streaming`] says whether output really comes while the command runs.
    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        let response = self.execute(request).await?;
        send_all(&response, &output).await;
        Ok(response)
    }

    /// Runs a command in a shell that lives: the next command of the same session finds its variables, functions,
    /// directory, jobs and history. A session is its name; its shell is started by its first command, in the sandbox's
    /// working directory. Sessions are apart from each other, and from [`execute`](Self::execute).
    ///
    /// - One command of a session runs at a time; others wait, which counts for their time limit.
    /// - After the timeout the command is interrupted, as by Ctrl-C; if it goes on, its shell is killed.
    /// - Variables of the request (`env`) are those of a shell that it starts. One that lives already keeps its own.
    /// - Input that the request brings is for this command alone. Output that jobs write when no command runs is given
    ///   to the next one ([`SessionResponse::background`]), or to [`session_output`](Self::session_output).
    /// - A shell that has ended, for whatever reason, is started anew, and the answer says so. Its jobs end with it.
    /// - A syntax error or an interrupt gives up the rest of a command's text, but not the shell.
    ///
    /// # Errors
    ///
    /// `Unsupported` without [`Capabilities::sessions`], `InvalidRequest` for a request with `cwd` and for an
    /// impossible name, `Conflict` for a session on a terminal, `QuotaExceeded` for too many sessions.
    async fn execute_in_session(&self, session: &str, request: ExecuteRequest) -> Result<SessionResponse> {
        let _ = (session, request);
        Err(self.no_sessions())
    }

    /// What a session's jobs wrote since its last answer; nothing while a command runs, as it is a part of that
    /// command's output then.
    ///
    /// # Errors
    ///
    /// `Unsupported` without [`Capabilities::sessions`].
    async fn session_output(&self, session: &str) -> Result<bytes::Bytes> {
        let _ = session;
        Err(self.no_sessions())
    }

    /// Ends a session's shell with all that it started, also a command that runs. It is no error if there is none.
    ///
    /// # Errors
    ///
    /// `Unsupported` without [`Capabilities::sessions`].
    async fn end_session(&self, session: &str) -> Result<()> {
        let _ = session;
        Err(self.no_sessions())
    }

    /// Uses a session that is an interactive shell on a terminal, with its prompts, line editor and job control:
    /// resizes it, types, waits for what is written, and tells what the screen shows. The shell is started by the first
    /// request.
    ///
    /// - A session has a terminal or gets commands ([`execute_in_session`](Self::execute_in_session)), as its first
    ///   request decides. The rest is as there: one request at a time, and a shell that has ended is started anew.
    /// - Dropping the request stops the waiting, and nothing else.
    ///
    /// # Errors
    ///
    /// `Unsupported` without [`Capabilities::sessions`], `InvalidRequest` for an impossible name or size, `Conflict`
    /// for a session without a terminal, `QuotaExceeded` for too many sessions.
    async fn use_terminal(&self, session: &str, request: TerminalRequest) -> Result<TerminalScreen> {
        let _ = (session, request);
        Err(self.no_sessions())
    }

    /// The sessions that were begun and not ended, by name.
    ///
    /// # Errors
    ///
    /// `Unsupported` without [`Capabilities::sessions`].
    async fn sessions(&self) -> Result<Vec<SessionInfo>> {
        Err(self.no_sessions())
    }

    /// The error for a missing capability.
    fn no_sessions(&self) -> crate::Error {
        crate::Error::unsupported(&format!("the sandbox {}", self.id()), "sessions")
    }

    /// Writes whole files as the sandbox's user.
    ///
    /// # Behaviour
    ///
    /// - There is one answer for each file, in the same order. A failure does not stop the other files.
    /// - Missing parent directories are created. An existing file is overwritten in place and keeps its mode, owner
    ///   and hard links. Symbolic links are followed.
    /// - Content may be any bytes of any length. An empty batch is allowed.
    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>>;

    /// Reads whole files as the sandbox's user.
    ///
    /// There is one answer for each path, in the same order. A failure does not stop the other files.
    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>>;

    /// Like [`upload_files`](Self::upload_files) for one file whose content need not be in memory as a whole. The
    /// default implementation collects it in memory.
    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        match collect(content).await {
            Ok(whole) => Ok(uploaded(self.upload_files(vec![FileUpload::new(path, whole)]).await?)),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Like [`download_files`](Self::download_files) for one file whose content need not be in memory as a whole.
    /// The default implementation downloads all of it first. The bytes that were sent are the whole file only if
    /// the answer is a success; otherwise they are its beginning.
    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        Ok(delivered(self.download_files(vec![path.to_owned()]).await?, content).await)
    }

    /// Native file operations of the backend, if it has some. They are faster than those made of commands and must give
    /// the same answers. `None`: [`SandboxExt`](crate::SandboxExt) uses `execute`, `upload_files` and `download_files`
    /// instead.
    fn file_operations(&self) -> Option<&dyn FileOperations> {
        None
    }
}

/// Sends the output of a command that has ended.
pub(crate) async fn send_all(response: &ExecuteResponse, output: &OutputSender) {
    for (stream, data) in [(OutputStream::Stdout, &response.stdout), (OutputStream::Stderr, &response.stderr)]
    {
        if !data.is_empty() && output.send(OutputChunk { stream, data: data.clone() }).await.is_err() {
            return;
        }
    }
}
