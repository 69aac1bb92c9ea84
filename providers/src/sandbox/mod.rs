//! The implementor's trait and the conveniences on top of it.

mod capabilities;
mod ext;

use std::fmt::Debug;

use async_trait::async_trait;

pub use capabilities::Capabilities;
pub use ext::SandboxExt;

use crate::{
    ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError, FileOperations, FileSink, FileSource,
    FileUpload, FileUploadResponse, OutputChunk, OutputSender, OutputStream, Result,
};

/// An isolated place that runs shell commands and holds files.
///
/// # Contract
///
/// This trait is the minimum that a backend supplies. Callers use [`SandboxExt`] for everything else; it works
/// on every implementation, `dyn Sandbox` included.
///
/// * **One sandbox, many callers.** Methods take `&self` and may be called from many tasks at once. Calls that
///   overlap are independent: each `execute` is a new shell, so a working directory, variables and functions
///   set by one are not seen by another. Files are shared.
/// * **Answers and errors.** A command that fails, is not found, is killed or runs out of time is an `Ok`
///   answer. `Err` means that the call itself could not be carried out.
/// * **Cancellation.** Dropping the future of `execute` stops the command where the protocol allows it, and
///   leaves the sandbox usable.
/// * **Nothing is silent.** What the backend cannot do, it declares in [`capabilities`](Self::capabilities) and
///   refuses with [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported); output that was cut is marked.
///
/// # Paths
///
/// Absolute, `/`-separated UTF-8 without NUL. `.`, `..`, symbolic links and repeated slashes are resolved
/// inside the sandbox as its kernel does. Names that are not UTF-8 are shown with U+FFFD and can be reached
/// by commands only.
///
/// # Life cycle
///
/// The [`SandboxProvider`](crate::SandboxProvider) creates and deletes sandboxes. Dropping a handle does
/// neither, unless the provider says otherwise.
///
/// # Wrappers
///
/// A wrapper implements this trait by delegation, `file_operations` included: a wrapper that must see every
/// command returns `None` there, so that the operations come back to its `execute`.
#[async_trait]
pub trait Sandbox: Debug + Send + Sync + 'static {
    /// The id under which the provider knows this sandbox; never empty, never changes.
    fn id(&self) -> &str;

    /// What this sandbox can do. Constant for its life.
    fn capabilities(&self) -> Capabilities;

    /// Runs a command and waits until it ends.
    ///
    /// # Behaviour
    ///
    /// - Output is kept up to the limit of the request, 500 KiB at the very least by default.
    /// - After the timeout the command and the processes that it waits for are killed; the answer has status
    ///   124, `timed_out` and what was written until then.
    /// - Background processes that the command leaves behind live on where
    ///   [`Capabilities::background_processes`] says so. The answer does not wait for them, also when they
    ///   hold the command's output open.
    /// - Is never repeated by the implementation unless the protocol can prove that it did not run.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for a NUL in the command, a relative `cwd` or an impossible variable name;
    /// `Unsupported` for `stdin`, `cwd` or `env` where the capability is missing.
    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse>;

    /// As [`execute`](Self::execute), and sends output to `output` while it is written.
    ///
    /// The chunks of a stream, joined, are that stream of the answer. The default sends everything at the
    /// end; [`Capabilities::streaming`] says whether an implementation does better.
    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        let response = self.execute(request).await?;
        send_all(&response, &output).await;
        Ok(response)
    }

    /// Writes files, each whole, as the sandbox's user.
    ///
    /// # Behaviour
    ///
    /// - One answer for each file, in the order given; a file that fails does not stop the others.
    /// - Missing parent directories are created. An existing file is overwritten in place: it keeps its mode,
    ///   its owner and its hard links; a symbolic link is followed.
    /// - Content is binary and of any length; an empty batch is allowed.
    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>>;

    /// Reads files, each whole, as the sandbox's user.
    ///
    /// One answer for each path, in the order given; a file that fails does not stop the others.
    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>>;

    /// As [`upload_files`](Self::upload_files) for one file, whose content need not be in memory as a whole. The default
    /// gathers it.
    async fn upload_from(&self, path: &str, mut content: FileSource) -> Result<Result<(), FileError>> {
        let mut whole = Vec::new();
        while let Some(piece) = content.recv().await {
            match piece {
                Ok(piece) => whole.extend_from_slice(&piece),
                Err(error) => return Ok(Err(FileError::Other(error.to_string()))),
            }
        }
        let answer = self.upload_files(vec![FileUpload::new(path, whole)]).await?.pop();
        Ok(answer.map_or(Err(FileError::Other("there was no answer".to_owned())), |answer| answer.result))
    }

    /// As [`download_files`](Self::download_files) for one file, whose content need not be in memory as a whole. The default
    /// sends it when all of it is there. What was sent is part of the file, and all of it only if the answer is a success.
    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        match self.download_files(vec![path.to_owned()]).await?.pop().map(|answer| answer.result) {
            Some(Ok(whole)) => {
                // A reader that goes away needs no more.
                drop(content.send(whole).await);
                Ok(Ok(()))
            }
            Some(Err(error)) => Ok(Err(error)),
            None => Ok(Err(FileError::Other("there was no answer".to_owned()))),
        }
    }

    /// File operations of the backend's own, faster than those made of commands; they must give the same
    /// answers. `None`: [`SandboxExt`] makes them out of `execute`, `upload_files` and `download_files`.
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
